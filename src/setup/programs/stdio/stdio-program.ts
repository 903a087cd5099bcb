import type { Entry } from '../../formats/entry.js';
import { jsonAt } from '../../formats/json.js';
import type { PlainJson } from '../../formats/text.js';
import { tomlAt } from '../../formats/toml.js';
import { yamlAt } from '../../formats/yaml.js';
import type { Machine } from '../../machine/ports.js';
import { byUrl, type UrlForm } from '../by-url.js';
import {
  type EntryRequest,
  inApplications,
  inConfig,
  inHome,
  inProject,
  isExpanded,
  join,
  type Program,
  pathIn,
} from '../program.js';
import { initializeLine } from '../responses.js';

type Members = Readonly<Record<string, PlainJson>>;

/** A program that starts a command and speaks the protocol with it. */
export interface StdioProgram
  extends Pick<Program, 'name' | 'title' | 'commands' | 'installed' | 'conflicts' | 'next' | 'nextInProject'> {
  /** As in `Program`: `~/.x/y`, or `{VARIABLE|~/.x}/y` where an absolute path in that variable stands in for `~/.x`. */
  readonly files: readonly string[];
  /** In place of `files`, on Windows. */
  readonly windows?: string;
  readonly alsoRead?: readonly string[];
  readonly switches?: readonly string[];
  /** Below the working folder. */
  readonly projectFile?: string;
  /** JSON, where nothing is said. */
  readonly format?: 'toml' | 'yaml';
  /** Where its list of servers is; in some, that depends on what is there. */
  readonly list: readonly string[] | ((text: string) => readonly string[]);
  /** Under which name an entry stands there; not given: its own. */
  key?(name: string): string;
  /** Members beside `command` and `args`, by what is there. */
  fixed?(found: Readonly<Record<string, unknown>>, request: EntryRequest): Members;
  /** Not given: it takes no URL. */
  readonly url?: UrlForm;
  /** How it names the words; not given: `command`, and `args` for the rest. */
  call?(words: readonly string[]): Members;
  /** It is started from a terminal, and hands the environment of the shell there on to what it starts. */
  readonly inShell?: true;
  /** What else, beside a member of the entry, has it switched off. */
  off?(request: EntryRequest): Iterable<string>;
}

/** A row as a program. */
export function stdioProgram(row: StdioProgram): Program {
  const { name, title, commands, installed, conflicts, next, nextInProject, list, format, url } = row;
  const valueThere = (text: string, path: readonly string[]) => valueAt(format, text, path);
  const paths = (all: readonly string[]) => (machine: Machine) => all.map((template) => pathOf(machine, template));
  const { files, windows, alsoRead, switches, projectFile } = row;
  return {
    ...{ name, title, commands, next },
    ...(installed && { installed }),
    ...(conflicts && { conflicts }),
    ...(nextInProject && { nextInProject }),
    ...(alsoRead && { alsoRead: paths(alsoRead) }),
    ...(switches && { switches: paths(switches) }),
    ...(projectFile && { projectFile: projectFile.split('/') }),
    files: (machine) => paths(windows !== undefined && machine.platform === 'win32' ? [windows] : files)(machine),
    calls: 'bridge',
    dropsEnvironment: row.inShell !== true,
    make: (request, words) => makeStdioEntry(row, request, words),
    ...(url && { byUrl: byUrl(format ?? 'json', url, (request) => entryPath(row, request), valueThere) }),
    blocks: (request) => stdioBlocks(row, request),
    servers: (text) => {
      const own = listIn(list, text);
      return [own, own.slice(0, -1)].filter((path) => path.length > 0).map((path) => valueAt(format, text, path));
    },
    // A check is no reason to open a browser.
    invocation: () => ({ words: ['--non-interactive'], input: { text: initializeLine, upTo: 'first-line' } }),
  };
}

/** What the first word of a path stands for. */
const roots: Readonly<Record<string, (machine: Machine, ...parts: readonly string[]) => string>> = {
  '~': inHome,
  '.': inProject,
  apps: inApplications,
  config: inConfig,
};

function pathOf(machine: Machine, template: string): string {
  const [, variable, usual = '', below = ''] = /^\{(\w+)\|(.*)\}(.*)$/.exec(template) ?? [];
  const [root = '', ...parts] = (variable === undefined ? template : below).split('/');
  if (variable === undefined) return roots[root]?.(machine, ...parts) ?? template;
  return join(machine, pathIn(machine, variable) ?? pathOf(machine, usual), ...parts);
}

/** What an entry for a URL holds, and what has no meaning beside a command. */
const ofUrls = [
  ...['url', 'uri', 'httpUrl', 'serverUrl', 'headers', 'headersHelper', 'oauth', 'auth', 'authProviderType'],
  ...['transport', 'bearerTokenEnvVar', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
];

function makeStdioEntry(row: StdioProgram, request: EntryRequest, words: readonly string[]): Entry | undefined {
  if (isExpanded(words)) return undefined;
  const [command = '', ...args] = words;
  const path = entryPath(row, request);
  const found = valueAt(row.format, request.text, path);
  const there = (typeof found === 'object' && found !== null ? found : {}) as Readonly<Record<string, unknown>>;
  const members = { ...row.fixed?.(there, request), ...(row.call?.(words) ?? { command, args }) };
  const without = ['type', 'args', ...ofUrls].filter((member) => !(member in members));
  return { key: { format: row.format ?? 'json', path }, holds: { members, without } };
}

/** A person, or the program's own window, may have switched the entry off. */
function* stdioBlocks(row: StdioProgram, request: EntryRequest): Iterable<string> {
  const found = valueAt(row.format, request.text, entryPath(row, request));
  const { disabled, enabled } = (found ?? {}) as Readonly<Record<string, unknown>>;
  if (disabled === true || enabled === false) {
    const [name, value] = disabled === true ? ['disabled', 'true'] : ['enabled', 'false'];
    const member = { json: `"${name}": ${value}`, toml: `${name} = ${value}`, yaml: `${name}: ${value}` };
    yield `The entry is switched off (${member[row.format ?? 'json']}); remove that, or switch it on in ${row.title}.`;
  }
  yield* row.off?.(request) ?? [];
}

function entryPath({ list, key }: StdioProgram, { text, name }: EntryRequest): readonly string[] {
  return [...listIn(list, text), key?.(name) ?? name];
}

function listIn(list: StdioProgram['list'], text: string): readonly string[] {
  return typeof list === 'function' ? list(text) : list;
}

function valueAt(format: StdioProgram['format'], text: string, path: readonly string[]): unknown {
  const read = { json: jsonAt, toml: tomlAt, yaml: yamlAt }[format ?? 'json'];
  return read(text, path);
}

/** The lists at a path in the program's own file and in the others that can switch an entry off. */
export function listsAt({ text, switches = [] }: EntryRequest, ...path: readonly string[]): readonly unknown[][] {
  return [text, ...switches].map((one) => jsonAt(one, path)).filter(Array.isArray);
}
