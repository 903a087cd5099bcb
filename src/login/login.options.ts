import type { CommandTable } from '../core/command.js';
import { assertionOptions } from '../stores/assertions/options.js';
import { headerOptions } from '../tokens/server-headers/header-options.js';
import { browserOptions } from './browser/browser-options.js';
import { providerOptions } from './company/options.js';

export const loginTable = {
  name: 'login',
  group: 'log-in',
  summary: 'log in to a protected server, in the browser',
  positionals: [
    {
      name: 'server',
      describe: 'the server’s URL, or the name of a login; with --from, what that program calls it',
      required: false,
    },
  ],
  options: [
    {
      name: 'name',
      kind: 'string',
      value: 'NAME',
      brief: 'what every other command calls it',
      describe: 'short name that every other command takes',
      fallback: 'made of the server’s domain',
    },
    {
      name: 'from',
      kind: 'string',
      value: 'PROGRAM',
      brief: 'a server that another program is set up for',
      describe: 'a server that another program is set up for (postern setup --list names the programs)',
    },
    {
      name: 'all',
      kind: 'boolean',
      brief: 'with --from: all servers of that program',
      describe: 'with --from: all servers of that program, one after the other',
      excludes: ['name', 'header-file', 'header-env'],
    },
    {
      name: 'expired',
      kind: 'boolean',
      brief: 'log in again to every login that has ended',
      describe: 'log in again to every login that has ended, one after the other',
      excludes: ['all', 'name', 'from', 'generate-key', 'header-file', 'header-env'],
    },
    {
      name: 'yes',
      alias: 'y',
      kind: 'boolean',
      brief: 'with --all: do not ask, however many',
      describe: 'with --all: do not ask, however many servers there are',
    },
    {
      name: 'force',
      kind: 'boolean',
      brief: 'log in again, though a valid login stands',
      describe: 'log in again without being asked, where a valid login stands',
    },
    {
      name: 'account',
      kind: 'string',
      value: 'NAME',
      default: 'default',
      brief: 'which of several logins for this server',
      describe: 'which of several logins for this server',
    },
    {
      name: 'scope',
      kind: 'list',
      value: 'SCOPE',
      brief: 'ask for these scopes; again for more',
      describe: 'ask for these scopes alone; again for more',
      fallback: 'what the server asks for, and what the login has',
    },
    {
      name: 'authorization-server',
      kind: 'string',
      value: 'ISSUER',
      env: 'POSTERN_AUTHORIZATION_SERVER',
      describe: 'which authorization server, where the server names several; the one that a client’s secret is for',
    },
    {
      name: 'authorization-param',
      kind: 'list',
      value: 'NAME=VALUE',
      describe:
        'add this to the authorization request (audience=…, kc_idp_hint=…), again for more; kept with the login. An empty value leaves one out',
      excludes: ['client-credentials', 'idp'],
    },
    {
      name: 'legacy',
      kind: 'boolean',
      describe:
        'where the server publishes no metadata: take its own origin for the authorization server, as in 2025-03-26, or that of --authorization-server; kept with the login',
    },
    ...headerOptions,
    {
      name: 'no-headers',
      kind: 'boolean',
      describe: 'forget the headers that are kept with this login',
      excludes: ['header-file', 'header-env'],
    },
    {
      name: 'resource',
      kind: 'string',
      value: 'AS_SPELLED',
      describe:
        'where the authorization server knows this server under another name: ask for a token for that (RFC 8707); kept with the login',
      fallback: 'what the server says of itself',
    },
    {
      name: 'no-resource',
      kind: 'boolean',
      describe:
        'where the authorization server takes no resource: do not name the server; kept with the login. The token may then be valid elsewhere, too',
      excludes: ['resource'],
    },
    // Whether the login is bound to a key (RFC 9449).
    {
      name: 'dpop',
      kind: 'boolean',
      describe:
        'only with a token that is bound to a key (DPoP); kept with the login. Without it: where the server asks for one',
    },
    {
      name: 'no-dpop',
      kind: 'boolean',
      describe:
        'with a Bearer token, though the server asks for one that is bound to a key (DPoP); kept with the login',
      excludes: ['dpop'],
    },
    {
      name: 'registration',
      kind: 'string',
      choices: ['preregistered', 'metadata', 'dynamic', 'ask'],
      value: 'WAY',
      describe: 'force one way to get a client identifier',
      fallback: 'the first that is open',
    },
    {
      name: 'client-id',
      kind: 'string',
      value: 'ID',
      env: 'POSTERN_CLIENT_ID',
      describe: 'a client registered before at this authorization server',
    },
    { name: 'client-secret-stdin', kind: 'boolean', describe: 'read the secret of --client-id from stdin' },
    {
      name: 'client-secret-file',
      kind: 'string',
      value: 'FILE',
      env: 'POSTERN_CLIENT_SECRET_FILE',
      describe: 'read the secret of --client-id from a file; name its --authorization-server, too',
    },
    {
      name: 'client-credentials',
      kind: 'boolean',
      describe: 'log in as the client itself: no person, no browser; with its secret or its key',
      excludes: ['no-browser', 'device', 'registration', 'redirect-port'],
    },
    {
      name: 'client-key-file',
      kind: 'string',
      value: 'FILE',
      describe: 'private key of --client-id (PEM, PKCS #8, or JWK; ES256 or RS256), for --client-credentials',
    },
    ...assertionOptions,
    ...providerOptions,
    {
      name: 'generate-key',
      kind: 'boolean',
      describe:
        'with --client-credentials: make a key for --client-id, print its public half to be registered, and log in later',
    },
    {
      name: 'key-algorithm',
      kind: 'string',
      choices: ['ES256', 'RS256'],
      default: 'ES256',
      value: 'NAME',
      describe: 'of --generate-key',
    },
    {
      name: 'client-metadata-url',
      kind: 'string',
      value: 'URL',
      env: 'POSTERN_CLIENT_METADATA_URL',
      describe: 'address of our client ID metadata document (see postern help client-metadata)',
      fallback: 'that of the release, if it has one',
    },
    {
      name: 'client-name',
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
      brief: 'keychain, file, helper:NAME, redis:URL',
      describe:
        'where its secrets are kept: keychain, file (sealed files), helper:NAME, or an engine that machines share: redis:URL',
      fallback: 'where the last login’s are, else keychain',
    },
    {
      name: 'timeout',
      kind: 'number',
      min: 10,
      max: 3600,
      value: 'SECONDS',
      env: 'POSTERN_TIMEOUT',
      brief: 'how long to wait for the person (default: 900)',
      describe: 'how long to wait for the answer in the browser',
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
    'Without --name a login is called by its server’s domain: https://mcp.linear.app/mcp is “linear”, a second one “linear-2”. A name that was another server’s is not given again unasked.',
  ],
  more: [
    'Where a valid login is there, you are asked at a terminal whether to log in again. Without one, and with --json, postern exits with 0 and says so, but for --client-credentials; --force logs in again.',
    'What a person types at a terminal always opens the browser. Without a terminal (an agent, an editor, stdin or stderr elsewhere) it opens, too, where there is a display and CI is not set: 3 tabs an hour at most for one login until a token of it has worked, 10 in all, one at a time for a server. --browser lifts what CI and --non-interactive forbid, not these limits.',
    'Limits: 5 s to connect, 10 s for a request, 30 s for discovery in all, 15 s each for registration and token; 256 KiB for a metadata document, 64 KiB for a registration or token; 5 s for the keychain or a credential helper, 120 s to unlock it. A code to type (--device) is asked about for 30 minutes at most, however long it lasts. postern config shows them all, and how to change them.',
    'Logins to one server at the same time open one browser tab: the others wait, --timeout at most, and take the login that comes of it if it is what they ask for.',
    '--legacy is for servers of 2025-03-26, which name no authorization server. It counts only where no protected resource metadata is found. With --authorization-server the login goes there, as it does with --authorization-server and --client-id, and with --authorization-server alone where the server asks for no login. What it costs: nothing says that the token is for this server alone, and every login there says so.',
    '--no-resource and --resource are for authorization servers that refuse the resource which the server names (Entra: AADSTS9010010). What they cost: resource is what makes a token valid for this server alone, so one that was asked for otherwise may be valid elsewhere, and this server could use it there. Every login says so, status shows it, refreshes and later logins keep to it, and --resource with the server’s own spelling ends it.',
    '--authorization-param is for what an authorization server wants beside the standard: --authorization-param audience=https://api.example (Auth0), kc_idp_hint=github (Keycloak), domain_hint=example.com (Entra). It goes into the address of the login page, so it is no place for a secret. The next login sends the same where it gives none of its own. Google’s accounts.google.com gets access_type=offline and prompt=consent anyway, without which it gives no refresh token.',
    '--redirect-uri is for authorization servers that take one host alone, a certain path, or a certain port: without a port any free one is used. The listener stays on loopback; for localhost it needs the port at 127.0.0.1 and at ::1, as a browser may take either. It is kept for its authorization server once a login has worked; http://127.0.0.1/callback ends that.',
    '--listen-address changes where the listener is, and not the redirect address, which is your own computer’s: docker run -p 127.0.0.1:3118:3118, then --redirect-uri http://127.0.0.1:3118/callback --listen-address 0.0.0.0 (with localhost, publish it at [::1], too). Whatever reaches the container can then send requests to the listener, which takes one answer with this login’s state. It is never kept.',
    '--from reads addresses and names out of that program’s configuration, never a token. Without a terminal it prints the commands to run; with --all it logs in to each server that has no valid login, says how each went, and exits as the first one that failed. Before more than 5 of them it says how many and which, and asks; without a terminal, and with --json, it needs --yes.',
    '--store file, for machines without a keychain: one file each in the state folder, sealed with AES-256-GCM. The key comes from the file that POSTERN_STORE_KEY_FILE names (32 random bytes or more, outside of that folder, closed to others), from systemd’s credential postern-store-key, or from a passphrase asked for at the terminal.',
    '--store helper:NAME: the program docker-credential-NAME on the PATH (pass, secretservice, osxkeychain, wincred and others), 5 s for each use. --store redis:URL: see postern help stores. There is no store “memory” to choose: its logins would end with the command that made them.',
    'With --client-credentials the secret or the key is kept in the keychain with the login, which renews itself by asking again; the file is not read again and can be deleted.',
    'With --assertion-file, --assertion-env or --assertion-command a machine logs in by a token that its platform signs (GitHub Actions, Kubernetes, SPIFFE): no secret is kept, only where the token is. It goes to the authorization server that this login was made at, and to no other, and only where its audience is that issuer alone. See: postern help machines',
    'With --idp you log in once at your company’s provider, and each server’s token comes by that: its ID token is exchanged for a grant (ID-JAG) that is checked before it goes on. --client-id is then the client at the server’s own authorization server. See: postern help company',
    'With --generate-key the private half never leaves the store, and what is printed is a JWK Set (RFC 7517) for the authorization server. The next login --client-credentials --client-id ID uses it. To change a key, generate another: both are printed, both can be registered, and the first login that works with the new one removes the old one.',
    'Headers (--header-file, --header-env) are for servers behind a gateway that wants a key, or the name of a tenant. They are kept in the store with the login, and sent with each of its requests to the server’s own address; their names stand in postern status -l. The next login keeps them where it gives no others; --no-headers drops them.',
    '--client-name is for authorization servers that register known names alone: give the one that their operator has agreed to. It has the client registered anew where it is called otherwise. --login-hint and --prompt are for this login alone (OpenID Connect Core 1.0, section 3.1.2.1); what --prompt says takes the place of consent, without which some authorization servers give no lasting login: --prompt select_account --prompt consent asks for both.',
  ],
  seeAlso: ['logging-in', 'clients', 'stores', 'security'],
} as const satisfies CommandTable;
