import { type CommandTable, isCommandName, type OptionSpec } from '../core/command.js';
import type { Failure, Typo } from '../core/failure.js';
import { usageContradictory, usageMistyped, usageWrong, wordMissing } from '../core/failures.js';
import { visibleUrl } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import { printable, quoted, shellWord } from '../core/text/printable.js';
import { commandAt, optionIn, optionsOf, takesValue } from './global-options.js';

/** Refuses what yargs accepts or misreads: unknown options, and a switch with a value. */
export function refuseOdd(words: readonly string[], table: CommandTable | undefined): void {
  const specs = optionsOf(table);
  const unknown = ownWords(words).find((word) => isUnknown(word, specs));
  if (unknown !== undefined) throw unknownOption(unknown, specs, table);
  const odd = ownWords(words).find((word) => word.includes('=') && optionIn(word, specs)?.kind === 'boolean');
  if (odd !== undefined) throw usageWrong(`${odd.replace(/=.*$/s, '')} takes no value.`, helpOn(table));
}

/** The words before `--`. */
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

function helpOn(table: CommandTable | undefined): string {
  return table === undefined ? 'postern --help' : `postern ${table.name} --help`;
}

/** Why a line names no command. Undefined: there is no word at all. */
export function unknownCommand(
  argv: readonly string[],
  tables: readonly CommandTable[],
  logins: readonly string[],
): Failure | undefined {
  const isCommand = (word: string) => tables.some((table) => isCommandName(table, word));
  const taken = argv.findIndex((word, at) => isCommand(word) && takesValue(argv[at - 1] ?? '', tables));
  if (taken !== -1) return usageWrong(`${argv[taken - 1]} needs a value.`, 'postern --help');
  const word = argv[commandAt(argv, tables)];
  if (word === undefined) return undefined;
  const message = `There is no command ${quoted(word, 80)}.`;
  if (logins.includes(word)) {
    return usageMistyped(message, `postern call ${shellWord(word)}`, { typed: word, meant: word, command: ['call'] });
  }
  const names = tables.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const meant = closest(word, names) ?? elsewhere.get(word);
  return meant === undefined
    ? usageWrong(message, 'postern --help')
    : usageMistyped(message, `postern ${meant}`, { typed: word, meant });
}

/** What gh, mcpc, mcporter and others call a command of ours. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['auth', 'login'],
  ['connect', 'login'],
  ['remove', 'logout'],
  ['tools', 'call'],
  ['use', 'switch'],
  ['run', 'exec'],
]);

interface ReadLine {
  readonly values: (name: string) => readonly (string | boolean)[];
  /** The words beside options and the command. */
  readonly typed: readonly string[];
}

/** Why yargs refused a line, from the table and what was read. */
export function whyRefused(words: readonly string[], table: CommandTable, { values, typed }: ReadLine): Failure {
  const help = helpOn(table);
  const specs = optionsOf(table);
  const own = ownWords(words);
  const empty = own.flatMap((word, at) => {
    const spec = word.includes('=') || !isOption(own[at + 1] ?? '--') ? undefined : optionIn(word, specs);
    return spec === undefined || spec.kind === 'boolean' ? [] : spec;
  })[0];
  if (empty !== undefined) return usageWrong(`--${empty.name} needs a value.`, help);
  const isThere = (name: string) => values(name).length > 0;
  for (const { name, excludes = [], needs = [] } of specs.filter((spec) => isThere(spec.name))) {
    const other = excludes.find(isThere);
    if (other !== undefined) return usageContradictory(`--${name}`, `--${other}`, help);
    const lacking = needs.find((one) => !isThere(one));
    if (lacking !== undefined) return usageWrong(`--${name} needs --${lacking}.`, help);
  }
  const missing = table.positionals[typed.length];
  if (missing?.required !== true) return furtherWord(table, typed, help);
  const noun = missing.name === 'url' ? 'URL' : missing.name;
  const what = `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}: ${missing.describe.replace(/ \(below\)$/, '')}`;
  return wordMissing(`postern ${table.name} needs ${what}.`, table.name);
}

