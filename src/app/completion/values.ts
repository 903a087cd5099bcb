import type { CommandTable, OptionSpec } from '../../core/command.js';

/** A word that is offered, and what it means. */
export type Offer = readonly [word: string, text: string];

/** What only this machine knows: its logins and their tools. */
export type Own = 'login' | 'tool' | 'parameter' | 'account' | 'issuer' | 'provider';

/** What a value may be: one of these words, one of what this machine knows, or what the shell itself completes. */
export type Values = readonly Offer[] | Own | 'file' | 'folder';

/** All that completion knows of the command line; made at build time, as one file. */
export interface CompletionTables {
  readonly commands: readonly CommandTable[];
  readonly lists: Lists;
}

/** Values that no table holds. */
export interface Lists {
  readonly topics: readonly Offer[];
  readonly programs: readonly Offer[];
  readonly formats: readonly Offer[];
  readonly shells: readonly Offer[];
  readonly faults: readonly Offer[];
  readonly browsers: readonly Offer[];
  /** Findings of the doctor. */
  readonly findings: readonly Offer[];
  readonly settings: readonly Offer[];
}

export function plain(values: readonly string[]): readonly Offer[] {
  return values.map((value) => [value, '']);
}

const stores: readonly Offer[] = [
  ['keychain', 'the keychain of the system'],
  ['file', 'sealed files'],
  ['helper:', 'a docker-credential-… program'],
  ['redis:', 'Redis or Valkey, shared by machines'],
];

/** What may follow an option; none: anything. */
export function valuesOfOption(spec: OptionSpec, lists: Lists): Values {
  if ('choices' in spec && spec.choices !== undefined) return plain(spec.choices);
  const known: Readonly<Record<string, Values>> = {
    account: 'account',
    'authorization-server': 'issuer',
    'browser-with': lists.browsers,
    explain: lists.findings,
    idp: 'provider',
    from: lists.programs,
    misbehave: lists.faults,
    store: stores,
    'token-of': 'login',
  };
  if (known[spec.name] !== undefined) return known[spec.name] ?? [];
  if (/^(?:FILE|PATH)$/.test(spec.value ?? '') && spec.name !== 'field') return 'file';
  return /^(?:DIR|FOLDER)$/.test(spec.value ?? '') ? 'folder' : [];
}

/** What the next word of a command may be. @param words Those before it. */
export function valuesOfWord(
  command: CommandTable,
  words: readonly string[],
  { commands, lists }: CompletionTables,
): Values {
  const { positionals } = command;
  const isMany = positionals.at(-1)?.many === true;
  const name = positionals[isMany ? Math.min(words.length, positionals.length - 1) : words.length]?.name ?? '';
  const setting: Readonly<Record<string, Values>> = { store: stores, storeReadOnly: plain(['true', 'false']) };
  const known: Readonly<Record<string, Values>> = {
    'call method': 'tool',
    'call arguments': 'parameter',
    'completion shell': lists.shells,
    'credential format': lists.formats,
    'credential words': 'login',
    'client-metadata action': plain(['init', 'build', 'check', 'show', 'rotate']),
    'client-metadata target': 'file',
    'config action': plain(['get', 'set', 'unset', 'edit', 'path']),
    'config key': lists.settings,
    'config value': setting[words.at(-1) ?? ''] ?? [],
    'help topic': [...commands.map((one): Offer => [one.name, one.summary]), ...lists.topics],
    'move store': stores,
    'request url': 'login',
    'setup program': lists.programs,
    'switch account': 'account',
  };
  return known[`${command.name} ${name}`] ?? (/^(?:server|servers|login|name)$/.test(name) ? 'login' : []);
}
