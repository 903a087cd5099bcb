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
