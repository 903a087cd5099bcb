import { exitCode, Failure } from './failure.js';
import { quoted } from './text/printable.js';

/** stdout takes no more: the reader has gone, or the disk is full. */
export function outputFailed(code: string, cause: unknown): Failure {
  return new Failure({
    code: 'output_failed',
    exit: exitCode.fault,
    message:
      code === 'EPIPE'
        ? 'Whoever reads the output has gone before all of it was written.'
        : `The output could not be written (${code}).`,
    remedy:
      code === 'ENOSPC'
        ? 'Make room on the disk, and run the command again.'
        : 'Run the command again with an output that takes all of it.',
    cause,
  });
}

/** A file named on the command line, or stdin, that cannot be read. */
export function fileUnreadable(path: string, code: string): Failure {
  return new Failure({
    code: 'file_unreadable',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} could not be read (${code}).`,
    remedy: 'Check the path and its permissions.',
  });
}

/** More input than the command takes. */
export function inputTooLarge(path: string, maxBytes: number): Failure {
  return new Failure({
    code: 'input_too_large',
    exit: exitCode.usage,
    message: `${quoted(path, 200)} holds more than ${maxBytes} bytes.`,
    remedy: 'Pass less.',
  });
}

/** The person, or the system, ended the program. */
export function interrupted(): Failure {
  return new Failure({
    code: 'interrupted',
    exit: exitCode.interrupted,
    message: 'Interrupted.',
    remedy: 'Nothing was left half done; run the command again when you like.',
  });
}
