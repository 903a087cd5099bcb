import { argumentRefused, clientSecretMissing, clientSecretWithoutClient } from '../../errors/usage.js';
import type { PreregisteredClient } from '../../flows/login/identify-client.js';
import { login } from '../../flows/login/login.js';
import { loginStatus } from '../../flows/status.js';
import type { StoreKind } from '../../primitives/records.js';
import { parseScope } from '../../primitives/scope.js';
import { Secret } from '../../primitives/secret.js';
import { isStoreChoice, storeChoices } from '../../primitives/store-kind.js';
import type { Command, CommandContext } from '../command.js';
import { loginDefaults } from '../login-request.js';
import { readWhole } from '../read-whole.js';
import { readLoginTarget } from '../server-argument.js';
import type { ArgumentsOf } from '../table.js';
import { loginJson, loginLines } from '../words/login-words.js';
import { loginTable } from './login.table.js';

type Arguments = ArgumentsOf<typeof loginTable>;

/** Longest client secret that is read, in bytes. */
const longestSecret = 16 * 1024;

export const command: Command<typeof loginTable> = {
  table: loginTable,
  async run(context, args) {
    const { ports } = context;
    const { server, account } = await readLoginTarget(ports, args.server, args.account);
    const scopes = readScopes(args.scope);
    const defaults = await loginDefaults(context, { server, noBrowser: args.noBrowser });
    const record = await login(ports, {
      ...defaults,
      server,
      account,
      name: args.name,
      scopes,
      heldScopes: [],
      issuer: args.authorizationServer,
      registration: args.registration,
      client: await readClient(context, args),
      metadataUrl: args.clientMetadataUrl ?? defaults.metadataUrl,
      store: readStore(args.store) ?? defaults.store,
      redirectPort: args.redirectPort ?? defaults.redirectPort,
      timeoutMs: args.timeout === undefined ? defaults.timeoutMs : args.timeout * 1000,
    });
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

function readStore(text: string | undefined): StoreKind | undefined {
  if (text !== undefined && !isStoreChoice(text)) {
    throw argumentRefused('--store', `it is none of ${storeChoices}`);
  }
  return text;
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

async function readClient(
  context: CommandContext,
  args: Arguments,
): Promise<PreregisteredClient | undefined> {
  const wantsSecret = args.clientSecretStdin || args.clientSecretFile !== undefined;
  if (args.clientId === undefined) {
    if (wantsSecret) {
      throw clientSecretWithoutClient();
    }
    return undefined;
  }
  const secret = wantsSecret ? await readSecret(context, args) : undefined;
  return { clientId: args.clientId, secret, issuer: args.authorizationServer, redirectUri: undefined };
}

async function readSecret(context: CommandContext, args: Arguments): Promise<Secret> {
  const { files, ports } = context;
  // An option that was typed goes before a file that the environment names.
  const file = args.clientSecretStdin ? undefined : args.clientSecretFile;
  const source = file ?? 'stdin';
  if (file === undefined && files.stdinIsTerminal) {
    const typed = await ports.terminal.ask('Client secret: ', { hidden: true, signal: context.signal });
    return secretOf(typed ?? '', source);
  }
  const chunks = file === undefined ? files.stdin() : files.read(file);
  const bytes = await readWhole(chunks, source, longestSecret);
  return secretOf(new TextDecoder().decode(bytes), source);
}

function secretOf(text: string, source: string): Secret {
  const value = text.replace(/\r?\n$/, '');
  if (value === '') {
    throw clientSecretMissing(source);
  }
  return new Secret(value);
}
