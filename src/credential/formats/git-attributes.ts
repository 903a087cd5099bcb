/** Of a request (git-credential, "INPUT/OUTPUT FORMAT"); the length of a line is git's own limit. */
const maxLineLength = 65_535;

const maxLines = 256;

export interface GitAttributes {
  /** The value of each name that may be given once. */
  readonly values: ReadonlyMap<string, string>;
  /** The values of each name that ends in `[]`, in order. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The same name with two values. */
  readonly contradicts: boolean;
}

/** Line feeds end lines, and nothing else does; whatever other readers take for an end of line is refused. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Has the whole request come: up to the empty line? */
export function isWholeGitRequest(bytes: Uint8Array): boolean {
  return /(?:^|\n)\r?\n/.test(new TextDecoder('latin1').decode(bytes));
}

/**
 * Takes a request to a git credential helper apart: `name=value` in lines ended by LF (one CR before it is let pass),
 * up to an empty line or the end. Undefined for what no git sends: controls, no UTF-8, too much.
 */
export function parseGitAttributes(bytes: Uint8Array): GitAttributes | undefined {
  const text = decode(bytes);
  if (text === undefined) return undefined;
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  let contradicts = false;
  const lines = text.split('\n', maxLines + 2);
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, '');
    if (line === '') break;
    const equals = line.indexOf('=');
    if (index >= maxLines || raw.length > maxLineLength || control.test(line) || equals < 1) return undefined;
    const [name, value] = [line.slice(0, equals), line.slice(equals + 1)];
    if (name.endsWith('[]')) {
      lists.set(name, value === '' ? [] : [...(lists.get(name) ?? []), value]);
    } else {
      contradicts ||= values.has(name) && values.get(name) !== value;
      values.set(name, value);
    }
  }
  return { values, lists, contradicts };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