/**
 * What to ask about a mistyped word, with the corrected line if nothing in that may be a secret: values of options and of a
 * tool's arguments are not shown. Undefined if the word is ambiguous.
 */
export function lineMeant(
  { typed, meant, command = [] }: Typo,
  argv: readonly string[],
  table: CommandTable | undefined,
): string | undefined {
  if (!/^[\w-][\w ./=-]{0,200}$/.test(meant)) return undefined;
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const isValue = (index: number, option = argv[index - 1]) => index < end && hidesValue(option, table);
  const [at, another] = argv.flatMap((word, index) => (nameIn(word) === typed && !isValue(index) ? index : []));
  if (at === undefined || another !== undefined) return undefined;
  const words = argv.map((word, index) => {
    if (index === at)
      return word === typed || meant.includes('=') ? [...command, shellWord(meant)].join(' ') : undefined;
    return isAddress(word) || !isValue(index, index - 1 === at ? meant : undefined) ? shownWord(word) : undefined;
  });
  const question = `Did you mean ${quoted([...command, meant].join(' '))}?`;
  return words.includes(undefined) ? question : `${question} Run: postern ${words.join(' ')}`;
}

/** A word as it can be typed again; undefined where it may be a secret. */
function shownWord(word: string): string | undefined {
  return /^[\w./-]{1,40}$/.test(word) || isAddress(word) ? shellWord(word) : undefined;
}

/** An address without anything secret, such as an issuer. */
function isAddress(word: string): boolean {
  return /^https?:/i.test(word) && word.length <= 200 && visibleUrl(word) === word;
}

/** The name in `--name=value` or `name=value`. */
function nameIn(word: string): string {
  return /^(-{0,2}[\w.-]+?):?=/.exec(word)?.[1] ?? word;
}

/** Is the next word the value of this option, and perhaps a secret? */
function hidesValue(word: string | undefined, table: CommandTable | undefined): boolean {
  if (word === undefined || !isOption(word) || word === '--' || word.includes('=')) return false;
  const spec = optionIn(word, optionsOf(table));
  return spec === undefined || !(spec.kind === 'boolean' || spec.kind === 'number' || 'choices' in spec);
}

/** Neither a lone dash, which is a value, nor a number below zero. */
function isOption(word: string): boolean {
  return /^-[^.\d]/.test(word);
}

/** Is this option unknown, or one of several letters in one word? */
function isUnknown(word: string, specs: readonly OptionSpec[]): boolean {
  if (!isOption(word)) return false;
  if (word.startsWith('--')) return optionIn(word, specs) === undefined;
  for (const letter of word.slice(1)) {
    const spec = optionIn(`-${letter}`, specs);
    if (spec?.kind !== 'boolean') return spec === undefined; // the rest is its value
  }
  return false;
}

function unknownOption(word: string, specs: readonly OptionSpec[], table: CommandTable | undefined): Failure {
  const typed = word.replace(/=.*$/s, '');
  const name = typed.replace(/^-+/, '');
  const names = specs.map((spec) => spec.name);
  const meant = typed === '-V' ? 'version' : closest(name, names);
  const message = `There is no option ${quoted(typed, 80)} here.`;
  if (meant !== undefined) return usageMistyped(message, `--${meant}`, { typed, meant: `--${meant}` });
  // A tool's arguments have no dashes here, unlike in other programs. Their values may be secrets.
  if (table?.positionals.some((one) => one.name === 'arguments') === true && typed.startsWith('--')) {
    return usageMistyped(message, `${shellWord(name)}=…`);
  }
  return usageWrong(message, helpOn(table));
}

function furtherWord({ name, positionals, rest }: CommandTable, typed: readonly string[], help: string): Failure {
  const word = typed[positionals.length] ?? '';
  if (rest === undefined) return usageWrong(`${quoted(word, 80)} is one word too many here.`, help);
  const before = typed
    .slice(0, positionals.length)
    .map((one) => shownWord(one) ?? '…')
    .join(' ');
  const meant = `postern ${name} ${before} -- ${shellWord(word)}`;
  return usageMistyped(`The ${rest.name} goes after “--”.`, printable(meant, 300));
}
