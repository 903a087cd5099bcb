import type { ResultWriter } from '../core/command.js';
import { exitCode, Failure } from '../core/failure.js';
import { asciiJson, printable, quoted } from '../core/text/printable.js';

/** Names that a failure lists. */
const maxNamed = 30;

/** In characters. */
const longestShown = 1_000_000;

/**
 * stdout with one value of each JSON result on it, for `--field`: a string as it is, anything else as JSON. At a terminal
 * nothing in it can steer the terminal.
 * @param path Member names and places in lists, with dots between them (`logins.0.name`, or `logins[0].name`); `\.` is a dot in a name.
 */
export function fieldWriter(out: ResultWriter, path: string): ResultWriter {
  const textOf = (value: unknown) => {
    const found = fieldOf(value, path);
    if (typeof found !== 'string') return asciiJson(found);
    return out.isTerminal ? printable(found, longestShown) : found;
  };
  const noJson = async () => {
    throw new Error('a command without a JSON result was asked for a field of it');
  };
  return {
    isTerminal: out.isTerminal,
    write: noJson,
    line: noJson,
    json: async (value) => out.line(textOf(value)),
    exact: { text: noJson, json: async (value) => out.exact.text([textOf(value)]) },
  };
}

/** The value at that path. @throws Failure `field_missing`, with the names that there are */
export function fieldOf(value: unknown, path: string): unknown {
  const parts = path.split(/(?<!\\)\./).map((part) => part.replaceAll('\\.', '.'));
  const passed: string[] = [];
  let at = value;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    // `logins[0]`, as in JavaScript and jq, where nothing is called so.
    const [, name, indexes] = (has(at, part) ? undefined : /^([^[]*)((?:\[\d+\])+)$/.exec(part)) ?? [];
    if (name !== undefined && indexes !== undefined) {
      parts.unshift(...(name === '' ? [] : [name]), ...indexes.slice(1, -1).split(']['));
      continue;
    }
    if (!has(at, part)) throw fieldMissing(part, passed.join('.'), at);
    passed.push(part);
    at = at[part];
  }
  return at;
}

function has(value: unknown, name: string): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, name) && !(Array.isArray(value) && name === 'length');
}

/** @param path Where the name was looked for. */
function fieldMissing(part: string, path: string, at: unknown): Failure {
  const where = path === '' ? 'The result' : `${quoted(path, 200)} in the result`;
  const names = typeof at === 'object' && at !== null && !Array.isArray(at) ? Object.keys(at) : [];
  const shown = names.slice(0, maxNamed).map((name) => printable(name, 80));
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : '';
  const remedy = Array.isArray(at)
    ? at.length === 0
      ? 'That list is empty; see all of the result with --json.'
      : `It is a list: name a place from 0 to ${at.length - 1}.`
    : names.length === 0
      ? 'It has no members; see all of the result with --json.'
      : `It has: ${shown.join(', ')}${more}`;
  return new Failure({
    code: 'field_missing',
    exit: exitCode.usage,
    message: `${where} has no field ${quoted(part, 80)}.`,
    remedy,
  });
}
