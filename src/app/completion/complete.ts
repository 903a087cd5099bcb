import { parseArgs } from 'node:util';
import { type CommandTable, isCommandName, type OptionSpec } from '../../core/command.js';
import { settings } from '../../core/configuration/settings.js';
import { readCatalogue } from '../../doctor/findings.js';
import { browserNames, usualBrowser } from '../../login/browser/chosen-browser.js';
import { listFaults } from '../../sandbox/faults/table.js';
import { programs } from '../../setup/programs/programs.js';
import { parsedOptions } from '../arguments.js';
import { commandAt, optionIn, optionsOf } from '../global-options.js';
import { ownTables } from '../help/own-tables.js';
import { readTopic, topicNames } from '../help/topics.js';
import { registry } from '../registry.js';

/** A word that is offered, and what it means. */
export type Offer = readonly [word: string, text: string];

/** What only this machine knows: its logins and their tools. */
type Own = 'login' | 'tool' | 'parameter' | 'account' | 'issuer' | 'provider';

/** Possible values: these words, what this machine knows, or what the shell completes. */
type Values = readonly Offer[] | Own | 'file';

/** Reads this machine's files, only when needed. @param words The words before. @param typed The begun word. */
export type Known = (what: Own, words: readonly string[], typed: string) => readonly Offer[];

/** Words that fit, or what the shell itself knows better, behind `before` in the same word. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly Offer[] }
  | { readonly kind: 'file' | 'command'; readonly before: string };

/** Completes at the cursor. @param before The words before it, without the program's name. */
export function complete(known: Known, before: readonly string[], current: string): Completion {
  const { command, words, typed, wanting, isBehind } = readWords(before);
  if (isBehind) return { kind: 'command', before: '' };
  const find = (values: Values, word: string, head = ''): Completion => {
    if (values === 'file') return { kind: values, before: head };
    const found = matching(typeof values === 'string' ? known(values, words, word) : values, word);
    return { kind: 'words', words: found.map(([one, text]) => [head + one, text]) };
  };
  const specs = optionsOf(command);
  if (wanting !== undefined) return find(valuesOfOption(wanting), current);
  const [head = '', value] = /^(--[^=]+=)(.*)$/s.exec(current)?.slice(1) ?? [];
  if (value !== undefined) {
    const spec = optionIn(head, specs);
    return find(spec === undefined ? [] : valuesOfOption(spec), value, head);
  }
  if (current.startsWith('-')) return { kind: 'words', words: matching(optionOffers(specs, typed), current) };
  if (command !== undefined) return find(valuesOfWord(command, words), current);
  if (words.length > 0) return { kind: 'words', words: [] }; // no such command
  const names = commands.flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map((one): Offer => [one, summary]),
  );
  return find(names, current);
}

const commands: readonly CommandTable[] = [...registry.map(({ table }) => table), ...ownTables];

function readWords(before: readonly string[]) {
  const at = commandAt(before, commands);
  const command = commands.find((one) => isCommandName(one, before[at]));
  const { tokens, positionals } = parseArgs({
    ...{ args: [...before], options: parsedOptions(command), allowPositionals: true },
    ...{ strict: false, tokens: true },
  });
  const specs = optionsOf(command);
  const typed = tokens.flatMap((token) =>
    token.kind === 'option' ? (specs.find(({ name }) => name === token.name) ?? []) : [],
  );
  const last = tokens.at(-1);
  return {
    command,
    /** The words of the command, options and their values left out. */
    words: command === undefined ? positionals : positionals.slice(1),
    /** The options that are there already. */
    typed,
    /** The option whose value is being typed. */
    wanting:
      last?.kind === 'option' && last.value === undefined && typed.at(-1)?.kind !== 'boolean'
        ? typed.at(-1)
        : undefined,
    /** Behind `--`, where another program's command stands. */
    isBehind: command?.rest !== undefined && tokens.some(({ kind }) => kind === 'option-terminator'),
  };
}

/** Options that may still be typed. */
function optionOffers(specs: readonly OptionSpec[], typed: readonly OptionSpec[]): readonly Offer[] {
  const isOut = ({ name, kind, excludes = [] }: OptionSpec) =>
    typed.some((one) =>
      one.name === name ? kind !== 'list' : excludes.includes(one.name) || one.excludes?.includes(name) === true,
    );
  return specs
    .filter((spec) => !isOut(spec))
    .flatMap(({ name, alias, describe }): readonly Offer[] => [
      [`--${name}`, describe],
      ...(alias === undefined ? [] : [[`-${alias}`, describe] as const]),
    ]);
}

/** Long options first, letters only where one is asked for; each word once. */
function matching(offers: readonly Offer[], typed: string): readonly Offer[] {
  const fitting = offers.filter(([word]) => word.startsWith(typed) && (typed !== '-' || word.startsWith('--')));
  return fitting.filter(([word], at) => fitting.findIndex(([other]) => other === word) === at);
}

function plain(values: readonly string[]): readonly Offer[] {
  return values.map((value) => [value, '']);
}

const stores: readonly Offer[] = plain(['keychain', 'file', 'helper:', 'redis:']);

/** By the names of options. */
const optionValues: Readonly<Record<string, () => Values>> = {
  account: () => 'account',
  'authorization-server': () => 'issuer',
  'browser-with': () => plain([usualBrowser, ...browserNames]),
  explain: () => {
    const catalogue = Object.entries(readCatalogue(readTopic('findings').text));
    return [['list', 'all of them'], ...catalogue.map(([id, { title }]): Offer => [id, title])];
  },
  idp: () => 'provider',
  from: () => plain(programs.map(({ name }) => name)),
  misbehave: () => plain(['list', ...listFaults().map(({ name }) => name)]),
  store: () => stores,
  'token-of': () => 'login',
};

/** What may follow an option; none: anything. */
function valuesOfOption(spec: OptionSpec): Values {
  if ('choices' in spec && spec.choices !== undefined) return plain(spec.choices);
  const known = optionValues[spec.name];
  if (known !== undefined) return known();
  return /^(?:FILE|PATH|DIR|FOLDER)$/.test(spec.value ?? '') && spec.name !== 'field' ? 'file' : [];
}

/** By a command and the name of its word. */
const wordValues: Readonly<Record<string, (before: string | undefined) => Values>> = {
  'call method': () => 'tool',
  'call arguments': () => 'parameter',
  'credential words': () => 'login',
  'client-metadata target': () => 'file',
  'config key': () => settings.map(({ key, describe }) => [key, describe]),
  'config value': (key) => (key === 'store' ? stores : []),
  'help topic': () => [
    ...commands.map(({ name, summary }): Offer => [name, summary]),
    ...topicNames.map((name): Offer => [name, readTopic(name).summary]),
  ],
  'move store': () => stores,
  'request url': () => 'login',
  'setup program': () => plain(programs.map(({ name }) => name)),
  'switch account': () => 'account',
};

/** What the next word of a command may be. @param words Those before it. */
function valuesOfWord({ name: command, positionals }: CommandTable, words: readonly string[]): Values {
  const isMany = positionals.at(-1)?.many === true;
  const { name = '', choices } =
    positionals[isMany ? Math.min(words.length, positionals.length - 1) : words.length] ?? {};
  if (choices !== undefined) return plain(choices);
  const known = wordValues[`${command} ${name}`];
  return known?.(words.at(-1)) ?? (/^(?:server|servers|login|name)$/.test(name) ? 'login' : []);
}
