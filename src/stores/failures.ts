import { exitCode, Failure, type Remedy, type Situation, systemCode } from '../core/failure.js';
import { quoted, quotedPath } from '../core/text/printable.js';
import { isWindows } from '../core/text/system.js';

/** What is kept on this machine cannot be read or written. */
export function storeFailure(code: string, message: string, remedy: Remedy, cause?: unknown): Failure {
  return new Failure({ code, exit: exitCode.store, message, remedy, cause });
}

/** An environment variable names a folder in a way that cannot be relied on. */
export function pathRefused(variable: string, value: string): Failure {
  return new Failure({
    code: 'path_refused',
    exit: exitCode.usage,
    message: `${variable} is ${quoted(value, 200)}, which is not an absolute path: what it means would depend on the working folder.`,
    remedy: `Set ${variable} to an absolute path, or unset it.`,
  });
}

/** Where our folders are depends on the home folder, and neither the environment nor the system names one. */
export function homeUnset(variable: string): Failure {
  return new Failure({
    code: 'home_unset',
    exit: exitCode.usage,
    message: `${variable} is not set.`,
    remedy: `Set it to a folder of your own (${variable}=/path/to/folder), or set POSTERN_CONFIG_DIR and POSTERN_STATE_DIR.`,
  });
}

/** The file that is to hold a proxy's key cannot, or must not, do so. */
export function localKeyUnusable(path: string, why: string): Failure {
  return new Failure({
    code: 'local_key_unusable',
    exit: exitCode.usage,
    message: `The key file ${quotedPath(path, 200)} is not used: ${why}.`,
    remedy: 'Name another file in a folder of your own. One that does not exist yet is made, for you alone.',
  });
}

/** A file or folder of ours that others could read or change, or that is not what it should be. */
export function stateUnsafe(path: string, why: string): Failure {
  return storeFailure(
    'state_unsafe',
    `${quotedPath(path, 200)} is not safe to use: ${why}.`,
    `${lookAt(path)}; make it yours alone${isWindows ? '' : ' (chown, chmod go-rwx)'}, move it away, or name another folder with POSTERN_STATE_DIR.`,
  );
}

/** The system refused to write below the state folder: disk full, read-only, no permission. A failure stays what it is. */
export function stateUnwritable(path: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return storeFailure(
    'state_unwritable',
    `${quotedPath(path, 200)} could not be written: ${reasonOf(cause)}.`,
    'Make room or allow writing there, or name another folder with POSTERN_STATE_DIR, then try again.',
    cause,
  );
}

/** The system refused to read below the state folder. */
export function stateUnreadable(path: string, cause: unknown): Failure {
  const remedy = isOutOfFiles(cause) ? moreFiles : 'Check the disk that it lies on, then try again.';
  return storeFailure(
    'state_unreadable',
    `${quotedPath(path, 200)} could not be read: ${reasonOf(cause)}.`,
    remedy,
    cause,
  );
}

/** Why the list of logins was not used, or not written; it is left as it is. */
export type IndexProblem = 'corrupt' | 'newer' | 'unsafe' | 'too_large' | 'full';

/** Codes `index_corrupt`, `index_newer`, `index_unsafe`, `index_too_large`, `index_full`. @param why For `corrupt` and `unsafe`. */
export function indexUnusable(problem: IndexProblem, path: string, why = ''): Failure {
  const putBack = ({ logIn }: Situation) =>
    `Put back a good copy of it, or move it away (${isWindows ? 'move' : 'mv'} ${quotedPath(path, 200)} ${quotedPath(`${path}.damaged`, 200)}) and log in again: ${logIn()}`;
  const [message, remedy] = {
    corrupt: [`is damaged (${quoted(why, 100)}); it was left as it is`, putBack],
    newer: [
      'was written by a newer postern; it was left as it is',
      'Update postern to the newest release, then try again.',
    ],
    unsafe: [
      `was not used: ${why}`,
      `${lookAt(path)}; make it and its folder yours alone${isWindows ? '' : ' (chown, chmod go-rwx)'}, or move it away and log in again.`,
    ],
    too_large: ['is larger than 1 MiB; postern writes none so large, and did not read it', putBack],
    full: [
      'is full: with this it would be larger than 1 MiB. It was left as it is',
      'Remove logins that you no longer need (postern status, postern logout NAME), then try again.',
    ],
  }[problem] as [string, Remedy];
  return storeFailure(`index_${problem}`, `The list of logins ${quotedPath(path, 200)} ${message}.`, remedy);
}

/** The process, or the machine, may open no more files, whatever it was that wanted one. */
export function outOfFiles(cause: unknown): Failure {
  return storeFailure('out_of_files', `Too many open files: ${reasonOf(cause)}.`, moreFiles, cause);
}

/** Whether an error says that no more files may be opened. */
export function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(systemCode(error));
}

const moreFiles = `${isWindows ? 'End' : 'Raise the limit for open files (ulimit -n), or end'} programs that hold many, then try again.`;

/** What shows whose it is, and who may do what with it. */
function lookAt(path: string): string {
  return `Look at it with ${isWindows ? 'icacls' : 'ls -ld'} ${quotedPath(path, 200)}`;
}

/** Another process has had the lock all along; code `busy`. */
export class Busy extends Failure {
  /** The process that has it, if known: `process 123`. */
  readonly holder: string;

  constructor(lock: string, holder: string, waitedMs: number) {
    const seconds = Math.round(waitedMs / 100) / 10;
    super({
      code: 'busy',
      exit: exitCode.network,
      message: `Another postern (${holder}) is at work on the same login or list of logins, and did not finish within ${seconds} s.`,
      remedy: `Wait for it or end it, then try again; if no such process exists, delete ${quotedPath(lock, 200)}.`,
    });
    this.holder = holder;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'a folder is in its place',
  EMFILE: 'this process may open no more files',
  ENFILE: 'this machine may open no more files',
  EIO: 'the disk reports an error',
  EEXIST: 'something that is no folder is in its place',
};

function reasonOf(cause: unknown): string {
  const code = systemCode(cause);
  const reason = reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  return `the system said ${quoted(code === 'unknown' ? String(cause) : code, 100)}`;
}

/** A value too large for any store. */
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

/** It ended with an error. @param said Its output: untrusted, without secrets. */
export function helperFailed(program: string, operation: string, said: string): Failure {
  return storeFailure(
    'store_failed',
    `${program} ${operation} failed${said === '' ? ' and said nothing that may be shown' : `: ${quoted(said, 200)}`}.`,
    `Make ${program} work (it needs its keyring or password store set up and unlocked), then try again.`,
  );
}

/** It returned something other than what was stored. */
export function helperResponseWrong(program: string, why: string): Failure {
  return storeFailure(
    'credential_corrupt',
    `What ${program} gave back is not what postern stored in it: ${why}. It was not used.`,
    ({ logIn }) => `Fix ${program} and log in again, or choose another store: ${logIn('--store file')}`,
  );
}

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
    `${sealedFiles} need a key: POSTERN_STORE_KEY_FILE names no key file, systemd provided none, and there was no terminal to ask for a passphrase.`,
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
        `${sealedFiles} need their passphrase, and there was no terminal to ask for it.`,
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
