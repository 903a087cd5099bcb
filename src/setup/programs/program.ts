import { posixWord } from '../../core/text/printable.js';
import { type Entry, type EntryKey, valueIn } from '../formats/entry.js';
import { type Members, membersOf } from '../formats/text.js';
import type { Machine } from '../machine/external-programs.js';
import { sameServerElsewhere } from './entries.js';

/** The command of ours that a program calls: `bridge`, or `credential` with this format. */
export type OwnCommand = 'bridge' | 'headers' | 'git' | 'kubectl' | 'bazel' | 'goauth' | 'curl';

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

/**
 * Another program: where its configuration is, and what belongs there. Messages are sentences. A path begins with a folder
 * of `folderOf`, or is `{VARIABLE|~/.x}/y`: an absolute path in that variable stands in for `~/.x`.
 */
export interface Program {
  /** As a person types it. */
  readonly name: string;
  readonly title: string;
  /** Its commands on the PATH. */
  readonly commands: readonly string[];
  readonly calls: OwnCommand;
  /** It is started from a terminal, and hands the environment of the shell there on to what it starts. */
  readonly inShell?: true;
  /** It starts ours without the variable that leads to the session bus, and hardly any other. */
  readonly isBare?: true;
  /** The variable by which it says for what server it calls; our standard input is left open then. */
  readonly serverVariable?: string;
  /** Where its configuration may be: the first that exists, else the first; none where it has no such file. */
  readonly files: readonly string[] | ((machine: Machine) => readonly string[]);
  /** In place of `files`, on Windows. */
  readonly windows?: string;
  /** What only one kind of installation has, and where that kind keeps its configuration, before all of `files`. */
  readonly installed?: { readonly sign: string; readonly file: string };
  /** Other files of its own with servers in them, which are read and never written. */
  readonly alsoRead?: readonly string[];
  /** Other files of the program's that can switch the entry off. */
  readonly switches?: readonly string[];
  /** Its configuration below a working folder. */
  readonly projectFile?: string;
  /** `pasted`: nothing is written, a person adds the `line` of the entry. */
  readonly format: EntryKey['format'];
  /** Where its list of servers is; in some, that depends on what is there. */
  readonly list?: readonly string[] | ((text: string) => readonly string[]);
  /** The entry's place in the file; absent: its name, in `list`. */
  path?(request: EntryRequest): readonly string[];
  /** `type` of an entry for a command, and for a URL. */
  readonly types?: { readonly call?: string; readonly url?: string };
  /** Other members of either, by what is there. */
  also?(there: Readonly<Record<string, unknown>>, request: EntryRequest): Members;
  /** The member for a shell line whose output are headers, beside the server's URL. */
  readonly helper?: string;
  /** How it names the words; undefined where it cannot say them. Absent: `command`, and `args` for the rest. */
  call?(words: readonly string[], request: EntryRequest): Members | undefined;
  /** Members that have no meaning beside those, or would win. */
  readonly without?: readonly string[];
  /** The member for the URL of a server, or the members; absent: it takes none. */
  readonly url?: string | ((request: EntryRequest, address: string) => Members);
  /** What keeps the program from using the entry: what wins over it, or has it switched off. */
  blocks?(request: EntryRequest): Iterable<string>;
  /** What else a person has to know of, in this file or in the environment. */
  conflicts?(request: EntryRequest): Iterable<string>;
  /** The program's first version that uses such an entry, and what says its version. */
  readonly since?: Since;
  /** The lists of servers in its configuration, the one for entries first; absent: `list`. */
  servers?(text: string, machine: Machine): readonly unknown[];
  /** What still counts on the entry when it is gone. */
  dangling?(text: string, name: string): Iterable<string>;
  /** What a person does then; in a project, where that is something else. */
  readonly next: string;
  readonly nextInProject?: string;
}

/** A program that speaks the protocol with the bridge, in JSON where it does not say otherwise. */
export type BridgeProgram = Omit<Program, 'calls' | 'format'> & Partial<Pick<Program, 'format'>>;

/** How a program gets to our token, for people. */
export function wayOf({ calls }: Program): 'headers' | 'bridge' | 'credential' {
  return calls === 'headers' || calls === 'bridge' ? calls : 'credential';
}

/** It starts ours with hardly anything of a shell's environment, or is itself started without it. */
export function dropsEnvironment({ calls, inShell, isBare }: Program): boolean {
  return isBare === true || (calls === 'bridge' && inShell !== true);
}

export function filesOf({ files, windows, projectFile }: Program, machine: Machine, scope: Scope): readonly string[] {
  if (scope === 'project') return projectFile === undefined ? [] : [pathOf(machine, `./${projectFile}`)];
  if (typeof files === 'function') return files(machine);
  const paths = windows !== undefined && machine.platform === 'win32' ? [windows] : files;
  return paths.map((path) => pathOf(machine, path));
}

