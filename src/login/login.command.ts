import type { Command, CommandContext } from '../app/context.js';
import {
  defaultAccount,
  isStoreChoice,
  type LoginRecord,
  type StoreKind,
  whyNoStore,
} from '../core/records.js';
import { parseScope } from '../core/scope.js';
import { argumentRefused } from '../core/usage-failures.js';
import { readLoginTarget } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { clientCredentialsLogin } from './client/client-credentials.js';
import { clientOfNewKey, type LoginArguments, readClient, readOwnClient } from './client/client-options.js';
import { makeKeyForLogin } from './client/made-keys.js';
import { deviceLogin } from './device/device-login.js';
import { withServer } from './import-servers.js';
import { login } from './log-in.js';
import { loginTable } from './login.options.js';
import { loginDefaults } from './login-options.js';
import { loginTogether } from './one-login-at-a-time.js';
import { loginJson, loginLines, loginStatus, newKeyLines } from './render.js';

export const command: Command<typeof loginTable> = {
  table: loginTable,
  async run(context, given) {
    const { ports } = context;
    const args = await withServer(context, given);
    if (args === undefined) {
      return 0;
    }
    if (args.generateKey) {
      return printNewKey(context, args);
    }
    const record = args.clientCredentials
      ? await loginAsClient(context, args)
      : await loginAsPerson(context, args);
    const now = ports.clock.now();
    const status = loginStatus(record, now);
    if (context.options.json) {
      await context.out.json(loginJson(status));
    } else {
      await context.out.line(['Logged in.', ...loginLines(status, now)].join('\n'));
    }
    return 0;
  },
};

/** The public half goes to stdout, so that it can be piped; what to do with it, to the person. */
async function printNewKey(context: CommandContext, args: LoginArguments): Promise<0> {
  const { ports, signal } = context;
  const clientId = clientOfNewKey(args);
  const { server } = await readLoginTarget(ports, args.server, args.account);
  const made = await makeKeyForLogin(ports, {
    server,
    issuer: args.authorizationServer,
    clientId,
    algorithm: args.keyAlgorithm,
    store: readStore(args.store) ?? (await context.configuration()).store,
    signal,
  });
  await context.out.json({ keys: made.keys });
  for (const line of newKeyLines(made, wordsOf(args))) context.tell(line);
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
  if (text !== undefined && !isStoreChoice(text)) {
    throw argumentRefused('--store', whyNoStore(text));
  }
  return text;
}

async function loginAsPerson(context: CommandContext, args: LoginArguments): Promise<LoginRecord> {
  const { ports } = context;
  const { server, account } = await readLoginTarget(ports, args.server, args.account);
  const scopes = readScopes(args.scope);
  const store = readStore(args.store);
  const { logins } = await ports.index.read();
  const seen = logins.find((one) => one.server === server && one.account === account);
  const defaults = await loginDefaults(context, {
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
    client: await readClient(context, args),
    metadataUrl: args.clientMetadataUrl ?? documentOf(defaults.metadataUrl, seen),
    store: store ?? defaults.store,
    redirectPort: args.redirectPort ?? defaults.redirectPort,
    timeoutMs: args.timeout === undefined ? defaults.timeoutMs : args.timeout * 1000,
    seen,
  };
  return loginTogether(ports, request, args.device ? deviceLogin : login);
}

async function loginAsClient(context: CommandContext, args: LoginArguments): Promise<LoginRecord> {
  const { ports, signal } = context;
  return clientCredentialsLogin(ports, {
    ...(await readLoginTarget(ports, args.server, args.account)),
    name: args.name,
    scopes: readScopes(args.scope),
    issuer: args.authorizationServer,
    client: await readOwnClient(context, args),
    store: readStore(args.store) ?? (await context.configuration()).store,
    signal,
  });
}

function readScopes(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) {
    return undefined;
  }
  const parsed = parseScope(words.join(' '));
  if (!parsed.ok) {
    throw argumentRefused('--scope', `it ${parsed.problem}`);
  }
  return parsed.scopes;
}
