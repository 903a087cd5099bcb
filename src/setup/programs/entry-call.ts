import { canonicalResource } from '../../core/resource.js';
import type { EntryKey } from '../formats/entry.js';

/** The call of this program that an entry in a file stands for, as it is written there. */
export interface EntryCall {
  /** What starts it: `env` with its variables, Node.js and the script. */
  readonly start: readonly string[];
  /** `bridge`, or `credential` and a format. */
  readonly command: readonly string[];
  /** What it calls the login. */
  readonly server: string;
  /** Those of them that `setup` writes; and all other words. */
  readonly options: readonly string[];
  readonly others: readonly string[];
}

/**
 * The call in the value of an entry; undefined where it is none of this program's.
 * @param shim The text of the program that the entry names, where it names one.
 * @param names Of the several calls that a line of go may hold, one for one of these counts.
 */
export function callIn(
  key: EntryKey,
  value: unknown,
  {
    shim,
    names,
    platform,
  }: { readonly shim?: string | undefined; readonly names?: readonly string[]; readonly platform: string },
): EntryCall | undefined {
  const calls = commandsIn(key, value, shim, platform).flatMap((words) => callOf(words) ?? []);
  const named = calls.find((call) => names?.includes(call.server));
  const isList = key.format === 'line' && shim === undefined && names !== undefined;
  return isList ? named : (named ?? calls[0]);
}

/** The call in an entry, or in the program that it names; and that program's text, empty where there is none. */
export async function readCall(
  read: (path: string) => Promise<string | undefined>,
  [key, value]: readonly [key: EntryKey, value: unknown],
  about: { readonly names: readonly string[]; readonly platform: string },
): Promise<{ readonly call: EntryCall | undefined; readonly shim: string | undefined }> {
  const path = shimIn(key, value);
  const shim = path === undefined ? undefined : ((await read(path)) ?? '');
  return { shim, call: callIn(key, value, { ...about, shim }) };
}

/** The program that a line of the entry names in place of words; undefined where it names none. */
function shimIn(key: EntryKey, value: unknown): string | undefined {
  if (key.format !== 'line' || typeof value !== 'string' || key.prefix === 'GOAUTH=') return undefined;
  return (
    value
      .slice(key.prefix.length)
      .trim()
      .replace(/^"(.*)"$/, '$1') || undefined
  );
}

/** Does an entry name this server's address, however it gets there? */
export function addressIn(raw: string, url: string): boolean {
  const addresses = raw.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'\\]+/gi) ?? [];
  return addresses.some((address) => sameServer(address, url));
}

/** The commands of one `GOAUTH`, in their order. */
export function goCommands(text: string): readonly string[] {
  return text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** The words of a command of `GOAUTH`: quoted by `'` or `"`, without escapes. */
export function goWords(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
}

/** A call of this program: a script of its name, then a command that `setup` writes, then the login. */
export function callOf(words: readonly string[]): EntryCall | undefined {
  const at = words.findIndex(
    (word, index) => /^(?:bridge|credential)$/.test(word) && /(?:^|[\\/])postern[^\\/]*$/.test(words[index - 1] ?? ''),
  );
  if (at === -1) return undefined;
  const start = words.slice(0, at);
  const length = words[at] === 'credential' ? 2 : 1;
  const command = words.slice(at, at + length);
  const rest = words.slice(at + length);
  const [server, ...behind] = rest;
  if (server === undefined || server.startsWith('-')) return undefined;
  return { start, command, server, ...optionsIn(behind) };
}

function optionsIn(words: readonly string[]): Pick<EntryCall, 'options' | 'others'> {
  const options: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', value] = words.slice(at);
    const takesValue = word === '--account' || word === '--pin';
    if (takesValue && value !== undefined) options.push(word, value);
    else if (word === '--whole-host') options.push(word);
    else if (word !== '$@' && word !== '%*') others.push(word);
    if (takesValue) at += 1;
  }
  return { options, others };
}

function commandsIn(
  key: EntryKey,
  value: unknown,
  shim: string | undefined,
  platform: string,
): readonly (readonly string[])[] {
  const split = (line: unknown) => (typeof line === 'string' ? [shellWords(line, platform)] : []);
  if (key.format === 'line') {
    if (shim !== undefined) return shim.split(/\r?\n/).flatMap(split);
    return typeof value === 'string' ? goCommands(value.slice(key.prefix.length)).map(goWords) : [];
  }
  if (key.format === 'git') {
    const lines = (Array.isArray(value) ? value : []).flatMap(([name, line]) =>
      name === 'helper' && String(line).startsWith('!') ? [String(line).slice(1)] : [],
    );
    return lines.map((line) => shellWords(line, 'posix'));
  }
  if (typeof value !== 'object' || value === null) return [];
  const { command, args, headersHelper, http_headers_helper: helper } = value as Record<string, unknown>;
  const listed = [command, args].flat().filter((word) => typeof word === 'string');
  return [...split(headersHelper), ...split(helper), ...(listed.length === 0 ? [] : [listed])];
}

/** A line's words as `shellWord`, or cmd.exe's quotes, have made them. */
function shellWords(line: string, platform: string): readonly string[] {
  const form = platform === 'win32' ? /(?:"[^"]*"|[^\s"])+/g : /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g;
  const part = platform === 'win32' ? /"([^"]*)"/g : /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
  return (line.match(form) ?? []).map((word) =>
    word.replace(part, (_, one?: string, two?: string, three?: string) => one ?? two ?? three ?? ''),
  );
}

/** Do both addresses name one server, however they are spelled? */
export function sameServer(one: string, other: string): boolean {
  const [first, second] = [canonicalResource(one), canonicalResource(other)];
  return first.ok && second.ok && trimmed(first.value) === trimmed(second.value);
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}
