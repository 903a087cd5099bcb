import { exitCode, Failure } from './failure.js';
import { quotedPath } from './text/printable.js';

/** stdout failed: the reader has gone, or the disk is full. */
export function outputFailed(code: string, cause: unknown): Failure {
  const isGone = code === 'EPIPE';
  const message = isGone
    ? 'The program that reads this output stopped before the end.'
    : `The output could not be written (${code}).`;
  const isFull = code === 'ENOSPC';
  const remedy = isFull
    ? 'Make room on the disk, then try again.'
    : 'Let it read the whole output, or write to a file.';
  return new Failure({ code: 'output_failed', exit: exitCode.fault, message, remedy, cause });
}

/** A file on the command line, or stdin, that cannot be read. */
export function fileUnreadable(path: string, code: string): Failure {
  const shown = quotedPath(path, 200);
  const [message, remedy] =
    code === 'ENOENT'
      ? [`There is no file ${shown}.`, 'Check the path.']
      : [`${shown} could not be read (${code}).`, 'Check the path and its permissions.'];
  return new Failure({ code: 'file_unreadable', exit: exitCode.usage, message, remedy });
}

/** More input than the command accepts. */
export function inputTooLarge(path: string, maxBytes: number): Failure {
  const message = `${quotedPath(path, 200)} holds more than ${maxBytes} bytes.`;
  return new Failure({ code: 'input_too_large', exit: exitCode.usage, message, remedy: 'Pass less.' });
}

/** The user or the system ended the program; nothing is half done. */
export function interrupted(): Failure {
  return new Failure({ code: 'interrupted', exit: exitCode.interrupted, message: 'Cancelled.', remedy: '' });
}

/**
 * The same after a request has left that cannot be taken back.
 * @param what Completes "the server may already have …", e.g. `run the tool`
 */
export function interruptedUnderWay(what: string): Failure {
  const message = `Cancelled; the server may already have ${what}.`;
  return new Failure({ code: 'interrupted', exit: exitCode.interrupted, message, remedy: '' });
}
