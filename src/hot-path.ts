import { existsSync, fstatSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { plainArguments } from './app/arguments.js';
import type { GlobalOptions } from './app/global-options.js';
import type { ArgumentsOf, CommandTable } from './core/command.js';
import { systemCode } from './core/failure.js';
import type { LoginRecord } from './core/records.js';
import { credentialTable, tokenTable } from './credential/credential.options.js';
import { findCredential, isGone, proveWanted } from './credential/find-credential.js';
import type { GetCall } from './credential/formats/call.js';
import { endOfInput, inputBytes, type ReadInput, readCall, readInput } from './credential/read-call.js';
import { tokenOutput } from './credential/token.command.js';
import { decodeCredential, type StoredCredential } from './stores/credential-item.js';
import { mentionsToken } from './stores/environment-token.js';
import { indexPath, readIndexSync } from './stores/index/credential-index.js';
import { withSessionBus } from './stores/keychain/bus-address.js';
import { openKeyring } from './stores/keychain/secret-service-calls.js';
import type { OwnLoginArguments } from './stores/own-login.js';
import { homeFolder, recoveryPath, statePaths } from './stores/paths.js';
import { failuresPath, readFailuresSync } from './stores/state/small-files.js';
import { originText, proveNamed } from './tokens/credential-target.js';
import { checkPin, pickLogin } from './tokens/find-login.js';
import { usable } from './tokens/read-credential.js';

/** Whether all was done; if not, what has been read of stdin, which the whole program cannot read again. */
interface HotEnd {
  done: boolean;
  input: ReadInput | undefined;
}

/**
 * `postern token` and `postern credential` with a valid token in an open keychain: one file read, one item read, one
 * answer written. Not done when anything is unusual: then nothing has happened, and the whole program takes over.
 */
export async function hotPath(argv: readonly string[]): Promise<HotEnd> {
  const [command, ...words] = argv;
  const end: HotEnd = { done: false, input: undefined };
  const finding = command === 'token' ? tokenFor(words) : credentialOutput(words, end);
  const output = await finding.catch(() => undefined);
  end.done = output !== undefined && writeAll(output);
  return end;
}

/** What `postern token` prints; undefined when anything is unusual. */
async function tokenFor(words: readonly string[]): Promise<string | undefined> {
  const args = usualArguments(tokenTable, words);
  if (args === undefined || args.refresh) return undefined;
  const index = readIndexSync(indexPath(stateFolder()));
  const picked = index.ok ? pickLogin(index.document.logins, args) : undefined;
  if (picked?.kind !== 'one') return undefined;
  const credential = await usableCredential(picked.login, { minLifeMs: args.minTtl * 1000 });
  if (credential === undefined) return undefined;
  proveNamed(credential.binding, args.server);
  return tokenOutput(credential, args);
}

/**
 * Straight to stdout's descriptor: `process.stdout` takes a millisecond to be made. False when nothing could be
 * written; when only a part could, the exit code says so.
 */
function writeAll(text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (at === 0) return false;
      if (systemCode(error) !== 'EAGAIN') {
        process.exitCode = 1; // a part of it is out, and the rest has no reader
        return true;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // until the reader of the pipe has read
    }
  }
  return true;
}

/** The same for `postern credential`; undefined, too, for all that is more than an answer. */
async function credentialOutput(argv: readonly string[], end: HotEnd): Promise<string | undefined> {
  const args = usualArguments(credentialTable, argv);
  if (args === undefined || args.shim !== undefined) return undefined;
  const isWhole = endOfInput(args);
  // What a secret may be shown on, and what is typed at a terminal, the whole program decides.
  const mayBeTerminal = (descriptor: number) => fstatSync(descriptor).isCharacterDevice();
  if (mayBeTerminal(1) || (isWhole !== undefined && mayBeTerminal(0))) return undefined;
  if (isWhole !== undefined) end.input = await readInput(process.stdin, isWhole);
  const bytes = end.input === undefined ? new Uint8Array() : inputBytes(args.format, end.input);
  const call = readCall(args, { env: process.env, input: bytes });
  if (call.kind === 'fixed') return call.output;
  return call.kind === 'get' ? await outputFor(call) : undefined;
}

