import type { Command, CommandOutput } from '../core/command.js';
import { defaultAccount, isStoreChoice, type LoginRecord, type StoreKind, whyNoStore } from '../core/records.js';
import { parseScope } from '../core/scope.js';
import { argumentRefused } from '../core/usage-failures.js';
import { readLoginTarget } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { clientCredentialsLogin } from './client/client-credentials.js';
import { clientOfNewKey, type LoginArguments, readClient, readOwnClient } from './client/client-options.js';
import { makeKeyForLogin } from './client/made-keys.js';
import { deviceLogin } from './device/device-login.js';
import { type ImportWorld, withServer } from './import-servers.js';
import { login } from './log-in.js';
import { loginTable } from './login.options.js';
import { type LoginWorld, loginDefaults } from './logins.js';
import { loginTogether } from './one-login-at-a-time.js';
import { loginJson, loginLines, loginStatus, newKeyLines } from './render.js';

type World = LoginWorld & ImportWorld & CommandOutput;

export const command: Command<typeof loginTable, World> = {
  table: loginTable,
  async run(world, given) {
    const args = await withServer(world, given);
    if (args === undefined) return 0;
    if (args.generateKey) return printNewKey(world, args);
    const record = args.clientCredentials ? await loginAsClient(world, args) : await loginAsPerson(world, args);
    const now = world.clock.now();
    const status = loginStatus(record, now);
    if (world.json) {
      await world.out.json(loginJson(status));
    } else {
      await world.out.line(['Logged in.', ...loginLines(status, now)].join('\n'));
    }
    return 0;
  },
};

/** The public half goes to stdout, so that it can be piped; what to do with it, to the person. */
async function printNewKey(world: World, args: LoginArguments): Promise<0> {
  const { signal } = world;
  const clientId = clientOfNewKey(args);
  const { server } = await readLoginTarget(world, args.server, args.account);
  const made = await makeKeyForLogin(world, {
    server,
    issuer: args.authorizationServer,
    clientId,
    algorithm: args.keyAlgorithm,
    store: readStore(args.store) ?? (await world.configuration()).store,
    signal,
  });
  await world.out.json({ keys: made.keys });
  for (const line of newKeyLines(made, wordsOf(args))) world.tell(line);
  return 0;
}

/** What says which login it is, and where. */
function wordsOf({ server, account, name, store, authorizationServer }: LoginArguments): readonly string[] {
  return [
    server,
    ...(account === defaultAccount ? [] : ['--account', account]),
    ...(name === undefined ? [] : ['--name', name]),
    ...(store === undefined ? [] : ['--store', store]),
    ...(authorizationServer === undefined ? [] : ['--authorization-server', authorizationServer]),
  ];
}

function readStore(text: string | undefined): StoreKind | undefined {
  if (text !== undefined && !isStoreChoice(text)) throw argumentRefused('--store', whyNoStore(text));
  return text;
}

async function loginAsPerson(world: World, args: LoginArguments): Promise<LoginRecord> {
  const { server, account } = await readLoginTarget(world, args.server, args.account);
  const scopes = readScopes(args.scope);
  const store = readStore(args.store);
  const { logins } = await world.index.read();
  const seen = logins.find((one) => one.server === server && one.account === account);
  const defaults = await loginDefaults(world, {
    login: { server, account, name: seen?.name },
    of: 'login',
    browser: args.browser,
    noBrowser: args.noBrowser || args.device,
  });
  const request = {
    ...defaults,
    server,
    account,
    name: args.name,
    scopes,
    heldScopes: [],
    issuer: args.authorizationServer,
    registration: args.registration,
    client: await readClient(world, args),
    metadataUrl: args.clientMetadataUrl ?? documentOf(defaults.metadataUrl, seen),
    store: store ?? defaults.store,
    redirectPort: args.redirectPort ?? defaults.redirectPort,
    timeoutMs: args.timeout === undefined ? defaults.timeoutMs : args.timeout * 1000,
    seen,
  };
  return loginTogether(world, request, args.device ? deviceLogin : login);
}

async function loginAsClient(world: World, args: LoginArguments): Promise<LoginRecord> {
  return clientCredentialsLogin(world, {
    ...(await readLoginTarget(world, args.server, args.account)),
    name: args.name,
    scopes: readScopes(args.scope),
    issuer: args.authorizationServer,
    client: await readOwnClient(world, args),
    store: readStore(args.store) ?? (await world.configuration()).store,
    signal: world.signal,
  });
}

function readScopes(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const parsed = parseScope(words.join(' '));
  if (!parsed.ok) throw argumentRefused('--scope', `it ${parsed.problem}`);
  return parsed.scopes;
}
