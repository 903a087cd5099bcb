import type { CommandTable, OptionSpec } from '../core/command.js';
import { assertionOptions } from '../stores/own-login.js';
import { headerOptions } from '../tokens/server-headers.js';
import { browserOptions } from './browser/browser-options.js';

/** How a login is made by a company's provider. */
const providerOptions = [
  {
    name: 'idp',
    topic: 'company',
    kind: 'string',
    value: 'ISSUER',
    describe:
      'your company’s provider (OpenID Connect): log in there once, and each server’s token comes by it; kept with the login',
    needs: ['idp-client-id'],
    excludes: ['client-credentials', 'device', 'registration'],
  },
  {
    name: 'idp-client-id',
    needs: ['idp'],
    topic: 'company',
    kind: 'string',
    value: 'ID',
    describe: 'of --idp: the client there; --client-id is the one at the server’s own authorization server',
  },
  {
    name: 'idp-client-secret-file',
    needs: ['idp'],
    topic: 'company',
    kind: 'string',
    value: 'FILE',
    describe: 'of --idp-client-id: the file with its secret, where it has one',
  },
  {
    name: 'idp-token-file',
    needs: ['idp'],
    topic: 'company',
    kind: 'string',
    value: 'FILE',
    describe:
      'of --idp: take the ID token from this file; it is read again each time, never stored, and needs no login there',
  },
] as const satisfies readonly OptionSpec[];

