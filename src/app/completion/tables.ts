import type { CommandTable, OptionSpec, PositionalSpec } from '../../core/command.js';

/** A word that is offered, and what is said of it. */
export type Offer = readonly [word: string, text: string];

/** What a value may be: one of these words, or of what only the machine knows. */
export type Values =
  | readonly Offer[]
  | 'login'
  | 'tool'
  | 'parameter'
  | 'account'
  | 'issuer'
  | 'provider'
  | 'file'
  | 'folder'
  /** A value of the command's JSON result. */
  | 'field'
  /** By the word before it. */
  | { readonly after: Readonly<Record<string, readonly Offer[]>> };

export interface OptionWords {
  readonly name: string;
  readonly alias?: string;
  readonly text: string;
  /** A switch. */
  readonly isSwitch?: boolean;
  readonly isList?: boolean;
  readonly values?: Values;
  readonly excludes?: readonly string[];
}

export interface CommandWords {
  readonly names: readonly string[];
  readonly text: string;
  readonly words: readonly (Values | null)[];
  /** The last of the words takes all that follow. */
  readonly isMany: boolean;
  readonly hasRest: boolean;
  readonly options: readonly OptionWords[];
  /** Paths to the values of its JSON result, members of lists by 0; not given: it has none. */
  readonly fields?: readonly string[];
}

/** All that completion knows of the command line; made at build time, as one small file. */
export interface CompletionTables {
  readonly commands: readonly CommandWords[];
  readonly globals: readonly OptionWords[];
}

/** Lists that no table holds, by what the words and options are called. */
export interface Lists {
  readonly commands: readonly Offer[];
  readonly topics: readonly Offer[];
  readonly programs: readonly string[];
  readonly formats: readonly string[];
  readonly shells: readonly string[];
  readonly faults: readonly string[];
  readonly browsers: readonly string[];
  /** Findings of the doctor. */
  readonly findings: readonly Offer[];
  readonly settings: readonly Offer[];
  /** Of JSON results, by command. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** @param globals The options that every command takes. */
export function completionTables(
  tables: readonly CommandTable[],
  globals: readonly OptionSpec[],
  lists: Lists,
): CompletionTables {
  return {
    commands: tables.filter(({ hidden }) => hidden !== true).map((table) => commandWords(table, lists)),
    globals: globals.map((spec) => optionWords(spec, lists)),
  };
}

function commandWords(table: CommandTable, lists: Lists): CommandWords {
  const { name, aliases = [], summary, positionals, options, rest } = table;
  return {
    names: [name, ...aliases],
    text: summary,
    words: positionals.map((one) => valuesOfWord(name, one, lists) ?? null),
    isMany: positionals.at(-1)?.many === true,
    hasRest: rest !== undefined,
    options: options.map((spec) => optionWords(spec, lists)),
    ...(lists.fields[name] !== undefined && { fields: lists.fields[name] }),
  };
}

function optionWords(spec: OptionSpec, lists: Lists): OptionWords {
  const values = spec.kind === 'boolean' ? undefined : valuesOfOption(spec, lists);
  return {
    name: spec.name,
    ...(spec.alias !== undefined && { alias: spec.alias }),
    text: spec.describe,
    ...(spec.kind === 'boolean' && { isSwitch: true }),
    ...(spec.kind === 'list' && { isList: true }),
    ...(values !== undefined && { values }),
    ...(spec.excludes !== undefined && { excludes: spec.excludes }),
  };
}

function plain(values: readonly string[]): readonly Offer[] {
  return values.map((value) => [value, '']);
}

const stores: readonly Offer[] = [
  ['keychain', 'the keychain of the system'],
  ['file', 'sealed files'],
  ['memory', 'nowhere: for this command alone'],
  ['helper:', 'a docker-credential-… program'],
  ['redis:', 'Redis or Valkey, shared by machines'],
];

const storesThatStay = stores.filter(([value]) => value !== 'memory');

function valuesOfOption(spec: OptionSpec, { programs, faults, browsers, findings }: Lists): Values | undefined {
  if ('choices' in spec && spec.choices !== undefined) return plain(spec.choices);
  const known: Readonly<Record<string, Values>> = {
    account: 'account',
    'authorization-server': 'issuer',
    'browser-with': plain(browsers),
    explain: findings,
    field: 'field',
    idp: 'provider',
    from: plain(programs),
    misbehave: plain(faults),
    store: stores.filter(([value]) => value !== 'memory' || spec.describe.includes(value)),
    'token-of': 'login',
  };
  if (known[spec.name] !== undefined) return known[spec.name];
  if (/^(?:FILE|PATH)$/.test(spec.value ?? '')) return 'file';
  return /^(?:DIR|FOLDER)$/.test(spec.value ?? '') ? 'folder' : undefined;
}

function valuesOfWord(command: string, { name }: PositionalSpec, lists: Lists): Values | undefined {
  const known: Readonly<Record<string, Values>> = {
    'call method': 'tool',
    'call arguments': 'parameter',
    'completion shell': plain(lists.shells),
    'credential format': plain(lists.formats),
    'credential words': 'login',
    'client-metadata action': plain(['init', 'build', 'check', 'serve', 'show', 'rotate']),
    'client-metadata target': 'file',
    'config action': plain(['get', 'set', 'unset', 'edit', 'path']),
    'config key': lists.settings,
    'config value': { after: { store: storesThatStay, storeReadOnly: plain(['true', 'false']) } },
    'help topic': [...lists.commands, ...lists.topics],
    'move store': storesThatStay,
    'request url': 'login',
    'setup program': plain(lists.programs),
    'switch account': 'account',
  };
  return known[`${command} ${name}`] ?? (/^(?:server|servers|login|name)$/.test(name) ? 'login' : undefined);
}
