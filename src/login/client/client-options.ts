import type { CommandOutput } from '../../core/command.js';
import { isFailure } from '../../core/failure.js';
import type { AssertionOptions, CorePorts, Files } from '../../core/ports.js';
import { readWhole } from '../../core/read-whole.js';
import { parseScope } from '../../core/scope.js';
import { Secret } from '../../core/secret.js';
import { quotedPath, shellWord } from '../../core/text/printable.js';
import { argumentRefused } from '../../core/usage-failures.js';
import type { PreregisteredClient } from '../ports.js';
import { checkAssertionOptions, namesAssertion, readAssertion } from './assertion-options.js';
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

/** What of a command line says as which client to log in. */
export interface ClientArguments extends AssertionOptions {
  readonly clientId: string | undefined;
  readonly clientSecretStdin: boolean;
  readonly clientSecretFile: string | undefined;
  readonly clientKeyFile: string | undefined;
  readonly clientCredentials: boolean;
  readonly authorizationServer: string | undefined;
}

const secretVariable = 'POSTERN_CLIENT_SECRET_FILE';

/** Longest client secret or key that is read, in bytes. */
const maxSecretBytes = 16 * 1024;

/** Whether the options that say as which client to log in go together. @throws Failure `usage` */
export function checkClient(args: ClientArguments): void {
  const { clientId, clientSecretStdin, clientSecretFile, clientKeyFile } = args;
  if (clientKeyFile !== undefined && !args.clientCredentials) throw clientKeyWithoutGrant();
  const wantsSecret = clientSecretStdin || clientSecretFile !== undefined;
  if (clientId === undefined && (wantsSecret || clientKeyFile !== undefined)) throw clientSecretWithoutClient();
  if (wantsSecret && clientKeyFile !== undefined) throw clientProofTwice();
  checkAssertionOptions(args);
  if (namesAssertion(args) && (clientSecretStdin || clientKeyFile !== undefined)) throw clientProofTwice();
}

/**
 * The client that options name, with its secret or key.
 * @throws Failure `usage`, `file_unreadable`
 */
export async function readClient(world: ClientWorld, args: ClientArguments): Promise<PreregisteredClient | undefined> {
  checkClient(args);
  const { clientId, clientSecretStdin, clientKeyFile, authorizationServer: issuer } = args;
  // A token that was typed goes before a secret that the environment names.
  const isOfVariable = args.clientSecretFile === world.env[secretVariable];
  const clientSecretFile = namesAssertion(args) && isOfVariable ? undefined : args.clientSecretFile;
  const wantsSecret = clientSecretStdin || clientSecretFile !== undefined;
  const hasProof = wantsSecret || clientKeyFile !== undefined;
  const assertion = clientId === undefined ? undefined : readAssertion(args, world.env, { hasProof });
  if (clientId === undefined) return undefined;
  if (assertion !== undefined && hasProof) throw clientProofTwice();
  if (assertion !== undefined) return { clientId, secret: undefined, assertion, issuer, redirectUri: undefined };
  // An option that was typed goes before a file that the environment names.
  const secret = wantsSecret ? await readSecret(world, clientSecretStdin ? undefined : clientSecretFile) : undefined;
  const key =
    clientKeyFile === undefined ? {} : { key: new Secret(await readFile(world, clientKeyFile, '--client-key-file')) };
  return { clientId, secret, ...key, issuer, redirectUri: undefined };
}

/**
 * The client that variables give to every command that logs in; undefined without POSTERN_CLIENT_ID.
 * @throws Failure `usage`, `file_unreadable`, `configuration_unusable`
 */
export async function variableClient(world: ClientWorld): Promise<PreregisteredClient | undefined> {
  const set = (name: string) => world.env[name] || undefined;
  const [clientId, file] = [set('POSTERN_CLIENT_ID'), set(secretVariable)];
  if (clientId === undefined) return undefined;
  const issuer = set('POSTERN_AUTHORIZATION_SERVER');
  const secret = file === undefined ? undefined : await readSecret(world, file);
  return { clientId, secret, issuer, redirectUri: undefined };
}

/**
 * The client that a key is to be made for.
 * @throws Failure `usage`
 */
export function clientOfNewKey(args: ClientArguments): string {
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

/** What `--scope` says; undefined where it was not given. @throws Failure `usage` */
export function readScopes(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const parsed = parseScope(words.join(' '));
  if (!parsed.ok) throw argumentRefused('--scope', `it ${parsed.problem}`, 'postern login --help');
  return parsed.scopes;
}

/**
 * The secret alone in a file, or on stdin.
 * @param path Undefined: stdin. @param option What names the file, where no variable does.
 * @throws Failure `file_unreadable`, `usage`
 */
export async function readSecret(
  world: ClientWorld,
  path: string | undefined,
  option = '--client-secret-file',
): Promise<Secret> {
  const setting = path === world.env[secretVariable] ? secretVariable : option;
  const text = await (path === undefined ? readStdin(world) : readFile(world, path, setting));
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw clientSecretMissing(path ?? 'stdin');
  return new Secret(value);
}

async function readStdin({ files, terminal, signal }: ClientWorld): Promise<string> {
  if (!files.stdinIsTerminal) return new TextDecoder().decode(await readWhole(files.stdin(), 'stdin', maxSecretBytes));
  if (!terminal.interactive) throw clientSecretUnasked();
  return (await terminal.ask('Client secret: ', { hidden: true, signal })) ?? '';
}

/** One that others may read is not refused: what mounts secrets into containers gives them such modes. */
async function readFile({ files, tell }: ClientWorld, path: string, setting: string): Promise<string> {
  const bytes = await readWhole(files.read(path), path, maxSecretBytes).catch((error: unknown) => {
    throw isFailure(error, 'file_unreadable') ? error.withRemedy(`Check ${setting}.`) : error;
  });
  if (await files.isOpenToOthers(path)) {
    tell(
      `Note: other users of this machine may read ${quotedPath(path)}. To keep it to yourself: chmod 600 ${shellWord(path)}`,
    );
  }
  return new TextDecoder().decode(bytes);
}
