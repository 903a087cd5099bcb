import { posixWord } from '../../core/text/printable.js';
import type { Entry } from '../formats/entry.js';
import type { Machine } from '../machine/ports.js';
import { sameServerElsewhere } from './read-servers.js';
import type { Invocation, OwnCommand } from './responses.js';

export type Scope = 'user' | 'project';

/** What an entry is made for. */
export interface EntryRequest {
  readonly machine: Machine;
  /** The server's URL. */
  readonly url: string;
  /** What commands call it: its URL, or the login's name. */
  readonly server: string;
  /** What the program calls it. */
  readonly name: string;
  /** Options of the commands: the account or a pin, `--whole-host`. */
  readonly options: readonly string[];
  /** The configuration file as it is now; empty when there is none. */
  readonly text: string;
  /** The texts of the files of `switches` that are there. */
  readonly switches?: readonly string[];
}

/** What a program's version has to be. */
export interface Since {
  /** Its first word is looked for on the PATH. */
  readonly command: readonly [string, ...string[]];
  readonly major: number;
  readonly minor: number;
  /** What it cannot do before, as the rest of a sentence. */
  readonly lacks: string;
  /** Servers that take a password (HTTP Basic) do not need it. */
  readonly unlessBasic?: true;
}

/** The entry of a program that reaches a server by a URL. */
export type ByUrl = (request: EntryRequest, address: string) => Entry;

/** Another program: where its configuration is, and what belongs there. Messages are sentences. */
export interface Program {
  /** As a person types it. */
  readonly name: string;
  readonly title: string;
  readonly calls: OwnCommand;
  /** It starts ours with hardly anything of a shell's environment, or is itself started without it. */
  readonly dropsEnvironment?: boolean;
  /** It starts ours without the variable that leads to the session bus. */
  readonly dropsSessionBus?: true;
  /** Its commands on the PATH. */
  readonly commands: readonly string[];
  /** Where its configuration may be: the first that exists, else the first; none where it has no such file. */
  files(machine: Machine): readonly string[];
  /**
   * By a folder or file that only one kind of installation has: where that kind keeps its configuration, the first that is
   * there before all of `files`.
   */
  installed?(machine: Machine): readonly { readonly sign: string; readonly file: string }[];
  /** Other files of its own with servers in them, which are read and never written. */
  alsoRead?(machine: Machine): readonly string[];
  /** Its configuration below a working folder. */
  readonly projectFile?: readonly string[];
  /** The line that a person pastes, where nothing is written here; undefined where it cannot say the words. */
  line?(request: EntryRequest, words: readonly string[]): string | undefined;
  /** The same for a URL. */
  lineByUrl?(request: EntryRequest, address: string): string;
  /** What has to be done before the line works, as a command. */
  before?(request: EntryRequest): string;
  /** The entry that makes it call us with these words; undefined where it cannot hold them. */
  make?(request: EntryRequest, words: readonly string[]): Entry | undefined;
  /** Not given: it takes no URL. */
  readonly byUrl?: ByUrl;
  /** What keeps the program from using the entry: what wins over it, or has it switched off. */
  blocks?(request: EntryRequest): Iterable<string>;
  /** What else a person has to know of, in this file or in the environment. */
  conflicts?(request: EntryRequest): Iterable<string>;
  /** Other files of the program's that can switch the entry off. */
  switches?(machine: Machine): readonly string[];
  /** The program's first version that uses such an entry, and what says its version. */
  readonly since?: Since;
  /** The lists of servers in its configuration; the first is the one that entries are put into. */
  servers?(text: string, machine: Machine): readonly unknown[];
  /** What still counts on the entry when it is gone. */
  dangling?(text: string, name: string): Iterable<string>;
  invocation?(request: EntryRequest): Invocation;
  /** What a person does then; in a project, where that is something else. */
  readonly next: string;
  readonly nextInProject?: string;
}

/** How a program gets to our token, for people. */
export function wayOf({ calls }: Program): 'headers' | 'bridge' | 'credential' {
  return calls === 'headers' || calls === 'bridge' ? calls : 'credential';
}

