import type { CommandWords, CompletionTables, Offer, OptionWords, Values } from './tables.js';

/** What completion asks the machine, and only when it needs it. */
export interface Known {
  readonly logins: () => readonly Offer[];
  readonly accounts: (login: string | undefined) => readonly Offer[];
  readonly issuers: () => readonly Offer[];
  readonly providers: () => readonly Offer[];
  readonly tools: (login: string | undefined) => readonly Offer[];
  readonly parameters: (login: string | undefined, tool: string | undefined, word: string) => readonly Offer[];
}

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
  const read = readWords(tables, before);
  const { command, words, isValueOf } = read;
  if (read.isBehind) return { kind: 'command', before: '' };
  const find = (values: Values | null | undefined, word: string, head = '') =>
    offersOf(values, { known, words, word, head, fields: command?.fields ?? [] });
  if (isValueOf !== undefined) return find(isValueOf.values, current);
  const options = [...(command?.options ?? []), ...tables.globals];
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined && value !== undefined) {
    return find(options.find((one) => one.name === name)?.values, value, `--${name}=`);
  }
  if (current.startsWith('-')) return matching(optionOffers(options, read.given, command), current);
  if (command === undefined) {
    return matching(
      tables.commands.flatMap(({ names, text }) => names.map((one): Offer => [one, text])),
      current,
    );
  }
  const last = command.words.length - 1;
  const at = command.isMany ? Math.min(words.length, last) : words.length;
  return find(command.words[at], current);
}

interface ReadWords {
  readonly command: CommandWords | undefined;
  /** The words of the command, options and their values left out. */
  readonly words: readonly string[];
  /** Names of the options that are there already. */
  readonly given: readonly string[];
  /** The option whose value is being typed. */
  readonly isValueOf: OptionWords | undefined;
  /** Behind `--`, where another program's command stands. */
  readonly isBehind: boolean;
}

function readWords({ commands, globals }: CompletionTables, before: readonly string[]): ReadWords {
  let command: CommandWords | undefined;
  let isValueOf: OptionWords | undefined;
  const words: string[] = [];
  const given: string[] = [];
  for (const [at, word] of before.entries()) {
    if (isValueOf !== undefined) {
      isValueOf = undefined;
      continue;
    }
    if (word === '--' && command !== undefined) {
      return { command, words, given, isValueOf, isBehind: command.hasRest && at < before.length };
    }
    if (!word.startsWith('-') || word === '-') {
      if (command === undefined) command = commands.find(({ names }) => names.includes(word));
      else words.push(word);
      if (command === undefined) return { command: nobody, words, given, isValueOf, isBehind: false };
      continue;
    }
    const [, name, inline, letter] = /^(?:--([^=]+)(=.*)?|-(.))$/s.exec(word) ?? [];
    const option = [...(command?.options ?? []), ...globals].find(
      (one) => one.name === name || (letter !== undefined && one.alias === letter),
    );
    if (option === undefined) continue;
    given.push(option.name);
    if (option.isSwitch !== true && inline === undefined) isValueOf = option;
  }
  return { command, words, given, isValueOf, isBehind: false };
}

/** A command that there is not: nothing is known of its words. */
const nobody: CommandWords = { names: [], text: '', words: [], isMany: false, hasRest: false, options: [] };

function optionOffers(
  options: readonly OptionWords[],
  given: readonly string[],
  command: CommandWords | undefined,
): readonly Offer[] {
  const isOut = ({ name, isList, excludes = [] }: OptionWords) =>
    (given.includes(name) && isList !== true) ||
    excludes.some((one) => given.includes(one)) ||
    command?.options.some((one) => given.includes(one.name) && one.excludes?.includes(name) === true);
  return options
    .filter((option) => !isOut(option))
    .flatMap(({ name, alias, text }): readonly Offer[] => [
      [`--${name}`, text],
      ...(alias === undefined ? [] : [[`-${alias}`, text] as const]),
    ]);
}

interface Sought {
  readonly known: Known;
  readonly words: readonly string[];
  /** What is typed of the value, and what stands before it in the same word. */
  readonly word: string;
  readonly head: string;
  readonly fields: readonly string[];
}

function offersOf(values: Values | null | undefined, { known, words, word, head, fields }: Sought): Completion {
  if (values === 'file' || values === 'folder') return { kind: values, before: head };
  const [login, tool] = words;
  const offers = () => {
    if (values === null || values === undefined) return [];
    if (values === 'login') return known.logins();
    if (values === 'account') return known.accounts(login);
    if (values === 'issuer') return known.issuers();
    if (values === 'provider') return known.providers();
    if (values === 'tool') return known.tools(login);
    if (values === 'field') return fieldsAfter(word, fields);
    if (values === 'parameter') return known.parameters(login, tool, word);
    return 'after' in values ? (values.after[words.at(-1) ?? ''] ?? []) : values;
  };
  const found = matching(offers(), word);
  return { kind: 'words', words: found.words.map(([one, text]): Offer => [head + one, text]) };
}

/** Names that may follow what is typed of a path, each up to its next dot: some results have a hundred values. */
function fieldsAfter(typed: string, fields: readonly string[]): readonly Offer[] {
  const from = typed.lastIndexOf('.') + 1;
  return fields
    .filter((field) => field.startsWith(typed))
    .map((field): Offer => {
      const end = field.indexOf('.', from);
      return [end === -1 ? field : field.slice(0, end + 1), ''];
    });
}

/** Long options first, letters only where one is asked for. */
function matching(offers: readonly Offer[], typed: string) {
  const fitting = offers.filter(([word]) => word.startsWith(typed) && (typed !== '-' || word.startsWith('--')));
  const words = fitting.filter(([word], at) => fitting.findIndex(([other]) => other === word) === at);
  return { kind: 'words' as const, words };
}
