import { exitCode, Failure, type Typo } from '../../core/failure.js';
import { printable, quoted } from '../../core/text/printable.js';

function wrong(code: string, message: string, remedy: string, typo?: Typo): Failure {
  return new Failure({ code, exit: exitCode.usage, message, remedy, typo });
}

/** Names in a sentence, as many as can be read. */
function several(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => printable(name, 60));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** The server lists no such tool. @param meant The one that is most like it. @param help The command that lists them. */
export function toolUnknown(name: string, meant: string | undefined, help: string): Failure {
  const list = `the tools there are: ${help}`;
  return wrong(
    'tool_unknown',
    `The server has no tool ${quoted(name, 80)}.`,
    meant === undefined ? `See ${list}` : `Did you mean ${printable(meant, 80)}? See ${list}`,
    meant === undefined ? undefined : { typed: name, meant },
  );
}

/** It may be in the part of the server's list that was not read. @param command Calls it. */
export function toolNotRead(name: string, command: string): Failure {
  return wrong(
    'tool_unknown',
    `The tool ${quoted(name, 80)} is not in the part of the server’s list that was read.`,
    `To call it without its help: ${printable(command, 300)}`,
  );
}

/** @param help The command that explains the tool. */
export function parameterUnknown(
  { tool, name, names }: { readonly tool: string; readonly name: string; readonly names: readonly string[] },
  meant: string | undefined,
  help: string,
): Failure {
  const message = `The tool ${quoted(tool, 80)} has no parameter ${quoted(name, 80)}.`;
  const there = names.length === 0 ? 'It takes none.' : `It takes: ${several(names)}.`;
  const hint = meant === undefined ? there : `Did you mean ${printable(meant, 80)}?`;
  const typo = meant === undefined ? undefined : { typed: name, meant };
  return wrong('parameter_unknown', message, `${hint} See: ${help}`, typo);
}

/** @param example What to add, such as `text=…`. */
export function parameterMissing(tool: string, names: readonly string[], example: string, help: string): Failure {
  const what = names.length === 1 ? 'the parameter' : 'the parameters';
  return wrong(
    'parameter_missing',
    `The tool ${quoted(tool, 80)} needs ${what} ${several(names)}.`,
    `Add ${printable(example, 200)}, or see: ${help}`,
  );
}

/** A value that the parameter does not take. @param takes Ends the sentence "it takes …". */
export function valueRefused(
  { name, text, takes }: { readonly name: string; readonly text: string; readonly takes: string },
  remedy: string,
  meant?: string,
): Failure {
  return wrong(
    'value_refused',
    `${printable(name, 80)} cannot be ${quoted(text, 80)}: it takes ${printable(takes, 400)}.`,
    remedy,
    meant === undefined ? undefined : { typed: name, meant: `${name}=${meant}` },
  );
}

/** A word that stands alone, and it is not said for which parameter. */
export function wordAlone(word: string, names: readonly string[], example: string, help: string): Failure {
  const why =
    names.length === 0
      ? 'the tool takes no parameters'
      : `a value stands alone only for a single required parameter (there are: ${several(names)})`;
  return wrong(
    'argument_unusable',
    `The argument ${quoted(word, 80)} cannot be used: ${why}.`,
    names.length === 0
      ? `Leave it out, or see: ${help}`
      : `Name it, such as ${printable(example, 200)}, or see: ${help}`,
  );
}

/** A JSON object of the tool's parameters, where it could be text as well. @param name Of the parameter whose value it may be. */
export function objectAlone(word: string, name: string): Failure {
  return wrong(
    'argument_unusable',
    `${quoted(word, 80)} may be a value, or the tool’s arguments as JSON.`,
    `For the value, put ${printable(name, 200)}= before it; for the arguments, write the object to stdin, and - here.`,
  );
}

/** `name:value`, where it could be the one value as well. Both ways to write what is meant. */
export function colonWritten(word: string, parameter: string, value: string): Failure {
  return wrong(
    'argument_unusable',
    `${quoted(word, 80)} may be a value, or a parameter with its value.`,
    `For the parameter: ${printable(parameter, 200)}; for the value: ${printable(value, 200)}`,
  );
}

/** A call that is written as in a program, such as `echo(text: "hello")`. @param command Calls the tool. */
export function writtenAsFunction(word: string, tool: string, command: string): Failure {
  return wrong(
    'tool_unknown',
    `The server has no tool ${quoted(word, 80)}.`,
    `Did you mean ${printable(tool, 80)}? Its arguments stand apart: ${printable(command, 300)}`,
  );
}

/** Several words that stand alone, where one value is wanted. @param example All of them, as one value. */
export function wordsApart(words: readonly string[], example: string): Failure {
  return wrong(
    'argument_unusable',
    `${words.length} words stand alone (${several(words)}), and the tool takes one value so.`,
    `For one value of several words put quotes around it: ${printable(example, 200)}`,
  );
}
