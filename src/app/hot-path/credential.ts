import { fstatSync, type Stats, statSync } from 'node:fs';
import type { LoginRecord } from '../../core/records.js';
import { credentialTable } from '../../credential/credential.options.js';
import { findCredential, isGone, proveWanted } from '../../credential/find-credential.js';
import { formatOf, type GetCall, type Input, inputOf } from '../../credential/formats/call.js';
import { readCall } from '../../credential/read-call.js';
import { inputBytes, isComplete, type ReadInput, readInput } from '../../credential/read-input.js';
import { decodeCredential } from '../../stores/credential-item.js';
import type { Keyring } from '../../stores/keychain/open-item.js';
import { failuresPath, readFailuresSync } from '../../stores/state/small-files.js';
import { originText } from '../../tokens/credential-target.js';
import { checkPin } from '../../tokens/login-pin.js';
import { usable } from '../../tokens/token-request.js';
import { nullDevice, openStdin, takeWaiting } from '../terminal/read-stdin.js';
import {
  isOwnLogin,
  isRefreshWaiting,
  keyringFor,
  type Left,
  readIndex,
  stateFolder,
  usualArguments,
} from './parts.js';

/** What `postern credential` prints; undefined when anything is unusual, and for all that is more than an answer. */
export async function credentialOutput(argv: readonly string[], left: Left): Promise<string | undefined> {
  const args = usualArguments(credentialTable, argv);
  if (args === undefined || args.shim !== undefined || isOwnLogin(args)) return undefined;
  // What a secret may be shown on, the whole program decides.
  if (mayBeTerminal(fstatSync(1))) return undefined;
  const format = formatOf(args);
  const input = inputOf(format, args);
  const keyring = await keyringFor(left);
  if (keyring === undefined) return undefined;
  if (input !== undefined) left.input = await readAll(input, left);
  const bytes = left.input === undefined ? new Uint8Array() : inputBytes(format, left.input);
  const call = readCall(format, args, { env: process.env, input: bytes });
  if (call.kind === 'fixed') return call.output;
  return call.kind === 'get' ? outputFor(call, keyring) : undefined;
}

/** Most callers have written all before this process runs; for those that have not, a socket waits. */
async function readAll(input: Exclude<Input, undefined>, left: Left): Promise<ReadInput> {
  const waiting = takeWaiting();
  if (isComplete(waiting, input)) return { ok: true, bytes: waiting.bytes };
  const stdin = openStdin();
  left.open.push(stdin);
  return readInput(stdin.bytes, input, waiting.bytes);
}

function mayBeTerminal(stdout: Stats): boolean {
  return stdout.isCharacterDevice() && stdout.rdev !== nullDevice;
}

async function outputFor(call: GetCall, keyring: Keyring): Promise<string | undefined> {
  const login = await loginFor(call);
  if (login === 'nobody') return call.unmapped;
  if (login === undefined) return undefined;
  const item = await keyring.read(login.key);
  const decoded = item === undefined ? undefined : decodeCredential(item, login);
  // A DPoP-bound token is refused with a message.
  if (decoded?.ok !== true || decoded.credential.dpopKey !== undefined) return undefined;
  const { credential } = decoded;
  proveWanted(credential.binding, call.wanted);
  const now = Date.now();
  const wanted = { login, minLifeMs: call.minLifeMs, kept: call.wanted.format === 'env' };
  if (!usable(credential, wanted, now) || isRefreshWaiting(login)) return undefined;
  return call.output({ ...credential, server: login.server }, now);
}

/** `nobody`: nothing is mapped, and nothing is to be said about it. Undefined: the whole program's business. */
async function loginFor({ wanted, refused, hint }: GetCall): Promise<LoginRecord | 'nobody' | undefined> {
  const folder = stateFolder();
  const index = readIndex();
  if (!index.ok || refused) return undefined;
  const { login, onOrigin } = findCredential(index.document.logins, wanted);
  if (login === undefined) {
    // Another machine may have made one, in the store that is set here.
    const mayBeShared = /^redis:/.test(process.env['POSTERN_STORE'] ?? '');
    const isReported = hint !== undefined && onOrigin !== undefined;
    return mayBeShared || isReported || isGone(index.document.logins, wanted) ? undefined : 'nobody';
  }
  if (wanted.pin !== undefined) await checkPin(login, wanted);
  return login.store === 'keychain' && !hasFailed(folder, login, wanted.format) ? login : undefined;
}

/** What was remembered has to be forgotten now, which is written. */
function hasFailed(folder: string, { server }: LoginRecord, format: string): boolean {
  const path = failuresPath(folder);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const origin = originText(server);
  return readFailuresSync(path).some((one) => (one.origin === origin || one.origin === '') && one.format === format);
}
