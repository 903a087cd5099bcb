import type { EntryKey } from '../formats/entry.js';
import { goWords } from '../formats/tools.js';
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

/** The call in the value of an entry; undefined where it is none of this program's. */
export function callIn(key: EntryKey, value: unknown, platform: string): EntryCall | undefined {
  return commandsIn(key, value, platform).flatMap((words) => callOf(words) ?? [])[0];
}

/** Does an entry name this server's address, however it gets there? */
export function addressIn(raw: string, url: string): boolean {
  const addresses = raw.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'\\]+/gi) ?? [];
  return addresses.some((address) => sameServer(address, url));
}

/** A call of this program: a script of its name, then a command that `setup` writes, then the login. */
function callOf(words: readonly string[]): EntryCall | undefined {
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
    else others.push(word);
    if (takesValue) at += 1;
  }
  return { options, others };
}

/** The commands that a program would run by an entry, in words. */
function commandsIn({ format }: EntryKey, value: unknown, platform: string): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const split = (line: unknown) => (typeof line === 'string' ? [shellWords(line, platform)] : []);
  const { transport, ...members } = value as Record<string, unknown>;
  const parts = { ...members, ...(typeof transport === 'object' ? transport : {}) } as Record<string, unknown>;
  const { command, cmd, args, helper, headersHelper, http_headers_helper: codexHelper } = parts;
  if (format === 'go') return [goWords(String(command))];
  if (format === 'git') {
    const helpers = [helper].flat().filter((line) => typeof line === 'string' && line.startsWith('!'));
    return helpers.map((line) => shellWords(String(line).slice(1), 'posix'));
  }
  const listed = [command, cmd, args].flat().filter((word) => typeof word === 'string');
  return [...split(headersHelper), ...split(codexHelper), ...(listed.length === 0 ? [] : [listed])];
}

/** The words of a line as `shellWord`, or cmd.exe's quotes, have made them. */
export function shellWords(line: string, platform: string): readonly string[] {
  const form = platform === 'win32' ? /(?:"[^"]*"|[^\s"])+/g : /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g;
  const part = platform === 'win32' ? /"([^"]*)"/g : /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
  return (line.match(form) ?? []).map((word) =>
    word.replace(part, (_, one?: string, two?: string, three?: string) => one ?? two ?? three ?? ''),
  );
}
