import { exitCode, Failure } from '../core/failure.js';
import { quoted } from '../core/text/printable.js';

/** An environment variable names a folder in a way that cannot be relied on. */
export function pathRefused(variable: string, value: string): Failure {
  return new Failure({
    code: 'path_refused',
    exit: exitCode.usage,
    message: `${variable} is ${quoted(value, 200)}, which is not an absolute path: what it means would depend on the working folder.`,
    remedy: `Set ${variable} to an absolute path, or unset it.`,
  });
}

/** A file or folder of ours that others could read or change, or that is not what it should be. */
export function stateUnsafe(path: string, why: string): Failure {
  return new Failure({
    code: 'state_unsafe',
    exit: exitCode.store,
    message: `${quoted(path, 200)} is not safe to use: ${why}.`,
    remedy: `Look at it with ls -ld ${quoted(path, 200)}; make it yours alone (chown, chmod go-rwx), move it away, or name another folder with POSTERN_STATE_DIR.`,
  });
}

/** The system refused to write below the state folder: disk full, read-only, no permission. */
export function stateUnwritable(path: string, cause: unknown): Failure {
  return new Failure({
    code: 'state_unwritable',
    exit: exitCode.store,
    message: `${quoted(path, 200)} could not be written: ${reasonOf(cause)}.`,
    remedy:
      'Make room or allow writing there, or name another folder with POSTERN_STATE_DIR, then run the command again.',
    cause,
  });
}

/** The index holds something that this program did not write; it is left as it is. */
export function indexCorrupt(path: string, why: string): Failure {
  return new Failure({
    code: 'index_corrupt',
    exit: exitCode.store,
    message: `The list of logins ${quoted(path, 200)} is damaged (${quoted(why, 100)}); it was left as it is.`,
    remedy: putBack(path),
  });
}

/** The index was written by a later release; this one could only lose what it does not know. */
export function indexNewer(path: string): Failure {
  return new Failure({
    code: 'index_newer',
    exit: exitCode.store,
    message: `The list of logins ${quoted(path, 200)} was written by a newer postern; it was left as it is.`,
    remedy: 'Update postern to the newest release, then run the command again.',
  });
}

/** The index file or its folder is open to others, or is no plain file. */
export function indexUnsafe(path: string, why: string): Failure {
  return new Failure({
    code: 'index_unsafe',
    exit: exitCode.store,
    message: `The list of logins ${quoted(path, 200)} was not used: ${why}.`,
    remedy: `Look at it with ls -ld; make it and its folder yours alone (chown, chmod go-rwx), or move it away and log in again.`,
  });
}

/** The index cannot take what was to be written into it. */
export function indexFull(path: string): Failure {
  return new Failure({
    code: 'index_full',
    exit: exitCode.store,
    message: `The list of logins ${quoted(path, 200)} is full: with this it would be larger than 1 MiB. It was left as it is.`,
    remedy: 'Forget logins that nobody needs (postern status, postern logout <server>), then run the command again.',
  });
}

/** The index is larger than any that this program writes. */
export function indexTooLarge(path: string): Failure {
  return new Failure({
    code: 'index_too_large',
    exit: exitCode.store,
    message: `The list of logins ${quoted(path, 200)} is larger than 1 MiB; postern writes none so large, and did not read it.`,
    remedy: putBack(path),
  });
}

/** The system refused to read below the state folder. */
export function stateUnreadable(path: string, cause: unknown): Failure {
  return new Failure({
    code: 'state_unreadable',
    exit: exitCode.store,
    message: `${quoted(path, 200)} could not be read: ${reasonOf(cause)}.`,
    remedy: isOutOfFiles(cause) ? moreFiles : 'Check the disk that it lies on, then run the command again.',
    cause,
  });
}

/** The process, or the machine, may open no more files, whatever it was that wanted one. */
export function outOfFiles(cause: unknown): Failure {
  return new Failure({
    code: 'out_of_files',
    exit: exitCode.store,
    message: `The work could not go on: ${reasonOf(cause)}.`,
    remedy: moreFiles,
    cause,
  });
}

/** Whether an error says that no more files may be opened. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

const moreFiles =
  'Raise the limit for open files (ulimit -n), or end programs that hold many, then run the command again.';

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
      remedy: `Wait for it or end it, then run the command again; if no such process exists, delete ${quoted(lock, 200)}.`,
    });
    this.holder = holder;
  }
}

function putBack(path: string): string {
  return `Put back a good copy of it, or move it away (mv ${quoted(path, 200)} ${quoted(`${path}.damaged`, 200)}) and log in again: postern login <server>`;
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known: Readonly<Record<string, string>> = {
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
  const text = known[code];
  return text === undefined ? `the system said ${quoted(code || String(cause), 100)}` : `${text} (${code})`;
}
