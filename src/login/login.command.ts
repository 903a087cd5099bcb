import type { ArgumentsOf, Command, CommandOutput, CommandTable } from '../core/command.js';
import { defaultAccount, isStoreChoice, type LoginRecord, type StoreKind, whyNoStore } from '../core/records.js';
import { parseScope } from '../core/scope.js';
import { argumentRefused } from '../core/usage-failures.js';
import { readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { clientOfNewKey, readClient } from './client/client-options.js';
import { type ImportWorld, withServer } from './import-servers.js';
import type { LoginWorld } from './logins.js';
import { loginJson, loginLines, loginStatus, newKeyLines } from './render.js';

export const loginTable = {
  name: 'login',
  summary: 'log in to a protected server in the browser, and keep the login',
  positionals: [
    {
      name: 'server',
      describe: 'the server’s URL, or the name of a login; with --from, what that program calls it',
      required: false,
    },
  ],
  options: [
    { name: 'name', kind: 'string', value: 'NAME', describe: 'short name that every other command takes' },
    {
      name: 'from',
      kind: 'string',
      value: 'PROGRAM',
      describe: 'a server that another program is set up for (postern setup --list names the programs)',
    },
    {
      name: 'account',
      kind: 'string',
      value: 'NAME',
      default: 'default',
      describe: 'which of several logins for this server',
    },
    {
      name: 'scope',
      kind: 'list',
      value: 'SCOPE',
      describe: 'ask for these scopes, not for what the server asks for; again for more',
    },
    {
      name: 'authorization-server',
      kind: 'string',
      value: 'ISSUER',
      env: 'POSTERN_AUTHORIZATION_SERVER',
      describe:
        'which authorization server, where the server names several; the one that a client of variables is registered at',
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
      describe:
        'read the secret of --client-id from a file; from the variable it goes to POSTERN_AUTHORIZATION_SERVER only',
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
      name: 'redirect-port',
      kind: 'number',
      min: 1024,
      max: 65_535,
      value: 'PORT',
      env: 'POSTERN_REDIRECT_PORT',
      describe: 'port of the callback listener on 127.0.0.1',
      fallback: 'any free one',
    },
    {
      name: 'store',
      kind: 'string',
      value: 'STORE',
      env: 'POSTERN_STORE',
      describe: 'where its secrets are kept: keychain, file (sealed files), or helper:NAME',
      fallback: 'where the last login’s are, else keychain',
    },
    {
      name: 'browser',
      kind: 'boolean',
      describe: 'open the browser although CI is set, or --non-interactive was given',
      excludes: ['no-browser', 'device', 'client-credentials'],
    },
    {
      name: 'no-browser',
      kind: 'boolean',
      describe:
        'print the address instead, and a code where the authorization server offers that; the redirect URL can be pasted at the prompt',
    },
    {
      name: 'device',
      kind: 'boolean',
      describe: 'show a code to type in a browser anywhere, where the authorization server offers that',
      excludes: ['redirect-port'],
    },
    {
      name: 'timeout',
      kind: 'number',
      min: 10,
      max: 3600,
      value: 'SECONDS',
      env: 'POSTERN_TIMEOUT',
      describe: 'how long to wait for the answer in the browser',
      fallback: '900 at a terminal, else 300',
    },
  ],
  examples: [
    { command: 'postern login https://example.com/mcp --name work', describe: 'log in, call it “work”' },
    { command: 'postern login work --no-browser', describe: 'from another machine, over SSH' },
    { command: 'postern login --from cursor', describe: 'choose among the servers that Cursor knows' },
    {
      command: 'postern login work --client-credentials --client-id ci --generate-key',
      describe: 'make a key for a machine’s own login; once registered, log in without',
    },
  ],
  notes: [
    'Logins to one server at the same time open one browser tab: the others wait, --timeout at most, and take the login that comes of it if it is what they ask for.',
    'What a person types at a terminal always opens the browser. Without a terminal (an agent, an editor, stdin or stderr elsewhere) it opens, too, where there is a display and CI is not set: 3 tabs an hour at most for one login until a token of it has worked, 10 in all, one at a time for a server. --browser lifts what CI and --non-interactive forbid, not these limits.',
    '--from reads addresses and names out of that program’s configuration, never a token. Without a terminal it prints the commands to run.',
    '--store file, for machines without a keychain: one file each in the state folder, sealed with AES-256-GCM. The key comes from the file that POSTERN_STORE_KEY_FILE names (32 random bytes or more, outside of that folder, closed to others), from systemd’s credential postern-store-key, or from a passphrase asked for at the terminal.',
    '--store helper:NAME: the program docker-credential-NAME on the PATH (pass, secretservice, osxkeychain, wincred and others), 5 s for each use. There is no store “memory” to choose: its logins would end with the command that made them.',
    'With --client-credentials the secret or the key is kept in the keychain with the login, which renews itself by asking again; the file is not read again and can be deleted.',
    'With --generate-key the private half never leaves the store, and what is printed is a JWK Set (RFC 7517) for the authorization server. The next login --client-credentials --client-id ID uses it. To change a key, generate another: both are printed, both can be registered, and the first login that works with the new one removes the old one.',
    'Limits: 5 s to connect, 10 s for a request, 30 s for discovery in all, 15 s each for registration and token; 256 KiB for a metadata document, 64 KiB for a registration or token; 5 s for the keychain or a credential helper, 120 s to unlock it. A code to type (--device) is asked about for 30 minutes at most, however long it lasts. postern config shows them all, and how to change them.',
  ],
} as const satisfies CommandTable;

type World = LoginWorld & ImportWorld & CommandOutput;

type Arguments = ArgumentsOf<typeof loginTable> & { readonly server: string };

export const command: Command<typeof loginTable, World> = {
  table: loginTable,
  async run(world, given) {
    const args = await withServer(world, given);
    if (args === undefined) return 0;
    if (args.generateKey) return printNewKey(world, args);
    const record = args.clientCredentials ? await loginAsClient(world, args) : await loginAsPerson(world, args);
    const now = world.clock.now();
    const status = loginStatus(record, now);
    if (world.json) await world.out.json(loginJson(status));
    else await world.out.line(['Logged in.', ...loginLines(status, now)].join('\n'));
    return 0;
  },
};

/** The public half goes to stdout, so that it can be piped; what to do with it, to the person. */
async function printNewKey(world: World, args: Arguments): Promise<0> {
  const clientId = clientOfNewKey(args);
  const { makeKeyForLogin } = await import('./client/made-keys.js');
  const { server } = await readLoginTarget(world, args.server, args.account);
  const store = await storeOf(world, args);
  const { authorizationServer: issuer, keyAlgorithm: algorithm } = args;
  const made = await makeKeyForLogin(world, { server, issuer, clientId, algorithm, store, signal: world.signal });
  await world.out.json({ keys: made.keys });
  for (const line of newKeyLines(made, wordsOf(args))) world.tell(line);
  return 0;
}

/** What says which login it is, and where. */
function wordsOf({ server, account, name, store, authorizationServer }: Arguments): readonly string[] {
  const word = (option: string, value: string | undefined) => (value === undefined ? [] : [option, value]);
  return [
    server,
    ...word('--account', account === defaultAccount ? undefined : account),
    ...word('--name', name),
    ...word('--store', store),
    ...word('--authorization-server', authorizationServer),
  ];
}

/** What the command line alone says of a login. */
async function requestOf(world: World, args: Arguments) {
  return {
    ...(await readLoginTarget(world, args.server, args.account)),
    name: args.name,
    scopes: { named: readScopes(args.scope), held: [] },
    issuer: args.authorizationServer,
    store: await storeOf(world, args),
    signal: world.signal,
  };
}

async function loginAsPerson(world: World, args: Arguments): Promise<LoginRecord> {
  const { loginDefaults } = await import('./logins.js');
  const { loginTogether } = await import('./one-login-at-a-time.js');
  const logIn = args.device
    ? (await import('./device/device-login.js')).deviceLogin
    : (await import('./log-in.js')).login;
  const asked = await requestOf(world, args);
  const seen = sameLogin((await world.index.read()).logins, asked);
  const { client, person } = await loginDefaults(world, {
    login: { server: asked.server, account: asked.account, name: seen?.name },
    of: 'login',
    browser: args.browser,
    noBrowser: args.noBrowser || args.device,
  });
  const given = await readClient(world, args);
  const metadataUrl = args.clientMetadataUrl ?? documentOf(client.metadataUrl, seen);
  const redirectPort = args.redirectPort ?? person.redirectPort;
  const timeoutMs = args.timeout === undefined ? person.timeoutMs : args.timeout * 1000;
  const request = {
    ...asked,
    client: { way: args.registration, given, configured: client.configured, metadataUrl },
    person: { ...person, redirectPort, timeoutMs },
  };
  return loginTogether(world, request, seen, logIn);
}

async function loginAsClient(world: World, args: Arguments): Promise<LoginRecord> {
  const { clientCredentialsLogin } = await import('./client/client-credentials.js');
  const given = await readClient(world, args);
  const client = { way: undefined, given, configured: [], metadataUrl: undefined };
  return clientCredentialsLogin(world, { ...(await requestOf(world, args)), client });
}

async function storeOf(world: World, { store }: Arguments): Promise<StoreKind | undefined> {
  if (store === undefined) return (await world.configuration()).store;
  if (!isStoreChoice(store)) throw argumentRefused('--store', whyNoStore(store));
  return store;
}

function readScopes(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const parsed = parseScope(words.join(' '));
  if (!parsed.ok) throw argumentRefused('--scope', `it ${parsed.problem}`);
  return parsed.scopes;
}
