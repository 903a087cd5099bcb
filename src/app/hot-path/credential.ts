import { fstatSync, type Stats, statSync } from 'node:fs';
import type { LoginRecord } from '../../core/records.js';
import { credentialTable, formatsAskedAgain } from '../../credential/credential.options.js';
import { findCredential, isGone, proveWanted } from '../../credential/find-credential.js';
import { type CredentialCall, formatOf, type GetCall, type Input, inputOf } from '../../credential/formats/call.js';
import { readCall } from '../../credential/read-call.js';
import { inputBytes, isComplete, type ReadInput, readInput } from '../../credential/read-input.js';
import { decodeCredential } from '../../stores/credential-item.js';
import { withSessionBus } from '../../stores/keychain/bus-address.js';
import { readSecretFast } from '../../stores/keychain/read-item.js';
import type { HandedToken } from '../../stores/ports.js';
import { failuresPath, readFailuresSync } from '../../stores/state/failure-log.js';
import { handedOutPath, noteHandedOut, recentlyHandedOut } from '../../stores/state/handed-out.js';
import { originText } from '../../tokens/credential-target.js';
import { checkPin } from '../../tokens/login-pin.js';
import { isRefreshable, usable } from '../../tokens/token-request.js';
import { nullDevice, openStdin, takeWaiting } from '../terminal/read-stdin.js';
import { isOwnLogin, isRefreshWaiting, type Left, readIndex, stateFolder, usualArguments } from './parts.js';

/** What `postern credential` prints; undefined when anything is unusual, and for all that is more than an answer. */
export async function credentialOutput(argv: readonly string[], left: Left): Promise<string | undefined> {
  const args = usualArguments(credentialTable, argv);
  if (args === undefined || args.shim !== undefined || isOwnLogin(args)) return undefined;
  // What a secret may be shown on, the whole program decides.
  if (mayBeTerminal(fstatSync(1))) return undefined;
  const format = formatOf(args);
  const input = inputOf(format, args);
  const asked = async (): Promise<CredentialCall> => {
    if (input !== undefined) left.input = await readAll(input, left);
    const bytes = left.input === undefined ? new Uint8Array() : inputBytes(format, left.input);
    return readCall(format, args, { env: process.env, input: bytes });
  };
  if (input === undefined) {
    const call = await asked();
    return call.kind === 'get' ? outputFor(async () => call, left) : outputWithoutToken(call);
  }
  return outputFor(asked, left);
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

function outputWithoutToken(call: CredentialCall): string | undefined {
  return call.kind === 'fixed' ? call.output : undefined;
}

async function outputFor(asked: () => Promise<CredentialCall>, left: Left): Promise<string | undefined> {
  let found:
    | {
        readonly call: GetCall;
        readonly login: LoginRecord;
        readonly note: string | undefined;
        readonly given: HandedToken | undefined;
      }
    | undefined;
  let output: string | undefined;
  Object.assign(process.env, withSessionBus(process.env, process.geteuid?.()));
  const findKey = async () => {
    const call = await asked();
    if (call.kind !== 'get') {
      output = outputWithoutToken(call);
      return undefined;
    }
    const login = await loginFor(call, left);
    if (login === 'nobody') output = call.unmapped;
    if (typeof login !== 'object') return undefined;
    const isNoted = formatsAskedAgain.has(call.wanted.format);
    const note = isNoted ? handedOutPath(stateFolder(), login.key) : undefined;
    found = {
      call,
      login,
      note,
      given: note === undefined ? undefined : recentlyHandedOut(note, login.key, Date.now()),
    };
    return login.key;
  };
  const item = await readSecretFast(findKey, process.env, (keychain) => {
    left.keychain = keychain;
  });
  if (found === undefined || !item.ok) return output;
  const { call, login, note, given } = found;
  const decoded = decodeCredential(item.value, login);
  // What is bound to a key is refused, in words.
  if (!decoded.ok || decoded.credential.dpopKey !== undefined) return undefined;
  const { credential } = decoded;
  // Whether a refresh comes of it is for the whole program to find out.
  if (given !== undefined && given.refreshedAt === undefined && isRefreshable(credential)) return undefined;
  proveWanted(credential.binding, call.wanted);
  const now = Date.now();
  const wanted = { login, minLifeMs: call.minLifeMs, kept: call.wanted.format === 'env' };
  const handed = { key: login.key, obtainedAt: credential.obtainedAt, refreshedAt: given?.refreshedAt };
  if (note !== undefined) left.afterwards = () => noteHandedOut(note, handed, Date.now());
  return usable(credential, wanted, now) && !isRefreshWaiting(login)
    ? call.output({ ...credential, server: login.server }, now)
    : undefined;
}

/** `nobody`: nothing is mapped, and nothing is to be said about it. Undefined: the whole program's business. */
async function loginFor({ wanted, refused, hint }: GetCall, left: Left): Promise<LoginRecord | 'nobody' | undefined> {
  const folder = stateFolder();
  const index = readIndex(left);
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
