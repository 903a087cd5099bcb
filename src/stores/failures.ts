import type { Failure } from '../core/failure.js';
import { printable, quoted } from '../core/text/printable.js';
import { storeFailure } from './state-failures.js';

const howToStart = 'postern help stores';

const ownBusRemedy = `To use a keychain anyway: ${howToStart}`;

/** Why there is no keychain, and what to do. */
const unavailable = {
  no_bus: ['no D-Bus session: DBUS_SESSION_BUS_ADDRESS leads nowhere', ownBusRemedy],
  no_bus_named: ['no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set', ownBusRemedy],
  foreign_bus: [
    'the D-Bus session belongs to another user',
    `Unset DBUS_SESSION_BUS_ADDRESS where an earlier session, sudo or su has left it. For a bus of your own: ${howToStart}`,
  ],
  no_service: [
    'no Secret Service on the D-Bus session',
    `Install one (apt-get install gnome-keyring; KWallet and KeePassXC work too). To start it: ${howToStart}`,
  ],
  no_collection: [
    'the Secret Service has no default keyring',
    'Make one: gnome-keyring-daemon --replace --unlock --components=secrets, which reads its password on stdin, or in a desktop’s password manager (Seahorse: New, Password keyring, Set as default).',
  ],
  no_package: [
    'its native package (@napi-rs/keyring) is not installed for this platform',
    'Install postern again without --omit=optional, on a supported platform.',
  ],
} as const;

export type Unavailable = keyof typeof unavailable;

const orSealedFiles = 'Without a keychain, use encrypted files: postern login <server> --store file';

/** There is no keychain here. Never answered by writing secrets elsewhere. */
export function storeUnavailable(why: Unavailable, cause?: unknown): Failure {
  const [text, remedy] = unavailable[why];
  const message = `No keychain here (${text}).`;
  return storeFailure('store_unavailable', message, `Use encrypted files: add --store file. ${remedy}`, cause);
}

const lockedBecause = {
  unanswered: ', and nobody answered its prompt',
  denied: ', and its prompt was dismissed or could not be shown',
};

/** The keychain is locked, and nobody could, or would, unlock it. Nothing was changed. */
export function storeLocked(platform: string, detail?: keyof typeof lockedBecause): Failure {
  const why = detail === undefined ? '' : lockedBecause[detail];
  const message = `The keychain is locked${why}.`;
  return storeFailure('store_locked', message, `${unlockRemedy(platform)} ${orSealedFiles}`);
}

/** The keychain did not respond in time. This process does not ask it again. */
export function storeTimeout(platform: string, during: string, limitMs: number): Failure {
  const remedy =
    platform === 'linux'
      ? 'Look for its prompt, or restart it: gnome-keyring-daemon --replace --unlock --components=secrets; then try again.'
      : unlockRemedy(platform);
  return storeFailure(
    'store_timeout',
    `The keychain did not respond within ${Math.round(limitMs / 100) / 10} s when asked to ${during}; it may be waiting for a hidden prompt.`,
    `${remedy} ${orSealedFiles}`,
  );
}

/** The keychain answered with an error. */
export function storeFailed(during: string, cause: unknown): Failure {
  const said = cause instanceof Error ? cause.message : String(cause);
  return storeFailure(
    'store_failed',
    `The keychain failed to ${during}: ${quoted(said, 200)}.`,
    'Check that the keychain works (can other programs save a password?), then try again.',
    cause,
  );
}

/** Bytes of a value in a keychain or a sealed file; no credential has more. */
const maxValueBytes = 65_536;

/** @throws Failure `store_too_large` */
export function refuseTooLarge(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxValueBytes) throw storeTooLarge(bytes, maxValueBytes);
}

/** A value that no store is meant for. */
export function storeTooLarge(bytes: number, limit: number): Failure {
  return storeFailure(
    'store_too_large',
    `The credential has ${bytes} bytes, more than the ${limit} that are stored; nothing was stored.`,
    'Ask the operator of the authorization server why its tokens are so large, or ask for fewer scopes.',
  );
}

/** The item was there, but not all its parts, or not as they were written. */
export function storeDamaged(why: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `The keychain’s item is damaged (${printable(why, 100)}); it was not used.`,
    'Log in again, which replaces it: postern login <server>',
  );
}

function unlockRemedy(platform: string): string {
  if (platform === 'darwin') {
    return 'Unlock it with security unlock-keychain, and allow postern in its prompt, then try again.';
  }
  if (platform === 'win32') {
    return 'Sign in to Windows in a desktop session, where the Credential Manager is open, then try again.';
  }
  return 'Unlock it by logging in to the desktop, or restart it with gnome-keyring-daemon --replace --unlock --components=secrets (it reads the password on stdin), then try again.';
}

/** No program of that name on the PATH. */
export function helperMissing(program: string): Failure {
  return storeFailure(
    'store_unavailable',
    `The store cannot be used: there is no ${program} in an absolute folder of the PATH.`,
    'Install it (Debian: apt-get install golang-docker-credential-helpers), or choose another store: postern login <server> --store file',
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
    `Mend ${program} and log in again, or choose another store: postern login <server> --store file`,
  );
}
