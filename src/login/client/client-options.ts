import type { CommandOutput } from '../../core/command.js';
import { argumentRefused, usageContradictory } from '../../core/failures.js';
import { readWhole } from '../../core/files.js';
import type { AssertionOptions, CorePorts, Files } from '../../core/ports.js';
import { parseScope } from '../../core/scope.js';
import { Secret } from '../../core/secret.js';
import { quotedPath, shellWord } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { type AssertionSource, absolutePath, isVariableName, readCommand } from '../../stores/assertions.js';
import type { GivenAssertion, GivenProvider, PreregisteredClient } from '../ports.js';
import {
  assertionOptionAlone,
  assertionUnbound,
  clientProofTwice,
  clientSecretMissing,
  clientSecretUnasked,
  clientUnnamed,
} from './failures.js';

export interface ClientWorld extends Pick<CommandOutput, 'tell' | 'signal'>, Pick<CorePorts, 'terminal'> {
  readonly files: Files;
  readonly env: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface ClientArguments extends AssertionOptions {
  readonly clientId: string | undefined;
  readonly clientSecretStdin: boolean;
  readonly clientSecretFile: string | undefined;
  readonly clientKeyFile: string | undefined;
  readonly clientCredentials: boolean;
  readonly authorizationServer: string | undefined;
}

const help = 'postern login --help';

const secretVariable = 'POSTERN_CLIENT_SECRET_FILE';

const maxSecretBytes = 16 * 1024;

/** The client that a command line names, and one thing that proves that it is that; its secrets are not read yet. */
interface ChosenClient {
  readonly clientId: string;
  readonly issuer: string | undefined;
  readonly assertion?: GivenAssertion;
  readonly keyFile?: string;
  /** Undefined: on stdin. */
  readonly secretFrom?: { readonly path: string | undefined };
}

/** The client that options and variables name. @throws Failure `usage` */
export function chooseClient(args: ClientArguments, env: Environment): ChosenClient | undefined {
  const { clientId, clientSecretStdin, clientSecretFile: file, clientKeyFile, authorizationServer: issuer } = args;
  if (clientId === undefined) {
    if (!clientSecretStdin && (sourceOf(args) ?? clientKeyFile ?? file) === undefined) return undefined;
    throw clientUnnamed();
  }
  const typed = [clientSecretStdin || undefined, clientKeyFile, file === env[secretVariable] ? undefined : file];
  if ([...typed, sourceOf(args)].filter((one) => one !== undefined).length > 1) throw clientProofTwice();
  const hasOther = clientSecretStdin || (clientKeyFile ?? file) !== undefined;
  // A typed proof goes before one that a variable names.
  const assertion = readAssertion(args, env, hasOther);
  if (assertion !== undefined) return { clientId, issuer, assertion };
  if (clientKeyFile !== undefined) return { clientId, issuer, keyFile: clientKeyFile };
  return { clientId, issuer, ...(hasOther ? { secretFrom: { path: clientSecretStdin ? undefined : file } } : {}) };
}

/** The same, with its secret or key. @throws Failure `usage`, `file_unreadable` */
export async function readClient(world: ClientWorld, args: ClientArguments): Promise<PreregisteredClient | undefined> {
  const chosen = chooseClient(args, world.env);
  if (chosen === undefined) return undefined;
  const { keyFile, secretFrom, ...client } = chosen;
  if (keyFile !== undefined) return { ...client, key: new Secret(await readFile(world, keyFile, '--client-key-file')) };
  return secretFrom === undefined ? client : { ...client, secret: await readSecret(world, secretFrom.path) };
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
  return { clientId, issuer, secret: file === undefined ? undefined : await readSecret(world, file) };
}

/** What `--scope` says; undefined where it was not given. @throws Failure `usage` */
export function readScopes(words: readonly string[]): readonly string[] | undefined {
  if (words.length === 0) return undefined;
  const parsed = parseScope(words.join(' '));
  if (!parsed.ok) throw argumentRefused('--scope', `it ${parsed.problem}`, help);
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
  const bytes = await readWhole(files.read(path, setting), path, maxSecretBytes);
  if (await files.isOpenToOthers(path)) {
    tell(
      `Note: other users of this machine may read ${quotedPath(path)}. To keep it to yourself: chmod 600 ${shellWord(path)}`,
    );
  }
  return new TextDecoder().decode(bytes);
}

/** What options name, else what variables do; a command is typed, and no variable names one. @throws Failure `usage` */
function readAssertion(args: ClientArguments, env: Environment, hasOther: boolean): GivenAssertion | undefined {
  const set = (name: string) => env[name] || undefined;
  const isByVariable = args.clientCredentials && !hasOther;
  const named = { assertionFile: set('POSTERN_ASSERTION_FILE'), assertionEnv: set('POSTERN_ASSERTION_ENV') };
  const source = sourceOf(args) ?? (isByVariable ? sourceOf(named) : undefined);
  if (source === undefined) {
    if ((args.assertionAudience ?? args.assertionAs) !== undefined) throw assertionOptionAlone();
    return undefined;
  }
  const audience = args.assertionAudience ?? set('POSTERN_ASSERTION_AUDIENCE');
  // Where no audience says whom it is for, a person does.
  if (audience !== undefined && args.authorizationServer === undefined) throw assertionUnbound();
  return { source, audience, use: args.assertionAs ?? useOf(set('POSTERN_ASSERTION_AS')) };
}

function useOf(text: string | undefined): 'client' | 'grant' | undefined {
  if (text === undefined || text === 'client' || text === 'grant') return text;
  throw argumentRefused('POSTERN_ASSERTION_AS', 'it is “grant” or “client”', help);
}

function sourceOf({ assertionFile, assertionEnv, assertionCommand }: AssertionOptions): AssertionSource | undefined {
  if (assertionFile !== undefined) {
    if (assertionFile === '-') throw argumentRefused('--assertion-file', noStdin, help);
    return { from: 'file', path: absolutePath(assertionFile) };
  }
  if (assertionEnv !== undefined) {
    if (isVariableName(assertionEnv)) return { from: 'variable', name: assertionEnv };
    throw argumentRefused('--assertion-env', 'it is the name of a variable, not what is in it', help);
  }
  if (assertionCommand === undefined) return undefined;
  const read = readCommand(assertionCommand);
  if (!read.ok) throw argumentRefused('--assertion-command', read.why, help);
  return { from: 'command', words: read.words };
}

interface ProviderArguments {
  readonly idp: string | undefined;
  readonly idpClientId: string | undefined;
  readonly idpClientSecretFile: string | undefined;
  readonly idpTokenFile: string | undefined;
}

/** An issuer is https, without query and fragment (OpenID Connect Discovery 1.0, section 2). */
function problemOf({ protocol, hostname, search, hash }: URL): string | undefined {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol !== 'https:' && !isLocal) return 'it is not https';
  return search === '' && hash === '' ? undefined : 'an issuer has no query and no fragment';
}

/** The provider that options name, without its client's secret; undefined: none. @throws Failure `usage` */
export function readProvider(args: ProviderArguments): GivenProvider | undefined {
  const { idp: issuer, idpClientId: clientId, idpClientSecretFile, idpTokenFile } = args;
  if (issuer === undefined || clientId === undefined) return undefined;
  const gated = gateUrl(issuer);
  const why = gated.ok ? problemOf(gated.url) : 'it is no usable URL';
  if (why !== undefined) throw argumentRefused('--idp', why, help);
  if (/[^\x20-\x7e]/.test(clientId)) throw argumentRefused('--idp-client-id', 'it is visible ASCII', help);
  if (idpTokenFile === '-') throw argumentRefused('--idp-token-file', noStdin, help);
  if (idpClientSecretFile === '-') throw usageContradictory('--idp-client-secret-file', '-', help);
  return { issuer, clientId, tokenFile: idpTokenFile === undefined ? undefined : absolutePath(idpTokenFile) };
}

const noStdin = 'it is read again for each token, so it must be a file';
