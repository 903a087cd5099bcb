import type { EntryKey } from '../formats/entry.js';
import { itemsOf } from '../formats/line.js';
import { crushWords, isCrushLine } from './crush-line.js';
import { sameServer } from './read-servers.js';

/** The call of this program that an entry in a file stands for, in its own words. */
export interface EntryCall {
  /** `env` with its variables, Node.js and the script. */
  readonly start: readonly string[];
  /** What it calls the login. */
  readonly server: string;
  /** Those of them that `setup` writes; and all other words. */
  readonly options: readonly string[];
  readonly others: readonly string[];
}

/** What is known of an entry beside its value. */
interface EntryContext {
  readonly platform: string;
  /** The text of the script that the entry names, where it names one. */
  readonly shim?: string | undefined;
  /** Of the several calls that a line of go may hold, one for one of these counts. */
  readonly names?: readonly string[];
}

/** The call in the value of an entry; undefined where it is none of this program's. */
export function callIn(key: EntryKey, value: unknown, context: EntryContext): EntryCall | undefined {
  const { shim, names } = context;
  const calls = commandsIn(key, value, context).flatMap((words) => callOf(words) ?? []);
  const named = calls.find(({ server }) => names?.includes(server));
  const isList = key.format === 'line' && shim === undefined && names !== undefined;
  return isList ? named : (named ?? calls[0]);
}

/** The call in an entry, or in the script that it names; and that script's text, empty where there is none. */
export async function readCall(
  read: (path: string) => Promise<string | undefined>,
  [key, value]: readonly [key: EntryKey, value: unknown],
  context: EntryContext,
): Promise<{ readonly call: EntryCall | undefined; readonly shim: string | undefined }> {
  const path = shimIn(key, value);
  const shim = path && ((await read(path)) ?? '');
  return { shim, call: callIn(key, value, { ...context, shim }) };
}

/** The script that an entry names in place of words. */
function shimIn(key: EntryKey, value: unknown): string | undefined {
  if (key.format !== 'line' || typeof value !== 'string' || key.prefix === 'GOAUTH=' || isCrushLine(key))
    return undefined;
  const path = value.slice(key.prefix.length).trim();
  return path.replace(/^"(.*)"$/, '$1') || undefined;
}

/** Does an entry name this server's address, however it gets there? */
export function addressIn(raw: string, url: string): boolean {
  const addresses = raw.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'\\]+/gi) ?? [];
  return addresses.some((address) => sameServer(address, url));
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
  const [server, ...rest] = words.slice(at + (words[at] === 'credential' ? 2 : 1));
  if (server === undefined || server.startsWith('-')) return undefined;
  return { start: words.slice(0, at), server, ...optionsIn(rest) };
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

/** The commands that a program would run by an entry, in words. */
function commandsIn(key: EntryKey, value: unknown, { shim, platform }: EntryContext): readonly (readonly string[])[] {
  const split = (line: unknown) => (typeof line === 'string' ? [shellWords(line, platform)] : []);
  if (key.format === 'line') {
    if (isCrushLine(key)) return typeof value === 'string' ? [crushWords(shellWords(value, 'posix'))] : [];
    if (shim !== undefined) return shim.split(/\r?\n/).flatMap(split);
    return typeof value === 'string' ? itemsOf(value.slice(key.prefix.length)).map(goWords) : [];
  }
  if (key.format === 'git') {
    const variables: readonly (readonly [string, string])[] = Array.isArray(value) ? value : [];
    const helpers = variables.filter(([name, line]) => name === 'helper' && line.startsWith('!'));
    return helpers.map(([, line]) => shellWords(line.slice(1), 'posix'));
  }
  if (typeof value !== 'object' || value === null) return [];
  const { transport, ...members } = value as Record<string, unknown>;
  const parts = { ...members, ...(typeof transport === 'object' ? transport : {}) } as Record<string, unknown>;
  const { command, cmd, args, headersHelper, http_headers_helper: helper } = parts;
  const listed = [command, cmd, args].flat().filter((word) => typeof word === 'string');
  return [...split(headersHelper), ...split(helper), ...(listed.length === 0 ? [] : [listed])];
}

/** The words of a line as `shellWord`, or cmd.exe's quotes, have made them. */
export function shellWords(line: string, platform: string): readonly string[] {
  const form = platform === 'win32' ? /(?:"[^"]*"|[^\s"])+/g : /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g;
  const part = platform === 'win32' ? /"([^"]*)"/g : /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
  return (line.match(form) ?? []).map((word) =>
    word.replace(part, (_, one?: string, two?: string, three?: string) => one ?? two ?? three ?? ''),
  );
}
