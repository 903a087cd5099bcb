import type { Failure, Remedy } from '../../core/failure.js';
import { quoted } from '../../core/text/printable.js';
import { storeFailure } from '../failures.js';

/** The program that is the Secret Service of a session bus, or could be; `none`: there is none. */
export type ServiceName = 'gnome-keyring' | 'kwallet' | 'keepassxc' | 'other' | 'none';

/** Which keychain fails: a Secret Service by its program, macOS’ or Windows’ by its platform. */
type KeychainName = ServiceName | 'darwin' | 'win32';

export type Unavailable =
  | 'no_bus'
  | 'no_bus_named'
  | 'foreign_bus'
  | 'no_service'
  | 'ended'
  | 'no_collection'
  | 'no_package';

type Reason = readonly [why: string, remedy: string];

/** What is particular to one keychain; the words of `other` are those for the rest. */
interface Words {
  readonly program?: string;
  readonly unlock: string;
  readonly hung?: string;
  /** The item alone is locked. */
  readonly allow?: string;
  /** It has ended in the middle of a request. */
  readonly restart?: string;
  readonly unavailable?: Partial<Record<Exclude<Unavailable, 'ended'>, Reason>>;
}

const help = 'postern help stores';

const keyringDaemon = 'gnome-keyring-daemon --replace --unlock --components=secrets';

const openWallet = 'kwallet-query -l kdewallet, which asks for its password';

const other = {
  program: 'the Secret Service',
  unlock: 'Unlock it by logging in to the desktop, or in the program that keeps it, then try again.',
  hung: 'Look for its prompt, or log in to the desktop again; then try again.',
  restart: `Log in to the desktop again, which starts it; or start it yourself: ${help}`,
  unavailable: {
    no_bus: ['no D-Bus session: DBUS_SESSION_BUS_ADDRESS leads nowhere', `To use a keychain anyway: ${help}`],
    no_bus_named: ['no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set', `To use a keychain anyway: ${help}`],
    foreign_bus: [
      'the D-Bus session belongs to another user',
      `Unset DBUS_SESSION_BUS_ADDRESS where an earlier session, sudo or su has left it. For a bus of your own: ${help}`,
    ],
    no_service: [
      'no Secret Service on the D-Bus session',
      `Install one (apt-get install gnome-keyring; KWallet and KeePassXC work too). To start it: ${help}`,
    ],
    no_collection: [
      'the Secret Service has no default keyring',
      'Make one in your desktop’s password manager, and set it as default.',
    ],
    no_package: [
      'its native package (@napi-rs/keyring) is not installed for this platform',
      'Install postern again without --omit=optional, on a supported platform.',
    ],
  },
} as const satisfies Words;

const keychains: Readonly<Record<KeychainName, Words>> = {
  other,
  none: { unlock: 'Unlock it by logging in to the desktop, then try again.' },
  'gnome-keyring': {
    program: 'gnome-keyring',
    unlock: `Unlock it by logging in to the desktop, or restart it with ${keyringDaemon} (it reads the password on stdin), then try again.`,
    hung: `Look for its prompt, or restart it: ${keyringDaemon}; then try again.`,
    restart: `Start it again by logging in to the desktop, or with ${keyringDaemon} (it reads the password on stdin), then try again.`,
    unavailable: {
      no_collection: [
        'the Secret Service has no default keyring',
        `Make one: ${keyringDaemon}, which reads its password on stdin, or in a desktop’s password manager (Seahorse: New, Password keyring, Set as default).`,
      ],
    },
  },
  kwallet: {
    program: 'KWallet',
    unlock: `Open it in your desktop session (${openWallet}), then try again.`,
    hung: 'Look for its window in your desktop session, or log in to the desktop again; then try again.',
    restart: `Start it again in your desktop session: ${openWallet}. Then try again.`,
    unavailable: {
      no_service: ['KWallet is installed and does not run', `Start it in your desktop session: ${openWallet}.`],
      no_collection: [
        'KWallet has no wallet yet',
        'Make one in your desktop session (System Settings, KDE Wallet), then log in to the desktop again: KWallet shows a new one at its next start.',
      ],
    },
  },
  keepassxc: {
    program: 'KeePassXC',
    unlock: 'Unlock its database in KeePassXC’s window, then try again.',
    hung: 'Look for KeePassXC’s window, which may be asking (when it asks is set in Tools, Settings, Secret Service Integration); then try again.',
    restart: 'Start it again, and unlock its database in its window, then try again.',
    allow:
      'Allow it in KeePassXC’s window; or have it asked no more (Tools, Settings, Secret Service Integration: clear “Confirm when passwords are retrieved by clients”), then try again.',
    unavailable: {
      no_service: [
        'KeePassXC runs, but not as a Secret Service',
        'In KeePassXC: Tools, Settings, Secret Service Integration: enable it. Then expose a group of your database (Database, Database Settings, Secret Service Integration).',
      ],
      no_collection: [
        'KeePassXC shows no database to other programs',
        'In KeePassXC: open a database, and expose a group of it (Database, Database Settings, Secret Service Integration).',
      ],
    },
  },
  darwin: {
    unlock: 'Unlock it with security unlock-keychain, and allow postern in its prompt, then try again.',
    unavailable: {
      no_collection: [
        'macOS finds no default keychain',
        'Log in to the desktop of this Mac once, or choose one: security default-keychain -s login.keychain-db',
      ],
    },
  },
  win32: { unlock: 'Sign in to Windows in a desktop session, where the Credential Manager is open, then try again.' },
};

