import type { Look } from './text/look.js';

/** Common to all options; plain data, so that a table costs nothing to load. */
interface OptionBase {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly alias?: string;
  /** For `--help`. */
  readonly describe: string;
  /** The heading in help; options without one come first. */
  readonly group?: string;
  /** For rare options: help lists only the name, with this topic of `postern help`, which explains it. */
  readonly topic?: string;
  /** The environment variable for the same value; the option wins. */
  readonly env?: string;
  /** Placeholder for the value in `--help`, e.g. `SECONDS`. */
  readonly value?: string;
  /** Shown in `--help`: the default without option, environment and file. */
  readonly fallback?: string;
  /** Options that cannot be combined with this one. */
  readonly excludes?: readonly string[];
  /** Options that this one requires. */
  readonly needs?: readonly string[];
}

export interface BooleanOption extends OptionBase {
  readonly kind: 'boolean';
}

export interface StringOption extends OptionBase {
  readonly kind: 'string';
  readonly choices?: readonly string[];
  readonly default?: string;
  /** If that option is present and this one is not, this one is its first choice. */
  readonly impliedBy?: string;
}

/** A whole number, `min` to `max`. */
export interface NumberOption extends OptionBase {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}

/** Repeatable. */
export interface ListOption extends OptionBase {
  readonly kind: 'list';
  readonly choices?: readonly string[];
}

export type OptionSpec = BooleanOption | StringOption | NumberOption | ListOption;

export interface PositionalSpec {
  /** In kebab-case. */
  readonly name: string;
  readonly describe: string;
  readonly required: boolean;
  readonly choices?: readonly string[];
  /** Takes all remaining words; only the last positional may. */
  readonly many?: boolean;
}

/** A section of `postern --help`. */
export type CommandGroup = 'log-in' | 'use' | 'programs' | 'more';

/** A command as data: yargs, the hot path, help, completion and man pages are built from it. */
export interface CommandTable {
  readonly name: string;
  /** Other names of the command. */
  readonly aliases?: readonly string[];
  /** Default: `more`. */
  readonly group?: CommandGroup;
  /** Related commands and topics of `postern help`. */
  readonly seeAlso?: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  readonly positionals: readonly PositionalSpec[];
  /** Takes all words after `--` as typed; none of them is an option of ours. */
  readonly rest?: { readonly name: string; readonly describe: string };
  readonly options: readonly OptionSpec[];
  readonly examples?: readonly { readonly command: string; readonly describe: string }[];
  /** A glossary below the options: a heading, then each word with its meaning. */
  readonly terms?: { readonly title: string; readonly rows: readonly (readonly [term: string, text: string])[] };
  /** Paragraphs below the options: limits, what comes out, exit codes. */
  readonly notes?: readonly string[];
  /** A token in the environment (POSTERN_TOKEN) works like a login. */
  readonly environmentToken?: boolean;
  /** Has no `--json`: others define its output. */
  readonly noJson?: boolean;
  /** Other programs call it: it never asks, and a failure is one line. */
  readonly unattended?: boolean;
}

/** Whether this word on a command line names the command. */
export function isCommandName({ name, aliases }: CommandTable, word: string | undefined): boolean {
  return word !== undefined && (name === word || aliases?.includes(word) === true);
}

/** `min-ttl` is `minTtl` in code. */
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type ChoiceOf<Option> = Option extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

type Perhaps<Option> = Option extends { readonly default: string | number } ? never : undefined;

type OptionValue<Option extends OptionSpec> = Option extends BooleanOption
  ? boolean
  : Option extends NumberOption
    ? number | Perhaps<Option>
    : Option extends ListOption
      ? readonly ChoiceOf<Option>[]
      : ChoiceOf<Option> | Perhaps<Option>;

type PositionalValue<Positional extends PositionalSpec> = Positional extends { readonly many: true }
  ? readonly string[]
  : ChoiceOf<Positional> | (Positional extends { readonly required: true } ? never : undefined);

/** The parsed command line for a table declared `as const`: one member per option and positional, in camelCase. */
export type ArgumentsOf<Table extends CommandTable> = {
  readonly [Option in Table['options'][number] as Camel<Option['name']>]: OptionValue<Option>;
} & {
  readonly [Positional in Table['positionals'][number] as Camel<Positional['name']>]: PositionalValue<Positional>;
} & (Table extends { readonly rest: { readonly name: infer Name extends string } }
    ? { readonly [Rest in Camel<Name>]: readonly string[] }
    : unknown);

/** The same without a table. */
export type ArgumentValue = string | number | boolean | readonly string[] | undefined;

export type LooseArguments = Readonly<Record<string, ArgumentValue>>;

/** The name of an option or positional in code: `min-ttl` is `minTtl`. */
export function camelCase(name: string): string {
  const [first = '', ...others] = name.split('-');
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Writes bytes unchanged and waits until they are accepted. @throws Failure `output_failed` */
export type WriteBytes = (bytes: string | Uint8Array) => Promise<void>;

/** stdout, which carries only the result. Each method throws Failure `output_failed`. */
export interface ResultWriter {
  /** True if a user reads it: then a server's text must be cleaned first. */
  readonly isTerminal: boolean;
  /** Writes exactly these bytes. */
  readonly write: WriteBytes;
  /** Writes text and a line feed, known secrets as ***. */
  line(text: string): Promise<void>;
  /** Writes one line of ASCII JSON, known secrets as ***. */
  json(value: unknown): Promise<void>;
  /** The same for a server's response: nothing is replaced, and it is produced as the reader takes it. */
  readonly exact: {
    readonly text: (pieces: Iterable<string>) => Promise<void>;
    readonly json: (value: unknown) => Promise<void>;
  };
}

/** A command's exit code: 0, one of `exitCode` (`failure.ts`), or that of the program which `exec` ran. */
export type CommandExit = number;

/** What every command gets beside its ports. */
export interface CommandOutput {
  /** stdout: the result and nothing else. */
  readonly out: ResultWriter;
  /** `--json`: the result as one JSON object. */
  readonly json: boolean;
  /** Layout of stdout, and of what `tell` prints on stderr. */
  readonly look: Look;
  readonly tellLook: Look;
  /** Prints a line for the user on stderr, not with `--quiet`. A server's words in it pass through `printable`. */
  readonly tell: (line: string) => void;
  /** Aborted when the program has to end; its reason is a `Failure`. */
  readonly signal: AbortSignal;
}

/** The export of a command's file. `World` holds the ports that it needs. */
export interface Command<Table extends CommandTable, World> {
  readonly table: Table;
  /** @throws Failure for anything that the user can act on */
  readonly run: (world: World, args: ArgumentsOf<Table>) => Promise<CommandExit>;
}
