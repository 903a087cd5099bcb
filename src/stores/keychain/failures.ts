import type { Failure, Remedy } from '../../core/failure.js';
import { printable, quoted } from '../../core/text/printable.js';
import { storeFailure } from '../state-failures.js';
import type { ServiceName } from './service-name.js';

/** Which keychain fails: a Secret Service by its program, macOS’ or Windows’ by its platform. */
export type KeychainName = ServiceName | 'darwin' | 'win32';

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
  ended: [
    'the Secret Service has ended in the middle of a request',
    `Log in to the desktop again, which starts it; or start it yourself: ${howToStart}`,
  ],
  no_collection: [
    'the Secret Service has no default keyring',
    'Make one in your desktop’s password manager, and set it as default.',
  ],
  no_package: [
    'its native package (@napi-rs/keyring) is not installed for this platform',
    'Install postern again without --omit=optional, on a supported platform.',
  ],
} as const;

export type Unavailable = keyof typeof unavailable;

const openWallet = 'kwallet-query -l kdewallet, which asks for its password';

/** The same, where it is known which program it is. */
const unavailableAt: Partial<Record<Unavailable, Partial<Record<KeychainName, readonly [string, string]>>>> = {
  no_service: {
    kwallet: ['KWallet is installed and does not run', `Start it in your desktop session: ${openWallet}.`],
    keepassxc: [
      'KeePassXC runs, but not as a Secret Service',
      'In KeePassXC: Tools, Settings, Secret Service Integration: enable it. Then expose a group of your database (Database, Database Settings, Secret Service Integration).',
    ],
  },
  ended: {
    'gnome-keyring': [
      'gnome-keyring has ended in the middle of a request',
      'Start it again by logging in to the desktop, or with gnome-keyring-daemon --replace --unlock --components=secrets (it reads the password on stdin), then try again.',
    ],
    kwallet: [
      'KWallet has ended in the middle of a request',
      `Start it again in your desktop session: ${openWallet}. Then try again.`,
    ],
    keepassxc: [
      'KeePassXC has ended in the middle of a request',
      'Start it again, and unlock its database in its window, then try again.',
    ],
  },
  no_collection: {
    darwin: [
      'macOS finds no default keychain',
      'Log in to the desktop of this Mac once, or choose one: security default-keychain -s login.keychain-db',
    ],
    'gnome-keyring': [
      'the Secret Service has no default keyring',
      'Make one: gnome-keyring-daemon --replace --unlock --components=secrets, which reads its password on stdin, or in a desktop’s password manager (Seahorse: New, Password keyring, Set as default).',
    ],
    kwallet: [
      'KWallet has no wallet yet',
      'Make one in your desktop session (System Settings, KDE Wallet), then log in to the desktop again: KWallet shows a new one at its next start.',
    ],
    keepassxc: [
      'KeePassXC shows no database to other programs',
      'In KeePassXC: open a database, and expose a group of it (Database, Database Settings, Secret Service Integration).',
    ],
  },
};

/** Most commands that find no keychain have no `--store`: it is the login that has. */
function orSealedFiles(remedy: string): Remedy {
  return ({ logIn }) => `${remedy} Without a keychain, use encrypted files: ${logIn('--store file')}`;
}

/** There is no keychain here. Never answered by writing secrets elsewhere. */
export function storeUnavailable(why: Unavailable, keychain: KeychainName, cause?: unknown): Failure {
  const [text, remedy] = unavailableAt[why]?.[keychain] ?? unavailable[why];
  const message = `No keychain here (${text}).`;
  const useFiles: Remedy = ({ logIn }) => `Use encrypted files (${logIn('--store file')}). ${remedy}`;
  return storeFailure('store_unavailable', message, useFiles, cause);
}

const titles: Partial<Record<KeychainName, string>> = { kwallet: ' (KWallet)', keepassxc: ' (KeePassXC)' };

/** What is waited for while a person is asked by the keychain. */
export function waitingNotice(keychain: KeychainName, isLocked: boolean): string {
  const why = isLocked ? 'is locked' : 'asks before it is used';
  return `The keychain${titles[keychain] ?? ''} ${why}: waiting for its prompt to be answered.`;
}

const lockedBecause = {
  unanswered: ', and nobody answered its prompt',
  denied: ', and its prompt was dismissed or could not be shown',
};

const unlockRemedies: Readonly<Record<KeychainName, string>> = {
  'gnome-keyring':
    'Unlock it by logging in to the desktop, or restart it with gnome-keyring-daemon --replace --unlock --components=secrets (it reads the password on stdin), then try again.',
  kwallet: `Open it in your desktop session (${openWallet}), then try again.`,
  keepassxc: 'Unlock its database in KeePassXC’s window, then try again.',
  other: 'Unlock it by logging in to the desktop, or in the program that keeps it, then try again.',
  none: 'Unlock it by logging in to the desktop, then try again.',
  darwin: 'Unlock it with security unlock-keychain, and allow postern in its prompt, then try again.',
  win32: 'Sign in to Windows in a desktop session, where the Credential Manager is open, then try again.',
};

/** The keychain is locked, and nobody could, or would, unlock it. Nothing was changed. */
export function storeLocked(keychain: KeychainName, detail?: keyof typeof lockedBecause): Failure {
  const why = detail === undefined ? '' : lockedBecause[detail];
  const message = `The keychain${titles[keychain] ?? ''} is locked${why}.`;
  return storeFailure('store_locked', message, orSealedFiles(unlockRemedies[keychain]));
}

/** It is open, but asks a person before it gives out this item, and nobody said yes. Nothing was changed. */
export function itemLocked(keychain: KeychainName): Failure {
  const remedy =
    keychain === 'keepassxc'
      ? 'Allow it in KeePassXC’s window; or have it asked no more (Tools, Settings, Secret Service Integration: clear “Confirm when passwords are retrieved by clients”), then try again.'
      : unlockRemedies[keychain];
  const message = `The keychain${titles[keychain] ?? ''} gives this login out only when a person allows it.`;
  return storeFailure('store_locked', message, orSealedFiles(remedy));
}

const hungRemedies: Partial<Record<KeychainName, string>> = {
  'gnome-keyring':
    'Look for its prompt, or restart it: gnome-keyring-daemon --replace --unlock --components=secrets; then try again.',
  kwallet: 'Look for its window in your desktop session, or log in to the desktop again; then try again.',
  keepassxc:
    'Look for KeePassXC’s window, which may be asking (when it asks is set in Tools, Settings, Secret Service Integration); then try again.',
  darwin: unlockRemedies.darwin,
  win32: unlockRemedies.win32,
};

/** The keychain did not respond in time. This process does not ask it again. */
export function storeTimeout(keychain: KeychainName, during: string, limitMs: number): Failure {
  const remedy = hungRemedies[keychain] ?? 'Look for its prompt, or log in to the desktop again; then try again.';
  const seconds = Math.round(limitMs / 100) / 10;
  return storeFailure(
    'store_timeout',
    `The keychain${titles[keychain] ?? ''} did not respond within ${seconds} s when asked to ${during}; it may be waiting for a hidden prompt.`,
    orSealedFiles(remedy),
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

/** The item was there, but not all its parts, or not as they were written. */
export function storeDamaged(why: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `The keychain’s item is damaged (${printable(why, 100)}); it was not used.`,
    ({ logIn }) => `Log in again, which replaces it: ${logIn()}`,
  );
}
