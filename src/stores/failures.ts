import type { Failure } from '../core/failure.js';
import { quoted } from '../core/text/printable.js';
import { storeFailure } from './state-failures.js';

/** A value that no store is meant for. */
export function storeTooLarge(bytes: number, limit: number): Failure {
  return storeFailure(
    'store_too_large',
    `The credential has ${bytes} bytes, more than the ${limit} that are stored; nothing was stored.`,
    'Ask the operator of the authorization server why its tokens are so large, or ask for fewer scopes.',
  );
}

/** Bytes of a value in a keychain or a sealed file; no credential has more. */
const maxValueBytes = 65_536;

/** @throws Failure `store_too_large` */
export function refuseTooLarge(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxValueBytes) throw storeTooLarge(bytes, maxValueBytes);
}

/** No program of that name on the PATH. */
export function helperMissing(program: string): Failure {
  return storeFailure(
    'store_unavailable',
    `The store cannot be used: there is no ${program} in an absolute folder of the PATH.`,
    ({ logIn }) => `Install it (Debian: golang-docker-credential-helpers), or run: ${logIn('--store file')}`,
  );
}

/** It did not respond in time and was killed. This process does not start it again. */
export function helperTimeout(program: string, limitMs: number): Failure {
  return storeFailure(
    'store_timeout',
    `${program} did not respond within ${limitMs / 1000} s and was stopped; it may be waiting for a hidden prompt.`,
    'Unlock what it keeps secrets in (its keyring, its GPG key), then try again.',
  );
}

/** It ended with an error. `said` is untrusted, and holds no secret. */
export function helperFailed(program: string, operation: string, said: string): Failure {
  return storeFailure(
    'store_failed',
    `${program} ${operation} failed${said === '' ? ' and said nothing that may be shown' : `: ${quoted(said, 200)}`}.`,
    `Make ${program} work (it needs its keyring or password store set up and unlocked), then try again.`,
  );
}

/** What it gave back is not what was given to it. */
export function helperResponseWrong(program: string, why: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `What ${program} gave back is not what postern stored in it: ${why}. It was not used.`,
    ({ logIn }) => `Fix ${program} and log in again, or choose another store: ${logIn('--store file')}`,
  );
}
