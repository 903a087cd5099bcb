import type { EntryKey } from '../formats/entry.js';
import { membersOf } from '../formats/text.js';
import { goWords } from '../formats/tools.js';
import { sameServer } from './read-servers.js';

/** The call of this program that an entry in a file stands for. */
export interface EntryCall {
  readonly words: readonly string[];
  /** What it calls the login. */
  readonly server: string;
}

/**
 * The call in the value of an entry: a script of this program's name, then a command that `setup` writes, then the login;
 * undefined where it is none of this program's.
 */
export function callIn(key: EntryKey, value: unknown, platform: string): EntryCall | undefined {
  for (const words of commandsIn(key, value, platform)) {
    const at = words.findIndex(
      (word, index) =>
        /^(?:bridge|credential)$/.test(word) && /(?:^|[\\/])postern[^\\/]*$/.test(words[index - 1] ?? ''),
    );
    const server = at === -1 ? undefined : words[at + (words[at] === 'credential' ? 2 : 1)];
    if (server !== undefined && !server.startsWith('-')) return { words, server };
  }
  return undefined;
}

/** Does an entry name this server's address, however it gets there? */
export function addressIn(raw: string, url: string): boolean {
  const addresses = raw.replaceAll('\\/', '/').match(/https?:\/\/[^\s"'\\]+/gi) ?? [];
  return addresses.some((address) => sameServer(address, url));
}

/** The commands that a program would run by an entry, in words. */
function commandsIn({ format }: EntryKey, value: unknown, platform: string): readonly (readonly string[])[] {
  const members = membersOf(value);
  const { command, cmd, args, helper, headersHelper, http_headers_helper } = {
    ...members,
    ...membersOf(members['transport']),
  };
  const texts = (...all: readonly unknown[]) => all.flat().filter((word) => typeof word === 'string');
  if (format === 'go') return [goWords(String(command))];
  if (format === 'git') {
    const helpers = texts(helper).filter((line) => line.startsWith('!'));
    return helpers.map((line) => shellWords(line.slice(1), 'posix'));
  }
  const lines = texts(headersHelper, http_headers_helper).map((line) => shellWords(line, platform));
  return [...lines, texts(command, cmd, args)];
}

/** The words of a line as `shellWord`, or cmd.exe's quotes, have made them. */
export function shellWords(line: string, platform: string): readonly string[] {
  const form = platform === 'win32' ? /(?:"[^"]*"|[^\s"])+/g : /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g;
  const part = platform === 'win32' ? /"([^"]*)"/g : /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
  return (line.match(form) ?? []).map((word) =>
    word.replace(part, (_, one?: string, two?: string, three?: string) => one ?? two ?? three ?? ''),
  );
}