export function filesOf({ files, projectFile }: Program, machine: Machine, scope: Scope): readonly string[] {
  if (scope === 'user') return files(machine);
  return projectFile === undefined ? [] : [inProject(machine, ...projectFile)];
}

/** Path parts joined by the machine's own separator. */
export function join({ platform }: Pick<Machine, 'platform'>, first: string, ...parts: readonly string[]): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return [first.replace(/[\\/]+$/, ''), ...parts].join(separator);
}

/** A file or folder below the person's home. */
export function inHome(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.homedir, ...parts);
}

/** Where applications keep their configuration: `%APPDATA%`, `~/Library/Application Support`, `$XDG_CONFIG_HOME`. */
export function inApplications(machine: Machine, ...parts: readonly string[]): string {
  const { platform } = machine;
  if (platform === 'win32') {
    return join(machine, pathIn(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming'), ...parts);
  }
  if (platform === 'darwin') return inHome(machine, 'Library', 'Application Support', ...parts);
  return inConfig(machine, ...parts);
}

/** `$XDG_CONFIG_HOME`, or `~/.config`. */
export function inConfig(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, pathIn(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config'), ...parts);
}

/** A file below the working folder. */
export function inProject(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.workingFolder, ...parts);
}

/** The absolute path that a variable holds. */
export function pathIn({ env, platform }: Machine, variable: string): string | undefined {
  const value = env[variable];
  const isAbsolute = platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|\\\\)/ : /^\//;
  return value !== undefined && isAbsolute.test(value) ? value : undefined;
}

/** The words by which a program calls us: absolute paths, and before them by `env` what it may leave out of the environment. */
export function callWords(calls: OwnCommand, request: Pick<EntryRequest, 'machine' | 'server' | 'options'>) {
  const { machine, server, options } = request;
  const { start, variables, platform } = machine;
  const set = platform === 'win32' ? [] : Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const command = calls === 'bridge' ? ['bridge'] : ['credential', calls];
  const words = [start.node, ...(start.script === undefined ? [] : [start.script]), ...command, server, ...options];
  return set.length === 0 ? words : ['/usr/bin/env', ...set, ...words];
}

/**
 * Words as one line for the platform's shell: `sh -c` (POSIX), or `cmd /C` (Windows), where nothing stops `%` and `!`
 * from being replaced: words with those, and with quotes, cannot be said there. Undefined then.
 */
export function shellLine(platform: string, words: readonly string[]): string | undefined {
  if (platform !== 'win32') return words.map(posixWord).join(' ');
  if (words.some((word) => /["%!^\r\n]/.test(word))) return undefined;
  return words.map((word) => (/^[A-Za-z0-9:\\/._@=-]+$/.test(word) ? word : `"${word}"`)).join(' ');
}

/** The same for programs that replace variables in the line; undefined where they would. */
export function configuredLine(platform: string, words: readonly string[]): string | undefined {
  return isExpanded(words) ? undefined : shellLine(platform, words);
}

/** Git runs helpers with its own `sh` on every platform; on Windows paths are written with `/` there. */
export function gitLine(platform: string, words: readonly string[]): string {
  const slashed = platform === 'win32' ? words.map((word) => word.replaceAll('\\', '/')) : words;
  return `!${slashed.map(posixWord).join(' ')}`;
}

/** What wins over the entry, or has it switched off, and what else a person has to know of. */
export function conflictsOf(program: Program, request: EntryRequest): readonly string[] {
  const [servers] = program.servers?.(request.text, request.machine) ?? [];
  const { conflicts, blocks } = program;
  return [...sameServerElsewhere(request, servers), ...(conflicts?.(request) ?? []), ...(blocks?.(request) ?? [])];
}

/** Is there something in it that these programs replace in strings of their configuration (`${x}`, `$x`, `{env:x}`, `{{x}}`)? */
export function isExpanded(words: readonly string[]): boolean {
  return words.some((word) => /\$|\{\{|\{(?:env|file):/.test(word));
}
