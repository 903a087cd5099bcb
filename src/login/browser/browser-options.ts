import type { OptionSpec } from '../../core/command.js';
import { browserChoices } from './chosen-browser.js';

/** Options of `login`: where its page opens, what it is asked for, and where its answer arrives. */
export const browserOptions = [
  {
    name: 'browser',
    kind: 'boolean',
    describe: 'open the browser although CI is set, or --non-interactive was given',
    excludes: ['no-browser', 'device', 'client-credentials'],
  },
  {
    name: 'browser-with',
    kind: 'string',
    value: 'PROGRAM',
    brief: 'chrome, firefox … or a path: now and later',
    describe: `open this login’s pages, now and later, in ${browserChoices}`,
    fallback: 'as before',
    excludes: ['no-browser', 'device', 'client-credentials'],
  },
  {
    name: 'browser-profile',
    kind: 'string',
    value: 'NAME',
    describe: 'with --browser-with: a profile of that browser',
  },
  {
    name: 'no-browser',
    kind: 'boolean',
    brief: 'print the page’s address, to open it elsewhere',
    describe:
      'print the address instead, and a code where the authorization server offers that; the redirect URL can be pasted at the prompt',
  },
  {
    name: 'device',
    kind: 'boolean',
    brief: 'show a code to type in a browser anywhere',
    describe: 'show a code to type in a browser anywhere, where the authorization server offers that',
    excludes: ['redirect-port'],
  },
  {
    name: 'login-hint',
    kind: 'string',
    value: 'TEXT',
    describe: 'tell the login page who is to log in: a user name or address, as that page takes it',
    excludes: ['client-credentials', 'device', 'all', 'expired'],
  },
  {
    name: 'prompt',
    kind: 'list',
    choices: ['select_account', 'login', 'consent'],
    value: 'WHAT',
    describe: 'have the login page ask for the account, a new login, or consent; again for more',
    fallback: 'consent, where the login is to last',
    excludes: ['client-credentials', 'device'],
  },
  {
    name: 'redirect-port',
    kind: 'number',
    min: 1024,
    max: 65_535,
    value: 'PORT',
    env: 'POSTERN_REDIRECT_PORT',
    describe: 'port of the callback listener',
    fallback: 'any free one',
  },
  {
    name: 'redirect-uri',
    kind: 'string',
    value: 'URI',
    describe:
      'the redirect address, where the authorization server minds it: http:// with the host localhost, 127.0.0.1 or [::1], any path, and a port or none; kept for all logins there',
    fallback: 'the one used there before, else http://127.0.0.1/callback',
    excludes: ['redirect-port', 'client-credentials', 'device'],
  },
  {
    name: 'listen-address',
    kind: 'string',
    value: 'ADDRESS',
    describe:
      'in a container alone: take the callback at this address of the container (0.0.0.0: all of them), for a port that it publishes; needs a fixed port',
    fallback: 'loopback, and nothing else',
    excludes: ['client-credentials', 'device'],
  },
] as const satisfies readonly OptionSpec[];