export const loginTable = {
  name: 'login',
  group: 'log-in',
  summary: 'log in to a protected server, in the browser',
  positionals: [
    { name: 'server', describe: 'URL or login name; with --from, what that program calls it', required: false },
  ],
  options: [
    {
      name: 'name',
      kind: 'string',
      value: 'NAME',
      describe: 'short name for this login',
      fallback: 'from the server’s domain',
    },
    {
      name: 'from',
      group: 'Several at once',
      kind: 'string',
      value: 'PROGRAM',
      describe: 'a server that another program is set up for',
    },
    {
      name: 'all',
      needs: ['from'],
      group: 'Several at once',
      kind: 'boolean',
      describe: 'with --from: all servers of that program',
      excludes: ['name', 'header-file', 'header-env'],
    },
    {
      name: 'expired',
      group: 'Several at once',
      kind: 'boolean',
      describe: 'log in again to every login that has expired',
      excludes: ['all', 'name', 'from', 'generate-key', 'header-file', 'header-env'],
    },
    {
      name: 'yes',
      group: 'Several at once',
      alias: 'y',
      kind: 'boolean',
      describe: 'with --all: do not ask, however many there are',
    },
    { name: 'force', kind: 'boolean', describe: 'log in even if already logged in' },
    { name: 'account', kind: 'string', value: 'NAME', default: 'default', describe: 'account to use' },
    {
      name: 'scope',
      kind: 'list',
      value: 'SCOPE',
      describe: 'scope to ask for; repeatable',
      fallback: 'as the server asks',
    },
    {
      name: 'authorization-server',
      topic: 'logging-in',
      kind: 'string',
      value: 'ISSUER',
      env: 'POSTERN_AUTHORIZATION_SERVER',
      describe: 'which authorization server, where the server names several; the one that a client’s secret is for',
    },
    {
      name: 'authorization-param',
      topic: 'logging-in',
      kind: 'list',
      value: 'NAME=VALUE',
      describe:
        'add this to the authorization request (audience=…, kc_idp_hint=…), again for more; kept with the login. An empty value leaves one out',
      excludes: ['client-credentials', 'idp'],
    },
    {
      name: 'legacy',
      topic: 'logging-in',
      kind: 'boolean',
      describe:
        'where the server publishes no metadata: take its own origin for the authorization server, as in 2025-03-26, or that of --authorization-server; kept with the login',
    },
    ...headerOptions,
    {
      name: 'no-headers',
      topic: 'logging-in',
      kind: 'boolean',
      describe: 'forget the headers that are kept with this login',
      excludes: ['header-file', 'header-env'],
    },
    {
      name: 'resource',
      topic: 'logging-in',
      kind: 'string',
      value: 'AS_SPELLED',
      describe:
        'where the authorization server knows this server under another name: ask for a token for that (RFC 8707); kept with the login',
      fallback: 'what the server says of itself',
    },
    {
      name: 'no-resource',
      topic: 'logging-in',
      kind: 'boolean',
      describe:
        'where the authorization server takes no resource: do not name the server; kept with the login. The token may then be valid elsewhere, too',
      excludes: ['resource'],
    },
    // Whether the login is bound to a key (RFC 9449).
    {
      name: 'dpop',
      topic: 'security',
      kind: 'boolean',
      describe:
        'only with a token that is bound to a key (DPoP); kept with the login. Without it: where the server asks for one',
    },
    {
      name: 'no-dpop',
      topic: 'security',
      kind: 'boolean',
      describe:
        'with a Bearer token, though the server asks for one that is bound to a key (DPoP); kept with the login',
      excludes: ['dpop'],
    },
    {
      name: 'registration',
      topic: 'clients',
      kind: 'string',
      choices: ['preregistered', 'metadata', 'dynamic', 'ask'],
      value: 'WAY',
      describe: 'force one way to get a client identifier',
      fallback: 'the first that is open',
    },
    {
      name: 'client-id',
      topic: 'clients',
      kind: 'string',
      value: 'ID',
      env: 'POSTERN_CLIENT_ID',
      describe: 'a client registered before at this authorization server',
    },
    {
      name: 'client-secret-stdin',
      topic: 'clients',
      kind: 'boolean',
      describe: 'read the secret of --client-id from stdin',
    },
    {
      name: 'client-secret-file',
      topic: 'clients',
      kind: 'string',
      value: 'FILE',
      env: 'POSTERN_CLIENT_SECRET_FILE',
      describe: 'read the secret of --client-id from a file; name its --authorization-server, too',
    },
    {
      name: 'client-credentials',
      topic: 'clients',
      kind: 'boolean',
      describe: 'log in as the client itself: no person, no browser; with its secret or its key',
      excludes: ['no-browser', 'device', 'registration', 'redirect-port'],
    },
    {
      name: 'client-key-file',
      topic: 'clients',
      kind: 'string',
      value: 'FILE',
      describe: 'private key of --client-id (PEM, PKCS #8, or JWK; ES256 or RS256), for --client-credentials',
      needs: ['client-credentials'],
    },
    ...assertionOptions,
    ...providerOptions,
    {
      name: 'generate-key',
      needs: ['client-credentials'],
      excludes: ['client-secret-stdin', 'client-secret-file', 'client-key-file'],
      topic: 'clients',
      kind: 'boolean',
      describe:
        'with --client-credentials: make a key for --client-id, print its public half to be registered, and log in later',
    },
    {
      name: 'key-algorithm',
      topic: 'clients',
      kind: 'string',
      choices: ['ES256', 'RS256'],
      default: 'ES256',
      value: 'NAME',
      describe: 'of --generate-key',
    },
    {
      name: 'client-metadata-url',
      topic: 'clients',
      kind: 'string',
      value: 'URL',
      env: 'POSTERN_CLIENT_METADATA_URL',
      describe: 'address of our client ID metadata document (see postern help client-metadata)',
      fallback: 'that of the release, if it has one',
    },
    {
      name: 'client-name',
      topic: 'clients',
      kind: 'string',
      value: 'NAME',
      describe: 'what this program is called where it registers itself; kept with the login, and used there again',
      fallback: 'postern',
      excludes: ['client-id', 'client-credentials', 'client-metadata-url'],
    },
    ...browserOptions,
    {
      name: 'store',
      kind: 'string',
      value: 'STORE',
      env: 'POSTERN_STORE',
      describe: 'keychain, file, helper:NAME, redis:URL',
      fallback: 'the last login’s, else keychain',
    },
    {
      name: 'timeout',
      group: 'The browser',
      kind: 'number',
      min: 10,
      max: 3600,
      value: 'SECONDS',
      env: 'POSTERN_TIMEOUT',
      describe: 'how long to wait for you',
      fallback: '900 at a terminal, else 300',
    },
  ],
  examples: [
    { command: 'postern login https://example.com/mcp --name work', describe: 'log in, call it “work”' },
    { command: 'postern login work --no-browser', describe: 'on another machine (SSH)' },
    { command: 'postern login --from cursor', describe: 'one of Cursor’s servers' },
    { command: 'postern login --from cursor --all', describe: 'all of them' },
    { command: 'postern login work --browser-with firefox', describe: 'in that browser, now and later' },
    {
      command: 'postern login https://example.com/mcp --redirect-uri http://localhost:3118/callback',
      describe: 'where localhost is wanted, or a certain port and path',
    },
    {
      command: 'postern login work --client-credentials --client-id ci --generate-key',
      describe: 'make a key for a machine’s own login; once registered, log in without',
    },
  ],
  notes: [
    'Without --name a login is named after its domain: https://mcp.linear.app/mcp is “linear”, a second one “linear-2”. Stores: postern help stores.',
  ],
  seeAlso: ['logging-in', 'clients', 'security'],
} as const satisfies CommandTable;
