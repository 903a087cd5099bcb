import type { Look } from './text/look.js';

/** What every option has; plain data, so that a table costs nothing to load. */
interface OptionBase {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly alias?: string;
  /** What it does, in a few words, for `--help`. */
  readonly describe: string;
  /** The heading that help lists it below; without, it comes first. */
  readonly group?: string;
  /** Few people need it: help names it alone, beside this topic of `postern help`, which explains it. */
  readonly topic?: string;
  /** The environment variable that gives the same; the option goes first. */
  readonly env?: string;
  /** Stands for the value in `--help`, e.g. `SECONDS`. */
  readonly value?: string;
  /** Shown in `--help`: what holds when neither option, environment nor file say anything. */
  readonly fallback?: string;
  /** Options that contradict this one, or mean nothing with it: both on one command line are refused. */
  readonly excludes?: readonly string[];
  /** Options without which this one means nothing: without them it is refused. */
  readonly needs?: readonly string[];
}

export interface BooleanOption extends OptionBase {
  readonly kind: 'boolean';
}

export interface StringOption extends OptionBase {
  readonly kind: 'string';
  readonly choices?: readonly string[];
  readonly default?: string;
  /** With that option, and without this one, it is its first choice. */
  readonly impliedBy?: string;
}

/** A whole number, `min` to `max`. */
export interface NumberOption extends OptionBase {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
}

/** May be given several times. */
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
  /** Takes all remaining words; only the last positional may. */
  readonly many?: boolean;
}

/** Where a command stands in `postern --help`. */
export type CommandGroup = 'log-in' | 'use' | 'programs' | 'more';

/** One command as data: yargs, the hot path, help, completion and man pages are all built from it. */
export interface CommandTable {
  readonly name: string;
  /** Other words for the same command. */
  readonly aliases?: readonly string[];
  /** `more` where it is not given. */
  readonly group?: CommandGroup;
  /** Commands and topics of `postern help` that explain more. */
  readonly seeAlso?: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  readonly positionals: readonly PositionalSpec[];
  /** Takes all words after `--`, as they were typed; nothing in them is an option of ours. */
  readonly rest?: { readonly name: string; readonly describe: string };
  readonly options: readonly OptionSpec[];
  readonly examples?: readonly { readonly command: string; readonly describe: string }[];
  /** What its own words mean, below the options: a heading, then each word with its meaning. */
  readonly terms?: { readonly title: string; readonly rows: readonly (readonly [term: string, text: string])[] };
  /** Paragraphs below the options: limits, what comes out, exit codes. */
  readonly notes?: readonly string[];
  /** A token that the environment gives (POSTERN_TOKEN) is used like a login. */
  readonly environmentToken?: boolean;
  /** It has no result that `--json` prints: what it prints, others define. */
  readonly noJson?: boolean;
  /** Another program calls it: nobody is asked, and a failure is one line. */
  readonly unattended?: boolean;
}

/** Does this word on a command line name the command? */
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
  : Positional extends { readonly required: true }
    ? string
    : string | undefined;

/** The parsed command line of a table declared `as const`: one member per option and positional, in camelCase. */
export type ArgumentsOf<Table extends CommandTable> = {
  readonly [Option in Table['options'][number] as Camel<Option['name']>]: OptionValue<Option>;
} & {
  readonly [Positional in Table['positionals'][number] as Camel<Positional['name']>]: PositionalValue<Positional>;
} & (Table extends { readonly rest: { readonly name: infer Name extends string } }
    ? { readonly [Rest in Camel<Name>]: readonly string[] }
    : unknown);

/** The same without a table at hand. */
export type ArgumentValue = string | number | boolean | readonly string[] | undefined;

export type LooseArguments = Readonly<Record<string, ArgumentValue>>;

/** The name of an option or positional in code: `min-ttl` is `minTtl`. */
export function camelCase(name: string): string {
  const [first = '', ...others] = name.split('-');
  return first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Writes bytes as they are, and waits until they are taken. @throws Failure `output_failed` */
export type WriteBytes = (bytes: string | Uint8Array) => Promise<void>;

/** stdout, which carries the result and nothing else. Each method throws Failure `output_failed`. */
export interface ResultWriter {
  /** True when a person reads it: then a server's text is not for it as it is. */
  readonly isTerminal: boolean;
  /** Exactly these bytes. */
  readonly write: WriteBytes;
  /** Text and a line feed; of a secret that is known, *** is printed. */
  line(text: string): Promise<void>;
  /** One line of JSON, ASCII only; of a secret that is known, *** is printed. */
  json(value: unknown): Promise<void>;
  /** The same for a server's response: nothing of it is replaced, and it is made as the reader takes it. */
  readonly exact: {
    readonly text: (pieces: Iterable<string>) => Promise<void>;
    readonly json: (value: unknown) => Promise<void>;
  };
}

/** How a command ended: 0, or what the table of exit codes says (`failure.ts`); of `exec`, its program's own. */
export type CommandExit = number;

/** What every command is given, together with the ports that it names. */
export interface CommandOutput {
  /** stdout: the result and nothing else. */
  readonly out: ResultWriter;
  /** `--json`: the result as one JSON object. */
  readonly json: boolean;
  /** How text on stdout is laid out, and, apart, what `tell` prints on stderr. */
  readonly look: Look;
  readonly tellLook: Look;
  /** A line for the person on stderr; left out with `--quiet`. What a server said in it goes through `printable`. */
  readonly tell: (line: string) => void;
  /** Aborted when the program is to end; its reason is a `Failure`. */
  readonly signal: AbortSignal;
}

/** What a command's file exports. `World` is what it needs, and no more. */
export interface Command<Table extends CommandTable, World> {
  readonly table: Table;
  /** @throws Failure for whatever a person can act on */
  readonly run: (world: World, args: ArgumentsOf<Table>) => Promise<CommandExit>;
}