async function outputFor(call: GetCall): Promise<string | undefined> {
  const login = await loginFor(call);
  if (login === 'nobody') return call.unmapped;
  if (login === undefined) return undefined;
  const { minLifeMs, wanted, output } = call;
  const credential = await usableCredential(login, { minLifeMs, kept: wanted.format === 'env' });
  if (credential === undefined) return undefined;
  proveWanted(credential.binding, wanted);
  return output({ ...credential, server: login.server }, Date.now());
}

/** `nobody`: no login matches, and the answer says so. Undefined: left to the whole program. */
async function loginFor({ wanted, refused, hint }: GetCall): Promise<LoginRecord | 'nobody' | undefined> {
  const folder = stateFolder();
  const index = readIndexSync(indexPath(folder));
  if (!index.ok || refused) return undefined;
  const { login, onOrigin } = findCredential(index.document.logins, wanted);
  if (login === undefined) {
    // Another machine may have made one, in the store that is set here.
    const mayBeShared = /^redis:/.test(process.env['POSTERN_STORE'] ?? '');
    const isReported = hint !== undefined && onOrigin !== undefined;
    return mayBeShared || isReported || isGone(index.document.logins, wanted) ? undefined : 'nobody';
  }
  if (wanted.pin !== undefined) await checkPin(login, wanted);
  return hasFailed(folder, login, wanted.format) ? undefined : login;
}

/** A remembered failure has to be cleared, which only the whole program does. */
function hasFailed(folder: string, { server }: LoginRecord, format: string): boolean {
  const origin = originText(server);
  return readFailuresSync(failuresPath(folder)).some(
    (one) => (one.origin === origin || one.origin === '') && one.format === format,
  );
}

/** The arguments, when nothing about the command line or the environment is unusual. */
function usualArguments<Table extends CommandTable>(
  table: Table,
  argv: readonly string[],
): (ArgumentsOf<Table> & GlobalOptions) | undefined {
  const { env } = process;
  const args = plainArguments(table, argv, env) as (ArgumentsOf<Table> & GlobalOptions & OwnLoginArguments) | undefined;
  if (args === undefined || (env['NODE_DEBUG'] ?? '') !== '' || mentionsToken(env)) return undefined;
  const { field, help, version, verbose, clientCredentials, store } = args;
  return field !== undefined || help || version || verbose || clientCredentials || store !== undefined
    ? undefined
    : args;
}

/** Where the index of logins is. @throws Failure `path_refused` */
function stateFolder(): string {
  return statePaths(process.env, process.platform, homeFolder()).state;
}

/** What the keychain has of this login, where its token can be handed out as it is. To be proven for its server. */
async function usableCredential(
  login: LoginRecord,
  wanted: { readonly minLifeMs: number | undefined; readonly kept?: boolean },
): Promise<StoredCredential | undefined> {
  if (login.store !== 'keychain') return undefined;
  using keyring = await openKeyring({ ...process.env, ...withSessionBus(process.env, process.geteuid?.()) });
  const item = await keyring?.read(login.key);
  const decoded = item === undefined ? undefined : decodeCredential(item, login);
  // A DPoP-bound token is refused with a message.
  if (decoded?.ok !== true || decoded.credential.dpopKey !== undefined) return undefined;
  // A refresh that was killed may have left a newer token, which the whole program moves into the store.
  const isRefreshWaiting = existsSync(recoveryPath(join(stateFolder(), 'recovery'), login.key));
  const isUsable = !isRefreshWaiting && usable(decoded.credential, { login, ...wanted }, Date.now());
  return isUsable ? decoded.credential : undefined;
}