/** Where a path of a program leads on this machine. */
export function pathOf(machine: Machine, path: string): string {
  const [, variable, usual = '', below = ''] = /^\{(\w+)\|(.*)\}(.*)$/.exec(path) ?? [];
  if (variable !== undefined) return joined(machine, pathIn(machine, variable) ?? pathOf(machine, usual), below);
  const [root = ''] = path.split('/', 1);
  return joined(machine, folderOf(machine, root), path.slice(root.length));
}

function joined({ platform }: Machine, folder: string, below: string): string {
  return folder.replace(/[\\/]+$/, '') + (platform === 'win32' ? below.replaceAll('/', '\\') : below);
}

/** Where applications keep their configuration: `%APPDATA%`, `~/Library/Application Support`, `$XDG_CONFIG_HOME`. */
function folderOf(machine: Machine, name: string): string {
  const { platform, homedir, workingFolder } = machine;
  if (name === '~') return homedir;
  if (name === '.') return workingFolder;
  if (name === 'apps' && platform === 'win32') return pathOf(machine, '{APPDATA|~/AppData/Roaming}');
  if (name === 'apps' && platform === 'darwin') return pathOf(machine, '~/Library/Application Support');
  return pathOf(machine, '{XDG_CONFIG_HOME|~/.config}');
}

/** The absolute path that a variable holds. */
function pathIn({ env, platform }: Machine, variable: string): string | undefined {
  const value = env[variable];
  const isAbsolute = platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|\\\\)/ : /^\//;
  return value !== undefined && isAbsolute.test(value) ? value : undefined;
}

/** The entry that makes it call us with these words; undefined where it cannot hold them. */
export function entryOf(program: Program, request: EntryRequest, words: readonly string[]): Entry | undefined {
  const isReplacing = program.calls === 'bridge' || program.calls === 'headers';
  const call = isReplacing && isExpanded(words) ? undefined : callMembers(program, request, words);
  return call && entryWith(program, request, 'call', call);
}

function callMembers({ call, helper }: Program, request: EntryRequest, words: readonly string[]): Members | undefined {
  if (call !== undefined) return call(words, request);
  const [command = '', ...args] = words;
  if (helper === undefined) return { command, args };
  const line = shellLine(request.machine.platform, words);
  return line === undefined ? undefined : { url: request.url, [helper]: line };
}

/** The entry of a program that reaches a server by a URL. */
export function entryByUrl(program: Program, request: EntryRequest, address: string): Entry | undefined {
  const { url } = program;
  if (url === undefined) return undefined;
  return entryWith(program, request, 'url', typeof url === 'string' ? { [url]: address } : url(request, address));
}

function entryWith(program: Program, request: EntryRequest, kind: 'call' | 'url', own: Members): Entry {
  const { format, types, also, without = [] } = program;
  const path = entryPath(program, request);
  const there = membersOf(valueIn(format, request.text, path));
  const type = types?.[kind];
  const members = { ...(type !== undefined && { type }), ...also?.(there, request), ...own };
  const gone = kind === 'url' ? [] : without.filter((member) => !(member in members));
  return { key: { format, path }, holds: { members, without: gone } };
}

function entryPath(program: Program, request: EntryRequest): readonly string[] {
  return program.path?.(request) ?? [...listIn(program, request.text), request.name];
}

function listIn({ list = [] }: Program, text: string): readonly string[] {
  return typeof list === 'function' ? list(text) : list;
}

/** The lists of servers in a program's configuration; undefined where it has none. */
export function serversIn(program: Program, text: string, machine: Machine): readonly unknown[] | undefined {
  const { servers, list, format } = program;
  if (servers !== undefined) return servers(text, machine);
  if (list === undefined) return undefined;
  const own = listIn(program, text);
  // An older form of some programs has its servers one level above.
  return [own, own.slice(0, -1)].filter((path) => path.length > 0).map((path) => valueIn(format, text, path));
}

/** What keeps the program from using the entry; a person, or its own window, may have switched it off. */
export function* blocksOf(program: Program, request: EntryRequest): Iterable<string> {
  const { format, title } = program;
  const found = membersOf(valueIn(format, request.text, entryPath(program, request)));
  if (found['disabled'] === true || found['enabled'] === false) {
    const [name, value] = found['disabled'] === true ? ['disabled', 'true'] : ['enabled', 'false'];
    const member = format === 'toml' ? `${name} = ${value}` : `${format === 'json' ? `"${name}"` : name}: ${value}`;
    yield `The entry is switched off (${member}); remove that, or switch it on in ${title}.`;
  }
  yield* program.blocks?.(request) ?? [];
}

/** What wins over the entry, or has it switched off, and what else a person has to know of. */
export function conflictsOf(program: Program, request: EntryRequest): readonly string[] {
  const [servers] = serversIn(program, request.text, request.machine) ?? [];
  return [
    ...sameServerElsewhere(request.name, request.url, servers),
    ...(program.conflicts?.(request) ?? []),
    ...blocksOf(program, request),
  ];
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

/** Is there something in it that these programs replace in strings of their configuration (`${x}`, `$x`, `{env:x}`, `{{x}}`)? */
export function isExpanded(words: readonly string[]): boolean {
  return words.some((word) => /\$|\{\{|\{(?:env|file):/.test(word));
}
