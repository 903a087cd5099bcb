import { writeSync } from 'node:fs';
import type { LoginRecord, ProviderRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { indexPath, readIndexSync } from '../../stores/index/credential-index.js';
import { homeFolder, statePaths } from '../../stores/paths.js';
import type { ToolList, ToolParameter } from '../../stores/state/tool-lists.js';
import { readToolListSync } from '../../stores/state/tool-lists.js';
import { type Completion, complete, type Known, type Offer } from './complete.js';

/**
 * Prints completions at the cursor for a shell's script, from the commands' tables, the logins and their kept lists of
 * tools. No server is asked.
 * @param argv The shell; then for bash and PowerShell the line up to the cursor, for others its words, the last being typed.
 */
export function printCompletion(argv: readonly string[]): void {
  const [shell = '', ...words] = argv;
  const isLine = shell === 'bash' || shell === 'powershell';
  const line: ShellLine = isLine
    ? readShellLine(words[0] ?? '')
    : { before: words.slice(0, -1), current: words.at(-1) ?? '', quote: '' };
  const found = complete(knownHere, line.before, line.current);
  const lines = completionLines(shell, found, line, isLine ? (words[1] ?? '') : '');
  if (lines.length > 0) writeSync(1, `${lines.join('\n')}\n`);
}

const knownHere: Known = (...asked) => {
  try {
    const folder = statePaths(process.env, process.platform, homeFolder()).state;
    const index = readIndexSync(indexPath(folder));
    const { logins, providers } = index.ok ? index.document : { logins: [] };
    return knownFrom(logins, ({ key }) => readToolListSync(folder, key, Date.now()), providers)(...asked);
  } catch {
    return []; // the commands themselves say what is wrong
  }
};

/**
 * The lines that a shell's script reads: a word and what is said of it, with a tab between them, or `:file`
 * and `:command` for what the shell knows itself; `:nospace` where the word goes on.
 * @param breaks For bash: where it thinks that a word begins (`COMP_WORDBREAKS`).
 */
export function completionLines(shell: string, found: Completion, line: ShellLine, breaks: string): readonly string[] {
  if (found.kind !== 'words') return [`:${found.kind}\t${found.before}`];
  const { words } = found;
  const goesOn = words.length > 0 && words.every(([word]) => /[=:]$/.test(word));
  const typed = line.quote === '' ? lengthBroken(line.current, breaks) : 0;
  const shown = ([word, text]: Offer) => {
    if (shell === 'bash') return asTyped(word.slice(typed), line.quote);
    if (shell === 'powershell') return `${forPowershell(word)}\t${text}`;
    return text === '' ? word : `${word}\t${text}`;
  };
  return [...(goesOn ? [':nospace'] : []), ...words.map(shown)];
}

/** PowerShell types a word with special characters in single quotes, those inside doubled. */
function forPowershell(word: string): string {
  return /^[A-Za-z0-9_%+=:./~-]*$/.test(word) ? word : `'${word.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;
}

/** How much of the word bash leaves alone: up to the last character that it breaks words at. */
function lengthBroken(word: string, breaks: string): number {
  return Math.max(0, ...[...'=:@'].filter((one) => breaks.includes(one)).map((one) => word.lastIndexOf(one) + 1));
}

/** A command line up to the cursor, as a shell takes it apart. */
export interface ShellLine {
  /** The words before the one that is being typed, the program's own name left out. */
  readonly before: readonly string[];
  /** The word that is being typed, without quotes. */
  readonly current: string;
  /** The quote that it is in, if any. */
  readonly quote: string;
}

/** Splits a command line by POSIX quotes and backslashes. What follows the last blank is being typed. */
export function readShellLine(line: string): ShellLine {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quote === '' && /[ \t\n]/.test(character)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
      continue;
    }
    isOpen = true;
    if (character === quote) quote = '';
    else if (quote === '' && /["']/.test(character)) quote = character;
    else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word += line.charAt(at);
    } else word += character;
  }
  return { before: words.slice(1), current: word, quote };
}

/** Characters without meaning to a POSIX shell within a word. Not a tilde: bash expands it after “=”. */
const harmless = /[A-Za-z0-9_@%+=:,./-]/;

/** A word as it can be typed: within the open quote, or with backslashes before special characters. */
export function asTyped(word: string, quote: string): string {
  if (quote === "'") return word.replaceAll("'", "'\\''");
  const isPlain = (character: string) => (quote === '"' ? !/["$`\\!]/.test(character) : harmless.test(character));
  return Array.from(word, (character) => (isPlain(character) ? character : `\\${character}`)).join('');
}

/** Methods that `call` takes for a tool's name. */
const methods: readonly Offer[] = [
  ['tools/list', 'the tools'],
  ['resources/list', 'the resources'],
  ['resources/read', 'one resource'],
  ['resources/templates/list', 'the templates of resources'],
  ['prompts/list', 'the prompts'],
  ['prompts/get', 'one prompt'],
];

/**
 * Logins and their tools from this machine's files. A server's text is made printable; a name that is not printable, or
 * reads as an option or as a line for the shell's script, is not offered.
 */
export function knownFrom(
  logins: readonly LoginRecord[],
  toolsOf: (login: LoginRecord) => ToolList | undefined,
  providers: readonly Pick<ProviderRecord, 'issuer'>[] = [],
): Known {
  return (what, [word, tool], typed) => {
    const named = logins.filter(({ name, server }) => word === name || word === server);
    const tools = () => named.flatMap((login) => toolsOf(login)?.tools ?? []);
    const offers: Readonly<Record<typeof what, () => readonly Offer[]>> = {
      login: () => [
        ...logins.map(({ name = '', server }): Offer => [name, server]),
        ...logins.map(({ name, server }): Offer => [server, name ?? 'a login without a name']),
      ],
      account: () => (word === undefined ? logins : named).map(({ account, server }) => [account, server]),
      issuer: () => logins.map(({ issuer }) => [issuer, '']),
      provider: () => providers.map(({ issuer }) => [issuer, '']),
      tool: () => [...tools().map(({ name, description }): Offer => [name, description]), ...methods],
      parameter: () => parameterOffers(tools().find(({ name }) => name === tool)?.parameters ?? [], typed),
    };
    const isOffered = ([text]: Offer) =>
      text !== '' && printable(text, 300) === text && !/^[-:\s]/.test(text) && (what === 'account' || !/\s/.test(text));
    const shown = ([one, text]: Offer): Offer => [one, printable(text.split('\n', 1)[0] ?? '', 100)];
    return offers[what]().filter(isOffered).map(shown);
  };
}

/** `name=` of each parameter; behind one of them, its values. */
function parameterOffers(parameters: readonly ToolParameter[], typed: string): readonly Offer[] {
  const named = parameters.find(({ name }) => typed.startsWith(`${name}=`));
  if (named === undefined) return parameters.map(({ name, description }) => [`${name}=`, description]);
  const values = named.choices ?? (named.types.includes('boolean') ? ['true', 'false'] : []);
  return values.filter((one) => typeof one === 'string').map((value) => [`${named.name}=${value}`, '']);
}
