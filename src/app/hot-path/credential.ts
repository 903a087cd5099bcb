import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { LoginRecord } from '../../core/records.js';
import { credentialTable } from '../../credential/credential.options.js';
import { findCredential, isGone, proveWanted } from '../../credential/find-credential.js';
import { formatOf, type GetCall, inputOf } from '../../credential/formats/call.js';
import { inputBytes, type ReadInput, readCall, readInput } from '../../credential/read-call.js';
import { indexPath, readIndexSync } from '../../stores/index/credential-index.js';
import { failuresPath, readFailuresSync } from '../../stores/state/small-files.js';
import { originText } from '../../tokens/credential-target.js';
import { checkPin } from '../../tokens/find-login.js';
import { stateFolder, usableCredential, usualArguments } from './parts.js';

/** What is left where the whole program takes over. */
export interface Left {
  /** What was read of stdin, which cannot be read again. */
  input: ReadInput | undefined;
}

/** What `postern credential` prints; undefined when anything is unusual, and for all that is more than an answer. */
export async function credentialOutput(argv: readonly string[], left: Left): Promise<string | undefined> {
  const args = usualArguments(credentialTable, argv);
  if (args === undefined || args.shim !== undefined) return undefined;
  const format = formatOf(args);
  const input = inputOf(format, args);
  // What a secret may be shown on, and what is typed at a terminal, the whole program decides.
  const mayBeTerminal = (descriptor: number) => fstatSync(descriptor).isCharacterDevice();
  if (mayBeTerminal(1) || (input !== undefined && mayBeTerminal(0))) return undefined;
  if (input !== undefined) left.input = await readInput(stdin(), input);
  const bytes = left.input === undefined ? new Uint8Array() : inputBytes(format, left.input);
  const call = readCall(format, args, { env: process.env, input: bytes });
  if (call.kind === 'fixed') return call.output;
  return call.kind === 'get' ? await outputFor(call) : undefined;
}

/**
 * stdin; first, where it is a pipe, what has been written to it already: `process.stdin` takes three milliseconds to be made.
 * Opened a second time the pipe can be read without waiting, and the caller's is left as it is.
 */
async function* stdin(): AsyncGenerator<Uint8Array> {
  if (process.platform === 'linux' && fstatSync(0).isFIFO()) {
    const pipe = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(65_536);
    let length: number | undefined;
    try {
      length = readSync(pipe, bytes);
    } catch {
      // EAGAIN: nothing has been written yet
    } finally {
      closeSync(pipe);
    }
    if (length === 0) return;
    if (length !== undefined) yield bytes.subarray(0, length);
  }
  yield* process.stdin;
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
  const path = failuresPath(folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const origin = originText(server);
  return readFailuresSync(path).some((one) => (one.origin === origin || one.origin === '') && one.format === format);
}
