import { jsonAt, type PlainJson } from '../formats/json.js';
import type { Machine } from '../ports.js';
import { initializeLine, readInitialize } from './answers.js';
import {
  type EntryRequest,
  inApplications,
  inConfig,
  inHome,
  inProject,
  isExpanded,
  type MadeEntry,
  type Program,
  type Scope,
  sentences,
  set,
} from './program.js';
import { foundServers, sameServerElsewhere } from './read-servers.js';

/** A program that starts a command and speaks the protocol with it: where its list of servers is. */
interface StdioProgram {
  readonly name: string;
  readonly title: string;
  readonly commands: readonly string[];
  readonly files: (machine: Machine) => readonly string[];
  readonly project?: readonly string[];
  readonly below: string;
  /** Members beside `command` and `args`. */
  readonly fixed?: Readonly<Record<string, PlainJson>>;
  /** `command` holds all the words. */
  readonly oneList?: true;
  /** It is started from a terminal, and its environment is that of the shell there. */
  readonly inShell?: true;
  readonly next: string;
}

const table: readonly StdioProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    commands: ['claude-desktop'],
    files: (machine) => [inApplications(machine, 'Claude', 'claude_desktop_config.json')],
    below: 'mcpServers',
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    files: (machine) => [inHome(machine, '.cursor', 'mcp.json')],
    project: ['.cursor', 'mcp.json'],
    below: 'mcpServers',
    next: 'Cursor reads it by itself; look at Settings, MCP.',
  },
  {
    name: 'vscode',
    title: 'Visual Studio Code',
    commands: ['code'],
    files: (machine) => [inApplications(machine, 'Code', 'User', 'mcp.json')],
    project: ['.vscode', 'mcp.json'],
    below: 'servers',
    fixed: { type: 'stdio' },
    next: 'In the editor: MCP: List Servers, then start it.',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    commands: ['gemini'],
    inShell: true,
    files: (machine) => [inHome(machine, '.gemini', 'settings.json')],
    project: ['.gemini', 'settings.json'],
    below: 'mcpServers',
    next: 'Look at it with: gemini mcp list',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    commands: ['opencode'],
    inShell: true,
    files: (machine) => {
      const named = set(machine, 'OPENCODE_CONFIG');
      const usual = ['opencode.json', 'opencode.jsonc'].map((name) => inConfig(machine, 'opencode', name));
      return named === undefined ? usual : [named];
    },
    project: ['opencode.json'],
    below: 'mcp',
    fixed: { type: 'local', enabled: true },
    oneList: true,
    next: 'Look at it with: opencode mcp list',
  },
  {
    name: 'zed',
    title: 'Zed',
    commands: ['zed', 'zeditor'],
    files: (machine) => [
      machine.platform === 'win32'
        ? inApplications(machine, 'Zed', 'settings.json')
        : inConfig(machine, 'zed', 'settings.json'),
    ],
    project: ['.zed', 'settings.json'],
    below: 'context_servers',
    fixed: { source: 'custom' },
    next: 'Zed reads it by itself.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    commands: ['windsurf'],
    files: (machine) => [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    below: 'mcpServers',
    next: 'In Windsurf: refresh the list of servers in Cascade.',
  },
];

/** What an entry for a URL holds, and what has no meaning beside a command. */
const ofUrls = ['url', 'httpUrl', 'serverUrl', 'headers', 'headersHelper', 'oauth', 'auth', 'authProviderType'];

export const stdioPrograms: readonly Program[] = table.map((row) => ({
  name: row.name,
  title: row.title,
  way: 'bridge',
  ...(row.inShell === true ? {} : { isApart: true as const }),
  commands: row.commands,
  next: row.next,
  files: (machine: Machine, scope: Scope) =>
    scope === 'user' ? row.files(machine) : row.project === undefined ? [] : [inProject(machine, ...row.project)],
  calls: ['bridge'],
  make: (request, words) => makeStdioEntry(row, request, words),
  blocks: (request) => switchedOff(row, request),
  conflicts: (request) => sameServerElsewhere(request, jsonAt(request.text, [row.below])),
  ...(row.name === 'gemini'
    ? {
        switches: (machine: Machine) => [
          inHome(machine, '.gemini', 'settings.json'),
          inProject(machine, '.gemini', 'settings.json'),
        ],
      }
    : {}),
  servers: (text) => foundServers(jsonAt(text, [row.below])),
  // A check is no reason to open a browser.
  asks: () => ({ words: ['--non-interactive'], input: { text: initializeLine, upTo: 'first-line' } }),
  reads: readInitialize,
}));

/** A person, or the program's own window, may have switched the entry off. */
function switchedOff(row: StdioProgram, request: EntryRequest): readonly string[] {
  const { text, name, switches = new Map() } = request;
  const texts = [text, ...switches.values()];
  const listed = (...path: readonly string[]) => texts.map((one) => jsonAt(one, path)).filter(Array.isArray);
  const entry = jsonAt(text, [row.below, name]);
  const { disabled, enabled } = (entry ?? {}) as { readonly disabled?: unknown; readonly enabled?: unknown };
  const isExcluded =
    row.name === 'gemini' &&
    ([...listed('mcp', 'excluded'), ...listed('excludeMCPServers')].some((list) => list.includes(name)) ||
      [...listed('mcp', 'allowed'), ...listed('allowMCPServers')].some((list) => !list.includes(name)));
  const member = disabled === true ? '"disabled": true' : '"enabled": false';
  return sentences(
    [
      disabled === true || enabled === false,
      `The entry is switched off (${member}); remove that, or switch it on in ${row.title}.`,
    ],
    [isExcluded, `${row.title} leaves ${name} out (mcp.excluded or mcp.allowed in its settings); change that list.`],
  );
}

function makeStdioEntry(row: StdioProgram, { name }: EntryRequest, words: readonly string[]): MadeEntry | undefined {
  if (isExpanded(words)) return undefined;
  const [command = '', ...args] = words;
  const members = { ...row.fixed, ...(row.oneList === true ? { command: words } : { command, args }) };
  const without = ['type', 'args', ...ofUrls].filter((member) => !(member in members));
  return { entry: { key: { format: 'json', path: [row.below, name] }, holds: { members, without } } };
}
