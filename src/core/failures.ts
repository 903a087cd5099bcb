import { exitCode, Failure, type Typo } from './failure.js';
import { printable, quotedPath, shellWord } from './text/printable.js';
import { isWindows } from './text/system.js';

function wrongUsage(message: string, remedy: string, code = 'usage_wrong', typo?: Typo): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy, typo });
}

/** An invalid command line. `help` is the command that explains. */
export function usageWrong(message: string, help: string): Failure {
  return wrongUsage(message, `See: ${help}`);
}

/** A required word is missing. @param example A command line that works. */
export function wordMissing(message: string, name: string, example?: string): Failure {
  const remedy = example === undefined ? `See: postern ${name} --help` : `For example: ${example}`;
  return new Failure({ code: 'word_missing', exit: exitCode.usage, message, remedy, example });
}

/** A menu was answered with something else several times. */
export function nothingChosen(question: string): Failure {
  const remedy = 'Run the command again, and type one of the numbers.';
  return wrongUsage(`Nothing was chosen at “${printable(question, 200)}”.`, remedy, 'nothing_chosen');
}

/** Two options that cannot be combined. */
export function usageContradictory(option: string, other: string, help: string): Failure {
  return wrongUsage(
    `${option} and ${other} cannot be used together.`,
    `Leave one of them out; what each does: ${help}`,
  );
}

/** A mistyped word. @param typo For a word on the command line. */
export function usageMistyped(message: string, meant: string, typo?: Typo): Failure {
  return wrongUsage(message, `Did you mean ${meant}?`, 'usage_wrong', typo);
}

/** An invalid option value. `why` does not quote it; `help` is the command that explains. */
export function argumentRefused(option: string, why: string, help: string): Failure {
  return wrongUsage(`The value of ${option} cannot be used: ${why}.`, `See: ${help}`, 'usage');
}

/** An invalid setting in the configuration file or the environment. */
export function configurationUnusable(where: string, why: string): Failure {
  const remedy = 'Correct or remove that setting.';
  return wrongUsage(`${quotedPath(where, 200)} cannot be used: ${why}.`, remedy, 'configuration_unusable');
}

/** Others could have written the configuration file or its folder. */
export function configurationUnsafe(path: string, why: string): Failure {
  const word = printable(shellWord(path), 300);
  const [look, how] = isWindows ? ['icacls', ''] : ['ls -ld', ' (chown, chmod go-w)'];
  const remedy = `Look at it with ${look} ${word}; make it a plain file of yours that nobody else can write to${how}, or name the folder where it really is with POSTERN_CONFIG_DIR.`;
  return wrongUsage(`${quotedPath(path, 200)} cannot be used: ${why}.`, remedy, 'configuration_unusable');
}

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

/** A file on the command line, or stdin, that cannot be read. @param setting What names the path. */
export function fileUnreadable(path: string, code: string, setting = 'the path'): Failure {
  const shown = quotedPath(path, 200);
  const [message, remedy] =
    code === 'ENOENT'
      ? [`There is no file ${shown}.`, `Check ${setting}.`]
      : [`${shown} could not be read (${code}).`, `Check ${setting} and its permissions.`];
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
