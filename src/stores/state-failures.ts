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
      'Forget logins that nobody needs (postern status, postern logout NAME), then try again.',
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
  /** Who has it, as far as that is known: `process 123`. */
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
