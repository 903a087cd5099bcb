import { type LoginMeant, loginArgument, loginCommand } from '../primitives/login-command.js';
import { printable, quoted } from '../primitives/printable.js';
import { exitCode, Failure } from './failure.js';

/** Why there is no keychain to be had. */
export type Unavailable =
  | 'no_bus'
  | 'no_bus_named'
  | 'foreign_bus'
  | 'no_service'
  | 'no_collection'
  | 'no_package';

const busRemedy =
  'Log in to a desktop session; without one (SSH, CI, container) type dbus-run-session -- bash and, in the shell it starts, gnome-keyring-daemon --unlock --components=secrets, which reads the keyring’s password on stdin';

const unavailable: Readonly<Record<Unavailable, readonly [why: string, remedy: string]>> = {
  no_bus: [
    'there is no D-Bus session bus to reach it by (DBUS_SESSION_BUS_ADDRESS leads nowhere)',
    busRemedy,
  ],
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
    remedy:
      'Check that the keychain works (can other programs save a password?), then run the command again.',
    cause,
  });
}

/** A value no keychain is meant for. */
export function storeTooLarge(bytes: number, limit: number): Failure {
  return new Failure({
    code: 'store_too_large',
    exit: exitCode.store,
    message: `The credential has ${bytes} bytes, more than the ${limit} that are stored; nothing was stored.`,
    remedy:
      'Ask the operator of the authorization server why its tokens are so large, or ask for fewer scopes.',
  });
}

/** The store that is moved to gave back something else than what was written. Nothing was removed. */
export function moveNotVerified(store: string): Failure {
  return new Failure({
    code: 'store_failed',
    exit: exitCode.store,
    message: `A credential that was written to the store ${printable(store, 80)} could not be read there again; it is still used where it was.`,
    remedy: 'Check that this store works, then run the command again.',
  });
}

/** A store that does not open keeps its login from being ended. */
export function notForgotten({ code, exit, message, remedy, cause, trail }: Failure): Failure {
  const both = `${remedy} To forget the login here all the same, run it with --force.`;
  return new Failure({ code, exit, message, remedy: both, cause, trail });
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

/** The item of this login is not what was written for it: cut, changed, or another login's. */
export function credentialCorrupt(login: LoginMeant): Failure {
  return new Failure({
    code: 'credential_corrupt',
    exit: exitCode.store,
    message: `The stored credential for ${quoted(login.server, 200)} is damaged or belongs to another login; it was left as it is and not used.`,
    remedy: `To replace it, run: ${loginCommand(login)}; to forget it: postern logout ${loginArgument(login)}`,
  });
}

/** The item was written by a later release, which may need what this one would lose. */
export function credentialNewer(server: string): Failure {
  return new Failure({
    code: 'credential_newer',
    exit: exitCode.store,
    message: `The stored credential for ${quoted(server, 200)} was written by a newer postern; it was left as it is.`,
    remedy: 'Update postern to the newest release, then run the command again.',
  });
}

/** A key made here is not in its store any more, or the item there is not that key. */
export function clientKeyGone(clientId: string, damaged: boolean): Failure {
  return new Failure({
    code: damaged ? 'credential_corrupt' : 'client_key_gone',
    exit: exitCode.store,
    message: damaged
      ? `The stored private key of the client ${quoted(clientId, 200)} is damaged or another one; it was left as it is and not used.`
      : `The private key that was made for the client ${quoted(clientId, 200)} is no longer in its store.`,
    remedy: 'Make a new one, and give its public half to the authorization server in place of the old one.',
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
