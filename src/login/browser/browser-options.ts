import type { OptionSpec } from '../../core/command.js';

/** Options of `login`: where its page opens, what it is asked for, and where its answer arrives. */
export const browserOptions = [
  {
    name: 'browser',
    topic: 'logging-in',
    kind: 'boolean',
    describe: 'open the browser although CI is set, or --non-interactive was given',
    excludes: ['no-browser', 'device', 'client-credentials'],
  },
  {
    name: 'browser-with',
    group: 'The browser',
    kind: 'string',
    value: 'PROGRAM',
    describe: 'chrome, firefox … or a path: now and later',
    excludes: ['no-browser', 'device', 'client-credentials'],
  },
  {
    name: 'browser-profile',
    topic: 'logging-in',
    kind: 'string',
    value: 'NAME',
    describe: 'with --browser-with: a profile of that browser',
  },
  {
    name: 'no-browser',
    group: 'The browser',
    kind: 'boolean',
    describe: 'print the page’s address, to open it elsewhere',
  },
  {
    name: 'device',
    group: 'The browser',
    kind: 'boolean',
    describe: 'show a code to type in a browser anywhere',
    excludes: ['redirect-port'],
  },
  {
    name: 'login-hint',
    topic: 'logging-in',
    kind: 'string',
    value: 'TEXT',
    describe: 'tell the login page who is to log in: a user name or address, as that page takes it',
    excludes: ['client-credentials', 'device', 'all', 'expired'],
  },
  {
    name: 'prompt',
    topic: 'logging-in',
    kind: 'list',
    choices: ['select_account', 'login', 'consent'],
    value: 'WHAT',
    describe: 'have the login page ask for the account, a new login, or consent; again for more',
    fallback: 'consent, where the login is to last',
    excludes: ['client-credentials', 'device'],
  },
  {
    name: 'redirect-port',
    topic: 'logging-in',
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
    topic: 'logging-in',
    kind: 'string',
    value: 'URI',
    describe:
      'the redirect address, where the authorization server minds it: http:// with the host localhost, 127.0.0.1 or [::1], any path, and a port or none; kept for all logins there',
    fallback: 'the one used there before, else http://127.0.0.1/callback',
    excludes: ['redirect-port', 'client-credentials', 'device'],
  },
  {
    name: 'listen-address',
    topic: 'logging-in',
    kind: 'string',
    value: 'ADDRESS',
    describe:
      'in a container alone: take the callback at this address of the container (0.0.0.0: all of them), for a port that it publishes; needs a fixed port',
    fallback: 'loopback, and nothing else',
    excludes: ['client-credentials', 'device'],
  },
] as const satisfies readonly OptionSpec[];
