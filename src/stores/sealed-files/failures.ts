import type { Failure } from '../../core/failure.js';
import { quotedPath } from '../../core/text/printable.js';
import { isWindows } from '../../core/text/system.js';
import { storeFailure } from '../state-failures.js';

/** What the key of the sealed files is made from. */
export type KeyWay = 'key-file' | 'passphrase';

const sealedFiles = 'The sealed files (store “file”)';

const makeKeyOnUnix =
  '(umask 077; head -c 32 /dev/urandom > "$HOME/.postern-store-key"), then export POSTERN_STORE_KEY_FILE="$HOME/.postern-store-key"';

/** For cmd.exe and PowerShell alike. */
const makeKeyOnWindows =
  "node -e \"require('fs').writeFileSync(require('os').homedir()+'/.postern-store-key',require('crypto').randomBytes(32))\", then set POSTERN_STORE_KEY_FILE to the path of .postern-store-key in your home folder";

const makeKey = isWindows ? makeKeyOnWindows : makeKeyOnUnix;

/** Nothing to make the key of new sealed files from. */
export function storeKeyMissing(): Failure {
  return storeFailure(
    'store_key_missing',
    `${sealedFiles} need a key: POSTERN_STORE_KEY_FILE names no key file, systemd gave none, and there was nobody at a terminal to choose a passphrase.`,
    `Make a key file: ${makeKey}; or run it in a terminal, where a passphrase is asked for.`,
  );
}

/** The sealed files are there, and what opens them is not. */
export function storeKeyNeeded(way: KeyWay): Failure {
  return way === 'key-file'
    ? storeFailure(
        'store_key_missing',
        `${sealedFiles} were made with a key file, and POSTERN_STORE_KEY_FILE does not name it here.`,
        'Set POSTERN_STORE_KEY_FILE to the absolute path of that key file, then try again.',
      )
    : storeFailure(
        'store_key_missing',
        `${sealedFiles} were made with a passphrase, and there was nobody at a terminal to type it.`,
        'Run it in a terminal; for scripts, log out and in again with POSTERN_STORE_KEY_FILE set to a key file.',
      );
}

/** A key file that cannot protect anything. */
export function storeKeyUnsafe(path: string, why: string): Failure {
  const message = `The key file ${quotedPath(path, 200)} was not used: ${why}.`;
  return storeFailure('store_key_unsafe', message, `Correct that, or make another: ${makeKey}.`);
}

/** This key is not the one that the files were sealed with. Nothing was changed. */
export function storeKeyWrong(way: KeyWay): Failure {
  const [key, remedy] =
    way === 'key-file'
      ? ['key file', 'Set POSTERN_STORE_KEY_FILE to the key file that they were made with, then try again.']
      : ['passphrase', 'Try again with the right passphrase.'];
  return storeFailure(
    'store_key_wrong',
    `${sealedFiles} do not open with this ${key}; they were left as they are.`,
    ({ logIn }) => `${remedy} If it is lost, so are these logins. Log in again: ${logIn('--store keychain')}`,
  );
}

/** A sealed file, or what belongs to all of them, is not what was written under this name. */
export function sealedFileDamaged(path: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `The sealed file ${quotedPath(path, 200)} is damaged, or is not the one that was written under this name; it was left as it is and not used.`,
    ({ logIn }) => `Put back a good copy of it, or log in again, which replaces it: ${logIn()}`,
  );
}

/** The salt and check of all sealed files cannot be read, so none of them can. */
export function sealedHeadDamaged(path: string): Failure {
  return storeFailure(
    'store_damaged',
    `${quotedPath(path, 200)}, without which no sealed file opens, is damaged or gone; everything was left as it is.`,
    ({ logIn }) => `Put back a good copy of it; or move its folder away and log in again: ${logIn()}`,
  );
}

/** Written by a later release. */
export function sealedFileNewer(path: string): Failure {
  return storeFailure(
    'credential_newer',
    `The sealed file ${quotedPath(path, 200)} was written by a newer postern; it was left as it is.`,
    'Update postern to the newest release, then try again.',
  );
}
