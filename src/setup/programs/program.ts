import { shellWord } from '../../core/text/printable.js';
import type { Entry } from '../formats/entry.js';
import type { Machine } from '../ports.js';
import type { Answer, Asking } from './answers.js';

export type Scope = 'user' | 'project';

/** What an entry is made for. */
export interface EntryRequest {
  readonly machine: Machine;
  /** The server's URL. */
  readonly url: string;
  /** What commands call it: its URL, or the login's name. */
  readonly server: string;
  /** What entries of earlier releases call it: the login's name. */
  readonly login?: string;
  /** What the program calls it. */
  readonly name: string;
  /** Options of the commands: the account or a pin, `--whole-host`. */
  readonly options: readonly string[];
  /** The configuration file as it is now; empty when there is none. */
  readonly text: string;
  /** The files of `switches`, as far as they are there, by path. */
  readonly switches?: ReadonlyMap<string, string>;
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

/** An entry as it can be put into a file, and the program that has to be written for it, if one has. */
export interface MadeEntry {
  readonly entry: Entry;
  readonly shim?: Shim;
}

export interface Shim {
  readonly path: string;
  readonly text: string;
}

/** Another program: where its configuration is, and what belongs there. */
export interface Program {
  /** As a person types it. */
  readonly name: string;
  readonly title: string;
  /** How it gets to our token. */
  readonly way: 'headers' | 'bridge' | 'credential';
  /** The command of ours that it calls. */
  readonly calls: readonly string[];
  /** It starts ours with hardly anything of a shell's environment, or is itself started without it. */
  readonly isApart?: true;
  /** It starts ours without the variable that leads to the session bus. */
  readonly leavesNoBus?: true;
  /** Its commands on the PATH. */
  readonly commands: readonly string[];
  /** Where its configuration may be: the first that exists, else the first; none where it has no such file. */
  files(machine: Machine, scope: Scope): readonly string[];
  /** The command line that gets the token where there is no configuration to put it in. */
  line?(request: EntryRequest, words: readonly string[]): string | undefined;
  /** The entry that makes it call us with these words; undefined where it cannot hold them. */
  make(request: EntryRequest, words: readonly string[]): MadeEntry | undefined;
  /** What would keep the program from using the entry: what wins over it, or has it switched off; each in a sentence. */
  blocks?(request: EntryRequest): readonly string[];
  /** What else a person has to know of, in this file or in the environment, each in a sentence. */
  conflicts?(request: EntryRequest): readonly string[];
  /** Other files of the program's that can switch the entry off. */
  switches?(machine: Machine): readonly string[];
  /** The program's first version that uses such an entry, and what says its version. */
  readonly since?: Since;
  /** The servers in its configuration, where it has a list of them. */
  servers?(text: string, machine: Machine): readonly FoundServer[];
  /** What still counts on the entry when it is gone, each in a sentence. */
  dangling?(text: string, name: string): readonly string[];
  /** What the program gives us by that entry, and how it reads what comes. */
  asks?(request: EntryRequest): Asking;
  reads(stdout: string): Answer;
  /** What a person does then; in a project, where that is something else. */
  readonly next: string;
  readonly nextInProject?: string;
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
    return join(machine, set(machine, 'APPDATA') ?? inHome(machine, 'AppData', 'Roaming'), ...parts);
  }
  if (platform === 'darwin') return inHome(machine, 'Library', 'Application Support', ...parts);
  return inConfig(machine, ...parts);
}

/** `$XDG_CONFIG_HOME`, or `~/.config`. */
export function inConfig(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, set(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config'), ...parts);
}

/** A file below the working folder. */
export function inProject(machine: Machine, ...parts: readonly string[]): string {
  return join(machine, machine.workingFolder, ...parts);
}

/** A variable that holds an absolute path. */
export function set({ env, platform }: Machine, variable: string): string | undefined {
  const value = env[variable];
  const isAbsolute = platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|\\\\)/ : /^\//;
  return value !== undefined && isAbsolute.test(value) ? value : undefined;
}

/** The words of a call of ours: absolute paths, and before them by `env` what the caller may leave out of the environment. */
export function callWords(
  { start, variables, platform }: Machine,
  { command, server, options }: { readonly command: readonly string[] } & Pick<EntryRequest, 'server' | 'options'>,
): readonly string[] {
  const set = platform === 'win32' ? [] : Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const words = [start.node, start.script, ...command, server, ...options];
  return set.length === 0 ? words : ['/usr/bin/env', ...set, ...words];
}

/**
 * Words as one line for the platform's shell: `sh -c` (POSIX), or `cmd /C` (Windows), where nothing stops `%` and `!`
 * from being replaced: words with those, and with quotes, cannot be said there. Undefined then.
 */
export function shellLine(platform: string, words: readonly string[]): string | undefined {
  if (platform !== 'win32') return words.map(shellWord).join(' ');
  if (words.some((word) => /["%!^\r\n]/.test(word))) return undefined;
  return words.map((word) => (/^[A-Za-z0-9:\\/._@=-]+$/.test(word) ? word : `"${word}"`)).join(' ');
}

/** Git runs helpers with its own `sh` on every platform; on Windows paths are written with `/` there. */
export function gitLine(platform: string, words: readonly string[]): string {
  const slashed = platform === 'win32' ? words.map((word) => word.replaceAll('\\', '/')) : words;
  return `!${slashed.map(shellWord).join(' ')}`;
}

/**
 * Words as one command of Go's GOAUTH: separated by blanks, quoted by `'` or `"` without any escapes, commands
 * separated by `;`. Undefined where that cannot say a word.
 */
export function goLine(words: readonly string[]): string | undefined {
  if (words.some((word) => /[;\r\n]|^$/.test(word) || (word.includes("'") && word.includes('"')))) return undefined;
  return words.map((word) => (!/[\s'"]/.test(word) ? word : word.includes("'") ? `"${word}"` : `'${word}'`)).join(' ');
}

/** Those whose condition holds. */
export function sentences(...all: readonly (readonly [is: boolean, sentence: string])[]): readonly string[] {
  return all.flatMap(([is, sentence]) => (is ? [sentence] : []));
}

/** What wins over the entry, or has it switched off, and what else a person has to know of. */
export function conflictsOf(program: Program, request: EntryRequest): readonly string[] {
  return [...(program.conflicts?.(request) ?? []), ...(program.blocks?.(request) ?? [])];
}

/** Is there something in it that these programs replace in strings of their configuration (`${x}`, `$x`, `{env:x}`)? */
export function isExpanded(words: readonly string[]): boolean {
  return words.some((word) => /\$|\{(?:env|file):/.test(word));
}

/** A program for callers that allow no arguments: a script that starts ours with these words. */
export function shimText(platform: string, words: readonly string[]): string | undefined {
  if (platform !== 'win32') return `#!/bin/sh\nexec ${words.map(shellWord).join(' ')} "$@"\n`;
  const line = shellLine(platform, words);
  return line === undefined ? undefined : `@${line} %*\r\n`;
}

/** A server that a program is set up for. */
export interface FoundServer {
  /** What the program calls it. */
  readonly name: string;
  /** Canonical. */
  readonly url: string;
}
