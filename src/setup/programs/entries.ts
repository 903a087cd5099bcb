import { canonicalResource } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import { mayCarryToken } from '../../tokens/credential-target.js';
import type { EntryKey } from '../formats/entry.js';
import { membersOf } from '../formats/text.js';
import { goWords } from '../formats/tools.js';

/** A server that a program is set up for. */
export interface FoundServer {
  /** What the program calls it. */
  readonly name: string;
  /** Canonical. */
  readonly url: string;
}

/** Programs that stand between a program that starts commands and a server. */
const bridges = /(?:^|[\\/@])(?:mcp-remote|supergateway|mcp-proxy|postern)\b/;

/**
 * The servers in a program's list: those with an address, and those that a command such as mcp-remote gets the address
 * of. Nothing else of an entry is looked at: no header, no variable.
 */
export function foundServers(servers: unknown): readonly FoundServer[] {
  return Object.entries(membersOf(servers)).flatMap(([name, entry]) => {
    const words = commandWords(entry);
    // An address among the words of any other command may be anything.
    const isServer = words.length === 0 || words.some((word) => bridges.test(word));
    const [url] = isServer ? addressesIn(entry).flatMap(usableUrl) : [];
    return url === undefined ? [] : [{ name, url }];
  });
}

/** Other entries for the same server in a list of them: the program would connect twice, with other credentials. */
export function sameServerElsewhere(name: string, url: string, servers: unknown): readonly string[] {
  return Object.entries(membersOf(servers))
    .filter(([other, entry]) => other !== name && namesServer(entry, url))
    .map(([other]) => `The entry ${quoted(other, 80)} is for the same server; if it is no longer needed, remove it.`);
}

/** Does an entry name this server's address, however it is spelled, and however it gets there? */
export function namesServer(entry: unknown, url: string): boolean {
  const plain = (address: string) => {
    const canonical = canonicalResource(address);
    return canonical.ok ? canonical.value.replace(/\/+$/, '') : undefined;
  };
  const wanted = plain(url);
  return wanted !== undefined && addressesIn(entry).some((address) => plain(address) === wanted);
}

/** What looks like an address in an entry: its URL, or an argument of its command. */
function addressesIn(entry: unknown): readonly string[] {
  const { url, uri, httpUrl, serverUrl } = partsOf(entry);
  const words = [...texts(url, uri, httpUrl, serverUrl), ...commandWords(entry)];
  return words.filter((word) => /^https?:\/\//i.test(word));
}

function commandWords(entry: unknown): readonly string[] {
  const { command, cmd, args } = partsOf(entry);
  return texts(command, cmd, args);
}

/** Some programs keep how a server is reached in a member of its own. */
function partsOf(entry: unknown): Readonly<Record<string, unknown>> {
  const members = membersOf(entry);
  return { ...members, ...membersOf(members['transport']) };
}

function texts(...values: readonly unknown[]): readonly string[] {
  return values.flat().filter((value) => typeof value === 'string');
}

/** An address with variables or a credential in it, or without TLS, is none that one could log in to. */
function usableUrl(address: string): readonly string[] {
  const canonical = /[${}]/.test(address) ? undefined : canonicalResource(address);
  return canonical?.ok === true && mayCarryToken(canonical.value) ? [canonical.value] : [];
}

/** The call of this program that an entry stands for. */
interface EntryCall {
  readonly words: readonly string[];
  /** Those before our command: `env` with its variables, Node.js and the script. */
  readonly start: readonly string[];
  /** What it calls the login, and what stands behind that. */
  readonly server: string;
  readonly options: readonly string[];
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
    const [server, ...options] = at === -1 ? [] : words.slice(at + (words[at] === 'credential' ? 2 : 1));
    if (server !== undefined && !server.startsWith('-')) return { words, start: words.slice(0, at), server, options };
  }
  return undefined;
}

/** The commands that a program would run by an entry, in words. */
function commandsIn({ format }: EntryKey, value: unknown, platform: string): readonly (readonly string[])[] {
  const { command, helper, headersHelper, http_headers_helper } = partsOf(value);
  if (format === 'go') return [goWords(String(command))];
  // Git's own `sh` runs helpers, on every platform.
  const git = texts(helper).flatMap((line) => (line.startsWith('!') ? [shellWords(line.slice(1), 'posix')] : []));
  const lines = texts(headersHelper, http_headers_helper).map((line) => shellWords(line, platform));
  return [...git, ...lines, commandWords(value)];
}

/** The words of a line as `shellWord`, or cmd.exe's quotes, have made them. */
export function shellWords(line: string, platform: string): readonly string[] {
  const form = platform === 'win32' ? /(?:"[^"]*"|[^\s"])+/g : /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+/g;
  const part = platform === 'win32' ? /"([^"]*)"/g : /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
  return (line.match(form) ?? []).map((word) =>
    word.replace(part, (_, one?: string, two?: string, three?: string) => one ?? two ?? three ?? ''),
  );
}
