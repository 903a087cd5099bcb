import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** This machine: what a login needs of it. */
export const machineFindings = {
  'node-ended': {
    level: 'warning',
    step: 'program',
    who: 'you',
    title: 'this version of Node.js gets no security fixes any more',
    remedy: 'Install a supported version of Node.js.',
    source: 'Node.js, release schedule',
    explanation:
      'What is found wrong in it from now on stays so. Servers send it data before you have logged in to them.',
  },
  'node-insecure': {
    level: 'warning',
    step: 'program',
    who: 'you',
    title: 'this version of Node.js has known security holes',
    remedy: 'Install the newest release of its line.',
    source: 'Node.js, security releases',
    explanation:
      'A security release of the same line fixes them. Servers send it data before you have logged in to them.',
  },
  'configuration-unusable': {
    level: 'failure',
    step: 'configuration',
    who: 'you',
    exit: exitCode.usage,
    title: 'the configuration cannot be used',
    remedy: 'Correct it with: postern config edit',
    source: 'postern config --help',
    explanation:
      'Every command reads it first, and none goes on with a setting that may mean something else than you think.',
  },
  'environment-noted': {
    level: 'note',
    step: 'network',
    who: 'you',
    title: 'a variable changes whom this program talks to, or whom it trusts',
    remedy: 'Nothing to do, if you have set it.',
    source: 'postern help environment',
    explanation:
      'Requests through a proxy, and authorities beside the usual ones, are what companies need. Programs with a window may be started without these variables.',
  },
  'debug-prints-secrets': {
    level: 'warning',
    step: 'network',
    who: 'you',
    title: 'a variable makes Node.js print what is sent and received',
    remedy: 'Unset NODE_DEBUG.',
    source: 'Node.js, NODE_DEBUG',
    explanation: 'What is printed holds tokens. It ends up in terminals and logs.',
  },
  'authorities-unreadable': {
    level: 'failure',
    step: 'network',
    who: 'you',
    exit: exitCode.usage,
    title: 'a file of authorities cannot be used',
    remedy: 'Correct NODE_EXTRA_CA_CERTS, or the setting caFile, or make the file readable.',
    source: 'postern help environment',
    explanation: 'Without it, servers whose certificates are of that authority are refused.',
  },
  'state-unusable': {
    level: 'failure',
    step: 'state',
    who: 'you',
    exit: exitCode.usage,
    title: 'what is known of your logins cannot be read',
    remedy: 'See: postern help stores',
    source: 'MCP authorization, Token Theft',
    explanation:
      'The state folder holds which logins there are, and locks, and no secret. It has to be yours, and closed to others: who can write there could lead your tokens elsewhere.',
  },
  'store-loses-items': {
    level: 'failure',
    step: 'store',
    who: 'you',
    exit: exitCode.store,
    title: 'the store does not give back what is written to it',
    remedy: 'Choose another one with --store; see: postern help stores',
    source: 'MCP authorization, Token Theft',
    explanation: 'A test item was written, and came back otherwise or not at all. A login kept there would be lost.',
  },
  'store-broken': {
    level: 'failure',
    step: 'store',
    who: 'you',
    exit: exitCode.store,
    title: 'logins cannot be stored, or not be read',
    remedy: 'See: postern help stores',
    source: 'MCP authorization, Token Theft',
    explanation:
      'A login is kept in the system’s keychain, or where you chose. Where that does not respond, or is locked, none can be used.',
  },
  'browser-missing': {
    level: 'note',
    step: 'browser',
    who: 'you',
    title: 'no browser can be opened from here',
    remedy: 'Log in with --no-browser, which prints a link, or with --device, which prints a code.',
    source: 'RFC 8252 section 4.1, Authorization Flow for Native Apps Using the Browser',
    explanation: 'Over SSH, in a container, or without a display, the login page opens in a browser elsewhere.',
  },
  'callback-refused': {
    level: 'failure',
    step: 'callback',
    who: 'you',
    exit: exitCode.network,
    title: 'this machine lets no program listen on 127.0.0.1',
    remedy: 'Allow it in the firewall or the sandbox that this runs in, or log in with --no-browser or --device.',
    source: 'RFC 8252 section 7.3, Loopback Interface Redirection',
    explanation:
      'After a login the browser brings the answer to a port of this machine, which is open for that login alone.',
  },
  'clock-set-back': {
    level: 'warning',
    step: 'clock',
    who: 'you',
    title: 'a login was made later than it is now, by this clock',
    remedy: 'Set this machine’s clock by the network (NTP).',
    source: 'RFC 6749 section 5.1, expires_in',
    explanation:
      'Tokens are counted as valid by this clock. One that goes wrong by minutes keeps tokens that have run out, or throws good ones away.',
  },
  'login-broken': {
    level: 'warning',
    step: 'logins',
    who: 'you',
    exit: exitCode.loginNeeded,
    title: 'a login needs you',
    remedy: 'Log in again, or end it: postern login --expired; postern logout NAME',
    source: 'RFC 6749 section 6, Refreshing an Access Token',
    explanation:
      'Its refresh token was refused, has run out, or is gone from its store. Programs that use it get nothing until you log in again.',
  },
  'program-not-served': {
    level: 'failure',
    step: 'programs',
    who: 'you',
    title: 'a program that is set up would not get what it needs',
    remedy: 'See: postern setup --check',
    exit: exitCode.usage,
    source: 'postern help hosts',
    explanation:
      'Its entry is not what postern would write now, or does not work. Without --from it was compared only. To run it as the program does, with what that leaves of the environment, type: postern setup --check',
  },
  'service-not-installed': {
    level: 'failure',
    step: 'services',
    who: 'you',
    title: 'an installed proxy would not be started',
    remedy: 'Install it again: postern proxy NAME --install',
    exit: exitCode.usage,
    source: 'postern help proxies',
    explanation:
      'Its units are gone, are somebody else’s now, or were switched off. Programs that have its address get no answer after the next login.',
  },
  'service-not-running': {
    level: 'failure',
    step: 'services',
    who: 'you',
    title: 'an installed proxy does not answer',
    remedy: 'Install it again: postern proxy NAME --install',
    exit: exitCode.network,
    source: 'postern help proxies',
    explanation:
      'Nobody listens at its port, or who listens there does not answer. Where systemd starts it, journalctl --user says why it ended.',
  },
  'service-port-taken': {
    level: 'failure',
    step: 'services',
    who: 'you',
    title: 'another program has the port of an installed proxy',
    remedy: 'End that program, or take the proxy back and install it at another port: postern proxy NAME --uninstall',
    exit: exitCode.network,
    source: 'postern help proxies',
    explanation:
      'What programs send to that address, the key in it, goes to whoever listens there. Give each of them another key afterwards: postern proxy NAME --rotate.',
  },
  'store-unavailable': {
    level: 'failure',
    step: 'machine',
    who: 'you',
    exit: exitCode.store,
    title: 'logins cannot be stored',
    remedy: 'See: postern help stores',
    source: 'MCP authorization, Token Theft',
    explanation:
      'A login is kept in the system’s keychain, or where you chose. A login is not begun where its result could not be kept.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
