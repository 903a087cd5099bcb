import { exitCode, Failure } from '../core/failure.js';
import { printable, quoted } from '../core/text/printable.js';

/** Why there is no keychain to be had. */
export type Unavailable = 'no_bus' | 'no_bus_named' | 'foreign_bus' | 'no_service' | 'no_collection' | 'no_package';

const busRemedy =
  'Log in to a desktop session; without one (SSH, CI, container) type dbus-run-session -- bash and, in the shell it starts, gnome-keyring-daemon --unlock --components=secrets, which reads the keyring’s password on stdin';

const unavailable: Readonly<Record<Unavailable, readonly [why: string, remedy: string]>> = {
  no_bus: ['there is no D-Bus session bus to reach it by (DBUS_SESSION_BUS_ADDRESS leads nowhere)', busRemedy],
  no_bus_named: [
    'there is no D-Bus session bus to reach it by (DBUS_SESSION_BUS_ADDRESS is not set, and the usual place, /run/user/<your number>/bus, has none)',
    busRemedy,
  ],
  foreign_bus: [
    'the D-Bus session bus that DBUS_SESSION_BUS_ADDRESS leads to belongs to another user, or it cannot be shown that it is yours',
    'Unset DBUS_SESSION_BUS_ADDRESS where an earlier session, sudo or su has left it, or type dbus-run-session -- bash for a bus of your own and, in the shell it starts, gnome-keyring-daemon --unlock --components=secrets, which reads the keyring’s password on stdin',
  ],
  no_service: [
    'no program on the session bus offers the Secret Service',
    'Install and start one: apt-get install gnome-keyring, then gnome-keyring-daemon --unlock --components=secrets, which reads the keyring’s password on stdin (KWallet and KeePassXC work too)',
  ],
  no_collection: [
    'the Secret Service has no default keyring yet',
    'Make one: gnome-keyring-daemon --replace --unlock --components=secrets, which reads its password on stdin, or in a desktop’s password manager (Seahorse: New, Password keyring, Set as default)',
  ],
  no_package: [
    'its native package (@napi-rs/keyring) is not installed for this platform',
    'Install postern again without --omit=optional, on a supported platform',
  ],
};

/** What works without any keychain, if a person wants it. */
const orSealedFiles =
  'What works without a keychain: postern login <server> --store file, which keeps logins in sealed files.';

/** There is no keychain here. Never answered by writing secrets elsewhere. */
export function storeUnavailable(why: Unavailable, cause?: unknown): Failure {
  const [text, remedy] = unavailable[why];
  return new Failure({
    code: 'store_unavailable',
    exit: exitCode.store,
    message: `The keychain cannot be used: ${text}.`,
    remedy: `${remedy}. ${orSealedFiles}`,
    cause,
  });
}

/** The keychain is locked, and nobody could, or would, unlock it. Nothing was changed. */
export function storeLocked(platform: string, detail?: 'unanswered' | 'denied'): Failure {
  const ending = {
    unanswered: ', and nobody answered its prompt',
    denied: ', and its prompt was dismissed or could not be shown',
  };
  return new Failure({
    code: 'store_locked',
    exit: exitCode.store,
    message: `The keychain is locked${detail === undefined ? '' : ending[detail]}; nothing was read or changed.`,
    remedy: `${unlockRemedy(platform)} ${orSealedFiles}`,
  });
}

/** The keychain did not answer in time. It is not asked again by this process. */
export function storeTimeout(platform: string, during: string, limitMs: number): Failure {
  return new Failure({
    code: 'store_timeout',
    exit: exitCode.store,
    message: `The keychain did not answer within ${Math.round(limitMs / 100) / 10} s when asked to ${during}; it may be hung, or be waiting for a prompt that nobody sees.`,
    remedy:
      platform === 'linux'
        ? `Look for its prompt, or restart it: gnome-keyring-daemon --replace --unlock --components=secrets; then run the command again. ${orSealedFiles}`
        : `${unlockRemedy(platform)} ${orSealedFiles}`,
  });
}

/** The keychain answered with an error. */
export function storeFailed(during: string, cause: unknown): Failure {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new Failure({
    code: 'store_failed',
    exit: exitCode.store,
    message: `The keychain failed to ${during}: ${quoted(said, 200)}.`,
    remedy: 'Check that the keychain works (can other programs save a password?), then run the command again.',
    cause,
  });
}

/** A value no keychain is meant for. */
export function storeTooLarge(bytes: number, limit: number): Failure {
  return new Failure({
    code: 'store_too_large',
    exit: exitCode.store,
    message: `The credential has ${bytes} bytes, more than the ${limit} that are stored; nothing was stored.`,
    remedy: 'Ask the operator of the authorization server why its tokens are so large, or ask for fewer scopes.',
  });
}

/** The item was there, but not all its parts, or not as they were written. */
export function storeDamaged(why: string): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `The keychain’s item is damaged (${printable(why, 100)}); it was left as it is and not used.`,
    remedy: 'Log in again, which replaces it: postern login <server>',
  });
}

function unlockRemedy(platform: string): string {
  if (platform === 'darwin') {
    return 'Unlock it with security unlock-keychain, and allow postern in its prompt, then run the command again.';
  }
  if (platform === 'win32') {
    return 'Sign in to Windows in a desktop session, where the Credential Manager is open, then run the command again.';
  }
  return 'Unlock it by logging in to the desktop, or restart it with gnome-keyring-daemon --replace --unlock --components=secrets (it reads the password on stdin), then run the command again.';
}

/** No program of that name on the PATH. */
export function helperMissing(program: string): Failure {
  return new Failure({
    code: 'store_unavailable',
    exit: exitCode.store,
    message: `The store cannot be used: there is no ${program} in an absolute folder of the PATH.`,
    remedy:
      'Install it (Debian: apt-get install golang-docker-credential-helpers), or choose another store: postern login <server> --store file',
  });
}

/** It did not answer in time and was killed. It is not asked again by this process. */
export function helperTimeout(program: string, limitMs: number): Failure {
  return new Failure({
    code: 'store_timeout',
    exit: exitCode.store,
    message: `${program} did not answer within ${limitMs / 1000} s and was ended; it may be waiting for a prompt that nobody sees.`,
    remedy: 'Unlock what it keeps secrets in (its keyring, its GPG key), then run the command again.',
  });
}

/** It ended with an error. `said` is untrusted, and holds no secret. */
export function helperFailed(program: string, operation: string, said: string): Failure {
  return new Failure({
    code: 'store_failed',
    exit: exitCode.store,
    message: `${program} ${operation} failed${said === '' ? ' and said nothing that may be shown' : `: ${quoted(said, 200)}`}.`,
    remedy: `Make ${program} work (it needs its keyring or password store set up and unlocked), then run the command again.`,
  });
}

/** What it gave back is not what was given to it. */
export function helperAnswerWrong(program: string, why: string): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `What ${program} gave back is not what postern stored in it: ${why}. It was not used.`,
    remedy: `Mend ${program} and log in again, or choose another store: postern login <server> --store file`,
  });
}