/** There is no keychain here. Never answered by writing secrets elsewhere. */
export function storeUnavailable(why: Unavailable, keychain: KeychainName, cause?: unknown): Failure {
  const { program = other.program, restart = other.restart, unavailable } = keychains[keychain];
  const [text, remedy] =
    why === 'ended'
      ? [`${program} has ended in the middle of a request`, restart]
      : (unavailable?.[why] ?? other.unavailable[why]);
  const useFiles: Remedy = ({ logIn }) => `Use encrypted files (${logIn('--store file')}). ${remedy}`;
  return storeFailure('store_unavailable', `No keychain here (${text}).`, useFiles, cause);
}

/** What is waited for while a person is asked by the keychain. */
export function waitingNotice(keychain: KeychainName, isLocked: boolean): string {
  return `${named(keychain)} ${isLocked ? 'is locked' : 'asks before it is used'}: waiting for its prompt to be answered.`;
}

/** The keychain is locked, and nobody could, or would, unlock it. Nothing was changed. */
export function storeLocked(keychain: KeychainName, detail?: 'unanswered' | 'denied'): Failure {
  const why = {
    unanswered: ', and its prompt was not answered',
    denied: ', and its prompt was dismissed or could not be shown',
  };
  const message = `${named(keychain)} is locked${detail === undefined ? '' : why[detail]}.`;
  return storeFailure('store_locked', message, orSealedFiles(keychains[keychain].unlock));
}

/** It is open, but asks before it releases this item, and nobody allowed it. Nothing was changed. */
export function itemLocked(keychain: KeychainName): Failure {
  const { allow, unlock } = keychains[keychain];
  const message = `${named(keychain)} gives this login out only when a person allows it.`;
  return storeFailure('store_locked', message, orSealedFiles(allow ?? unlock));
}

/** The keychain did not respond in time. This process does not ask it again. */
export function storeTimeout(keychain: KeychainName, during: string, limitMs: number): Failure {
  const seconds = Math.round(limitMs / 100) / 10;
  const isService = keychain !== 'darwin' && keychain !== 'win32';
  const { hung, unlock } = keychains[keychain];
  return storeFailure(
    'store_timeout',
    `${named(keychain)} did not respond within ${seconds} s when asked to ${during}; it may be waiting for a hidden prompt.`,
    orSealedFiles(isService ? (hung ?? other.hung) : unlock),
  );
}

/** The keychain answered with an error. */
export function storeFailed(during: string, cause: unknown): Failure {
  const text = cause instanceof Error ? cause.message : String(cause);
  return storeFailure(
    'store_failed',
    `The keychain failed to ${during}: ${quoted(text, 200)}.`,
    'Check that the keychain works (can other programs save a password?), then try again.',
    cause,
  );
}

/** The item was there, but not all its parts, or not as they were written. */
export function storeDamaged(): Failure {
  return storeFailure(
    'credential_corrupt',
    'The keychain’s item is damaged (a part of it is missing or changed); it was not used.',
    ({ logIn }) => `Log in again, which replaces it: ${logIn()}`,
  );
}

function named(keychain: KeychainName): string {
  const isNamed = keychain === 'kwallet' || keychain === 'keepassxc';
  return `The keychain${isNamed ? ` (${keychains[keychain].program})` : ''}`;
}

/** Most commands that find no keychain have no `--store`: it is the login that has. */
function orSealedFiles(remedy: string): Remedy {
  return ({ logIn }) => `${remedy} Without a keychain, use encrypted files: ${logIn('--store file')}`;
}
