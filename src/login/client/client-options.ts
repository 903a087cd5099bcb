import type { ArgumentsOf, CommandOutput } from '../../core/command.js';
import type { CorePorts, Files } from '../../core/ports.js';
import { readWhole } from '../../core/read-whole.js';
import { Secret } from '../../core/secret.js';
import { quoted, shellWord } from '../../core/text/printable.js';
import type { loginTable } from '../login.options.js';
import type { PreregisteredClient } from '../ports.js';
import type { OwnClient } from './client-credentials.js';
import {
  clientKeyWithoutGrant,
  clientProofTwice,
  clientSecretMissing,
  clientSecretUnasked,
  clientSecretWithoutClient,
  keyNotToBeMade,
} from './failures.js';

/** What it takes to read a client's secret. */
export interface ClientWorld extends Pick<CommandOutput, 'tell' | 'signal'>, Pick<CorePorts, 'terminal'> {
  readonly files: Files;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The arguments of `login`, its server known. */
export type LoginArguments = ArgumentsOf<typeof loginTable> & { readonly server: string };

const secretVariable = 'POSTERN_CLIENT_SECRET_FILE';

/** Longest client secret or key that is read, in bytes. */
const longestSecret = 16 * 1024;

/**
 * The pre-registered client of a login by a person.
 * @throws Failure `usage`, `file_unreadable`
 */
export async function readClient(world: ClientWorld, args: LoginArguments): Promise<PreregisteredClient | undefined> {
  if (args.clientKeyFile !== undefined && !args.clientCredentials) throw clientKeyWithoutGrant();
  const wantsSecret = args.clientSecretStdin || args.clientSecretFile !== undefined;
  if (args.clientId === undefined) {
    if (wantsSecret) throw clientSecretWithoutClient();
    return undefined;
  }
  const secret = wantsSecret ? await readSecret(world, args) : undefined;
  return {
    clientId: args.clientId,
    secret,
    unbound: args.authorizationServer === undefined && isFromVariable(world, args),
    issuer: args.authorizationServer,
    redirectUri: undefined,
  };
}

/** Was the secret typed with this login? A variable stands for every login. */
function isFromVariable(
  { env }: ClientWorld,
  { clientSecretStdin, clientSecretFile }: Pick<LoginArguments, 'clientSecretStdin' | 'clientSecretFile'>,
): boolean {
  return !clientSecretStdin && clientSecretFile !== undefined && clientSecretFile === env[secretVariable];
}

/**
 * The client that variables give to every command that logs in; undefined without POSTERN_CLIENT_ID.
 * @throws Failure `usage`, `file_unreadable`, `configuration_unusable`
 */
export async function variableClient(world: ClientWorld): Promise<PreregisteredClient | undefined> {
  const set = (name: string) => world.env[name] || undefined;
  const [clientId, clientSecretFile] = [set('POSTERN_CLIENT_ID'), set(secretVariable)];
  if (clientId === undefined) return undefined;
  const issuer = set('POSTERN_AUTHORIZATION_SERVER');
  const secret =
    clientSecretFile === undefined
      ? undefined
      : await readSecret(world, { clientSecretStdin: false, clientSecretFile });
  return { clientId, secret, unbound: issuer === undefined, issuer, redirectUri: undefined };
}

/**
 * The client that logs in as itself: with a key, with a secret, with the key that was made here for it; or, when nothing
 * is given, the one of the login that is renewed.
 * @throws Failure `usage`, `file_unreadable`
 */
export async function readOwnClient(world: ClientWorld, args: LoginArguments): Promise<OwnClient | undefined> {
  const { clientKeyFile, clientId } = args;
  const client = await readClient(world, { ...args, clientCredentials: true });
  if (clientKeyFile === undefined) {
    if (client !== undefined && client.secret === undefined) return { clientId: client.clientId, kind: 'made' };
    const unbound = client?.unbound === true;
    return client?.secret && { clientId: client.clientId, secret: client.secret, kind: 'secret', unbound };
  }
  if (clientId === undefined || client?.secret !== undefined) {
    throw clientId === undefined ? clientSecretWithoutClient() : clientProofTwice();
  }
  const bytes = await readWhole(world.files.read(clientKeyFile), clientKeyFile, longestSecret);
  await noteOpenFile(world, clientKeyFile);
  return { clientId, secret: new Secret(new TextDecoder().decode(bytes)), kind: 'key' };
}

/**
 * The client that a key is to be made for.
 * @throws Failure `usage`
 */
export function clientOfNewKey(args: LoginArguments): string {
  const { clientId, clientCredentials } = args;
  if (!clientCredentials || clientId === undefined) {
    throw keyNotToBeMade(
      'it is for a client that logs in as itself, and which one was not said',
      'Pass --client-credentials and --client-id ID with --generate-key.',
    );
  }
  if (args.clientKeyFile !== undefined || args.clientSecretFile !== undefined || args.clientSecretStdin) {
    throw keyNotToBeMade(
      'a key or a secret was given, too',
      'Leave it out, or leave out --generate-key to log in with it.',
    );
  }
  return clientId;
}

async function readSecret(
  world: ClientWorld,
  args: Pick<LoginArguments, 'clientSecretStdin' | 'clientSecretFile'>,
): Promise<Secret> {
  const { files, terminal } = world;
  // An option that was typed goes before a file that the environment names.
  const file = args.clientSecretStdin ? undefined : args.clientSecretFile;
  const source = file ?? 'stdin';
  if (file === undefined && files.stdinIsTerminal) {
    if (!terminal.interactive) throw clientSecretUnasked();
    const typed = await terminal.ask('Client secret: ', { hidden: true, signal: world.signal });
    return secretOf(typed ?? '', source);
  }
  const chunks = file === undefined ? files.stdin() : files.read(file);
  const bytes = await readWhole(chunks, source, longestSecret);
  if (file !== undefined) await noteOpenFile(world, file);
  return secretOf(new TextDecoder().decode(bytes), source);
}

/** Not refused: what mounts secrets into containers gives them such modes. */
async function noteOpenFile({ files, tell }: ClientWorld, path: string): Promise<void> {
  if (!(await files.isOpenToOthers(path))) return;
  tell(
    `Note: other users of this machine may read ${quoted(path)}. To keep it to yourself: chmod 600 ${shellWord(path)}`,
  );
}

function secretOf(text: string, source: string): Secret {
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw clientSecretMissing(source);
  return new Secret(value);
}
