import { type CommandTable, isCommandName, type OptionSpec } from '../../core/command.js';
import { optionIn, optionsOf } from '../global-options.js';
import { type CompletionTables, type Offer, type Own, type Values, valuesOfOption, valuesOfWord } from './values.js';

/** Asks this machine, and only when it is needed. @param words Those before, @param typed what is typed of this one. */
export type Known = (what: Own, words: readonly string[], typed: string) => readonly Offer[];

/** Words that fit, or what the shell itself knows better. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly Offer[] }
  /** `before` stands before the path in the same word. */
  | { readonly kind: 'file' | 'folder' | 'command'; readonly before: string };

/** What may stand where the cursor is. @param before The words before it, the program's own name left out. */
export function complete(
  tables: CompletionTables,
  known: Known,
  before: readonly string[],
  current: string,
): Completion {
  const { command, words, typed, wanting, isBehind } = readWords(tables, before);
  if (isBehind) return { kind: 'command', before: '' };
  const find = (values: Values, word: string, head = ''): Completion => {
    if (values === 'file' || values === 'folder') return { kind: values, before: head };
    const found = matching(typeof values === 'string' ? known(values, words, word) : values, word);
    return { kind: 'words', words: found.map(([one, text]) => [head + one, text]) };
  };
  const specs = optionsOf(command);
  if (wanting !== undefined) return find(valuesOfOption(wanting, tables.lists), current);
  const [head = '', value] = /^(--[^=]+=)(.*)$/s.exec(current)?.slice(1) ?? [];
  if (value !== undefined) {
    const spec = optionIn(head, specs);
    return find(spec === undefined ? [] : valuesOfOption(spec, tables.lists), value, head);
  }
  if (current.startsWith('-')) return { kind: 'words', words: matching(optionOffers(specs, typed), current) };
  if (command !== undefined) return find(valuesOfWord(command, words, tables), current);
  if (words.length > 0) return { kind: 'words', words: [] }; // no such command
  const names = tables.commands.flatMap(({ name, aliases = [], summary }) =>
    [name, ...aliases].map((one): Offer => [one, summary]),
  );
  return find(names, current);
}

interface ReadWords {
  readonly command: CommandTable | undefined;
  /** The words of the command, options and their values left out. */
  readonly words: readonly string[];
  /** The options that are there already. */
  readonly typed: readonly OptionSpec[];
  /** The option whose value is being typed. */
  readonly wanting: OptionSpec | undefined;
  /** Behind `--`, where another program's command stands. */
  readonly isBehind: boolean;
}

function readWords({ commands }: CompletionTables, before: readonly string[]): ReadWords {
  let command: CommandTable | undefined;
  let wanting: OptionSpec | undefined;
  const words: string[] = [];
  const typed: OptionSpec[] = [];
  for (const word of before) {
    if (wanting !== undefined) {
      wanting = undefined;
      continue;
    }
    if (word === '--' && command !== undefined) {
      return { command, words, typed, wanting, isBehind: command.rest !== undefined };
    }
    if (!word.startsWith('-') || word === '-') {
      const named = command === undefined ? commands.find((one) => isCommandName(one, word)) : undefined;
      if (named === undefined) words.push(word);
      command ??= named;
      continue;
    }
    const option = optionIn(word, optionsOf(command));
    if (option === undefined) continue;
    typed.push(option);
    if (option.kind !== 'boolean' && !word.includes('=')) wanting = option;
  }
  return { command, words, typed, wanting, isBehind: false };
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
