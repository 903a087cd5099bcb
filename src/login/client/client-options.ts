import type { CommandOutput } from '../../core/command.js';
import { isFailure } from '../../core/failure.js';
import type { AssertionOptions, CorePorts, Files } from '../../core/ports.js';
import { readWhole } from '../../core/read-whole.js';
import { parseScope } from '../../core/scope.js';
import { Secret } from '../../core/secret.js';
import { quotedPath, shellWord } from '../../core/text/printable.js';
import { gateUrl } from '../../core/url.js';
import { argumentRefused, usageContradictory, usageWrong } from '../../core/usage-failures.js';
import { type AssertionSource, fileSource, isVariableName, readCommand } from '../../stores/assertions/source.js';
import { tokenFilePath } from '../../stores/kept-provider.js';
import type { GivenAssertion, GivenProvider, PreregisteredClient } from '../ports.js';
import {
  assertionOptionAlone,
  assertionUnbound,
  assertionWithoutClient,
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

/** Longest client secret or key that is read, in bytes. */
const maxSecretBytes = 16 * 1024;

/** Whether the options that say as which client to log in go together. @throws Failure `usage` */
export function checkClient(args: ClientArguments): void {
  const { clientId, clientSecretStdin, clientSecretFile, clientKeyFile } = args;
  if (clientKeyFile !== undefined && !args.clientCredentials) throw clientKeyWithoutGrant();
  const wantsSecret = clientSecretStdin || clientSecretFile !== undefined;
  if (clientId === undefined && (wantsSecret || clientKeyFile !== undefined)) throw clientSecretWithoutClient();
  if (wantsSecret && clientKeyFile !== undefined) throw clientProofTwice();
  checkAssertion(args);
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

const sources = ['assertionFile', 'assertionEnv', 'assertionCommand'] as const;

/** The typed ones alone. */
function namesAssertion(args: AssertionOptions): boolean {
  return sources.some((name) => args[name] !== undefined);
}

/** Whether what is typed of it goes together. @throws Failure `usage` */
function checkAssertion(args: ClientArguments): void {
  if (namesAssertion(args) && args.clientId === undefined) throw assertionWithoutClient();
  // Where no audience says whom it is for, a person does.
  if (args.assertionAudience !== undefined && args.authorizationServer === undefined) throw assertionUnbound();
  sourceOf(args);
}

/** What options name, else what variables do; a command is typed, and nothing else names one. @throws Failure `usage` */
function readAssertion(
  args: ClientArguments,
  env: Readonly<Record<string, string | undefined>>,
  others: { readonly hasProof: boolean },
): GivenAssertion | undefined {
  const set = (name: string) => env[name] || undefined;
  const isByVariable = args.clientCredentials && !namesAssertion(args) && !others.hasProof;
  const named: ClientArguments = isByVariable
    ? { ...args, assertionFile: set('POSTERN_ASSERTION_FILE'), assertionEnv: set('POSTERN_ASSERTION_ENV') }
    : args;
  if (!namesAssertion(named) && args.assertionAudience === undefined && args.assertionAs === undefined)
    return undefined;
  const audience = named.assertionAudience ?? set('POSTERN_ASSERTION_AUDIENCE');
  const whole = {
    ...named,
    assertionAudience: audience,
    assertionAs: named.assertionAs ?? useOf(set('POSTERN_ASSERTION_AS')),
  };
  checkAssertion(whole);
  const source = sourceOf(whole);
  if (source === undefined) throw assertionOptionAlone();
  return { source, audience, use: whole.assertionAs };
}

function useOf(text: string | undefined): 'client' | 'grant' | undefined {
  if (text === undefined || text === 'client' || text === 'grant') return text;
  throw argumentRefused('POSTERN_ASSERTION_AS', 'it is “grant” or “client”', help);
}

function sourceOf({ assertionFile, assertionEnv, assertionCommand }: AssertionOptions): AssertionSource | undefined {
  if (assertionFile !== undefined) {
    if (assertionFile === '' || assertionFile === '-') {
      throw argumentRefused('--assertion-file', 'it is read anew for each token, so it has to be a file', help);
    }
    return fileSource(assertionFile);
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

/** What of a command line says by which company's provider a login is made. */
interface ProviderArguments {
  readonly idp: string | undefined;
  readonly idpClientId: string | undefined;
  readonly idpClientSecretFile: string | undefined;
  readonly idpTokenFile: string | undefined;
}

/** Whether the options that name a provider go together. @throws Failure `usage` */
function checkProvider(args: ProviderArguments): void {
  const { idp, idpClientId, idpClientSecretFile, idpTokenFile } = args;
  if (idp === undefined) {
    if ((idpClientId ?? idpClientSecretFile ?? idpTokenFile) === undefined) return;
    throw usageWrong('Say which provider is meant: --idp ISSUER.', help);
  }
  const gated = gateUrl(idp);
  const why = gated.ok ? problemOf(gated.url) : 'it is no usable URL';
  if (why !== undefined) throw argumentRefused('--idp', why, help);
  if (idpClientId === undefined) throw usageWrong('--idp needs the client there: --idp-client-id ID.', help);
  if (idpClientId === '' || /[^\x20-\x7e]/.test(idpClientId)) {
    throw argumentRefused('--idp-client-id', 'it is visible ASCII', help);
  }
  if (idpTokenFile === '' || idpTokenFile === '-') {
    throw argumentRefused('--idp-token-file', 'it is read anew for each token, so it has to be a file', help);
  }
  if (idpClientSecretFile === '-') throw usageContradictory('--idp-client-secret-file', '-', help);
}

/** An issuer is https, without query and fragment (OpenID Connect Discovery 1.0, section 2). */
function problemOf({ protocol, hostname, search, hash }: URL): string | undefined {
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol !== 'https:' && !isLocal) return 'it is not https';
  return search === '' && hash === '' ? undefined : 'an issuer has no query and no fragment';
}

/** The provider that options name, without its client's secret; undefined: none. @throws Failure `usage` */
export function readProvider(args: ProviderArguments): GivenProvider | undefined {
  checkProvider(args);
  const { idp: issuer, idpClientId: clientId, idpTokenFile } = args;
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, tokenFile: idpTokenFile === undefined ? undefined : tokenFilePath(idpTokenFile) };
}
