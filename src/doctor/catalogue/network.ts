import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** The way to the server, and to its authorization server. */
export const networkFindings = {
  'name-unknown': {
    level: 'failure',
    step: 'connect',
    who: 'you',
    exit: exitCode.network,
    title: 'the host name has no address',
    remedy: 'Check the spelling of the host name, and your network or VPN.',
    source: 'RFC 1035, Domain Names',
    explanation:
      'The name service knows no address for this name. It is misspelt, it is known inside a company’s network alone, or it has expired.',
  },
  'connection-refused': {
    level: 'failure',
    step: 'connect',
    who: 'server',
    exit: exitCode.network,
    title: 'nothing listens at the server’s address',
    remedy: 'Check host and port; then ask the server’s operator whether it is running.',
    source: 'RFC 9293 section 3.10.7, SEGMENT ARRIVES',
    explanation:
      'The machine responds, and refuses the connection: no program waits at that port. The server is not running, or it is at another port.',
  },
  'not-reachable': {
    level: 'failure',
    step: 'connect',
    who: 'network',
    exit: exitCode.network,
    title: 'the server cannot be reached',
    remedy: 'Check that the server is running and that host and port are right; then network, VPN and firewall.',
    source: 'RFC 9293, Transmission Control Protocol',
    explanation:
      'The name has an address, and no connection could be opened there, or it broke off. Either nothing listens at that port, or something between this machine and it does not let the connection through.',
  },
  'not-in-time': {
    level: 'failure',
    step: 'connect',
    who: 'network',
    exit: exitCode.network,
    title: 'no response in time',
    remedy: 'Try again; then ask the server’s operator, and check network, VPN and firewall.',
    source: 'RFC 9110 section 15.6.5, 504 Gateway Timeout',
    explanation:
      'A connection or a request took longer than its limit. A firewall that drops packets without a word looks like this, and so does a server that hangs.',
  },
  'tls-broken': {
    level: 'failure',
    step: 'connect',
    who: 'server',
    exit: exitCode.network,
    title: 'the server’s certificate is not accepted',
    remedy:
      'Ask the server’s operator to renew or complete the certificate chain; behind a company’s own authority, name that in NODE_EXTRA_CA_CERTS or the setting caFile.',
    source: 'RFC 9110 section 4.3.4, https Certificate Verification',
    explanation:
      'Without a certificate that is valid for this very name, nobody can tell who responds. No option turns the check off, because a token would go to whoever is in between.',
  },
  'address-refused': {
    level: 'failure',
    step: 'connect',
    who: 'you',
    exit: exitCode.usage,
    title: 'this program does not connect there',
    remedy: 'Use the server’s https address; plain http is for servers on this machine alone.',
    source: 'MCP authorization, Communication Security',
    explanation:
      'Some addresses are never connected to: plain http beyond this machine, link-local and cloud metadata addresses, and private addresses that a public server named.',
  },
  'http-broken': {
    level: 'failure',
    step: 'connect',
    who: 'server',
    title: 'what comes back is no usable HTTP',
    remedy: 'Check address and port, then report it to the server’s operator.',
    source: 'RFC 9112, HTTP/1.1',
    explanation:
      'A connection was opened, and what came over it is no HTTP, is larger than it may be, or is damaged. Another service may listen at that port.',
  },
  'run-too-long': {
    level: 'failure',
    step: 'connect',
    who: 'server',
    exit: exitCode.network,
    title: 'the examination took too long, and was ended',
    remedy: 'Try again; if it takes as long again, ask the operators why their responses are so slow.',
    source: 'RFC 9110 section 15.6.5, 504 Gateway Timeout',
    explanation:
      'Each request has a limit of its own, and so have all of them together. What was found until then is shown.',
  },
  'clock-wrong': {
    level: 'warning',
    step: 'connect',
    who: 'you',
    title: 'this machine’s clock differs from the server’s',
    remedy: 'Set this machine’s clock by the network (NTP).',
    source: 'RFC 9110 section 6.6.1, Date',
    explanation:
      'Tokens are valid from a time to a time. With a clock that is minutes off, a fresh token counts as run out, or one that has run out as fresh. One of the two clocks is wrong; if several servers say the same, it is this one.',
  },
  'address-family-dead': {
    level: 'note',
    step: 'connect',
    who: 'network',
    title: 'one of the server’s addresses does not respond',
    remedy: 'Ask the operator to remove that address from DNS, or mend what listens there; logins use the others.',
    source: 'RFC 8305, Happy Eyeballs',
    explanation:
      'A name with IPv4 and IPv6 addresses is tried at each. One that does not respond costs a part of a second at best; programs that know no second try hang there.',
  },
  'certificate-expires': {
    level: 'warning',
    step: 'connect',
    who: 'server',
    title: 'the server’s certificate expires soon',
    remedy: 'Ask the operator to renew it.',
    source: 'RFC 5280 section 4.1.2.5, Validity',
    explanation: 'From that day on every login and every request fails, for everybody.',
  },
  'slow-response': {
    level: 'note',
    step: 'connect',
    who: 'server',
    title: 'a response took long',
    remedy: 'Nothing to do; each request may take 10 s in a login.',
    source: 'RFC 9110 section 15.6.5, 504 Gateway Timeout',
    explanation: 'A login asks five addresses or more, one after the other. Slow ones add up.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;
