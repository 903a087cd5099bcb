import { jsonAt, type PlainJson } from '../formats/json.js';
import {
  type EntryRequest,
  inApplications,
  inConfig,
  inHome,
  inProject,
  isExpanded,
  type MadeEntry,
  type Program,
  pathIn,
} from './program.js';
import { initializeLine } from './responses.js';

/** A program that starts a command and speaks the protocol with it. */
interface StdioProgram
  extends Pick<Program, 'name' | 'title' | 'commands' | 'files' | 'projectFile' | 'switches' | 'next'> {
  /** The member that holds its list of servers. */
  readonly list: string;
  /** Members beside `command` and `args`. */
  readonly fixed?: Readonly<Record<string, PlainJson>>;
  /** `command` holds all the words. */
  readonly oneList?: true;
  /** It is started from a terminal, and its environment is that of the shell there. */
  readonly inShell?: true;
}

const table: readonly StdioProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    commands: ['claude-desktop'],
    files: (machine) => [inApplications(machine, 'Claude', 'claude_desktop_config.json')],
    list: 'mcpServers',
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    files: (machine) => [inHome(machine, '.cursor', 'mcp.json')],
    projectFile: ['.cursor', 'mcp.json'],
    list: 'mcpServers',
    next: 'Cursor reads it by itself; look at Settings, MCP.',
  },
  {
    name: 'vscode',
    title: 'Visual Studio Code',
    commands: ['code'],
    files: (machine) => [inApplications(machine, 'Code', 'User', 'mcp.json')],
    projectFile: ['.vscode', 'mcp.json'],
    list: 'servers',
    fixed: { type: 'stdio' },
    next: 'In the editor: MCP: List Servers, then start it.',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    commands: ['gemini'],
    inShell: true,
    files: (machine) => [inHome(machine, '.gemini', 'settings.json')],
    projectFile: ['.gemini', 'settings.json'],
    switches: (machine) => [
      inHome(machine, '.gemini', 'settings.json'),
      inProject(machine, '.gemini', 'settings.json'),
    ],
    list: 'mcpServers',
    next: 'Look at it with: gemini mcp list',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    commands: ['opencode'],
    inShell: true,
    files: (machine) => {
      const named = pathIn(machine, 'OPENCODE_CONFIG');
      const usual = ['opencode.json', 'opencode.jsonc'].map((name) => inConfig(machine, 'opencode', name));
      return named === undefined ? usual : [named];
    },
    projectFile: ['opencode.json'],
    list: 'mcp',
    fixed: { type: 'local', enabled: true },
    oneList: true,
    next: 'Look at it with: opencode mcp list',
  },
  {
    name: 'zed',
    title: 'Zed',
    commands: ['zed', 'zeditor'],
    files: (machine) => {
      const isWindows = machine.platform === 'win32';
      return [isWindows ? inApplications(machine, 'Zed', 'settings.json') : inConfig(machine, 'zed', 'settings.json')];
    },
    projectFile: ['.zed', 'settings.json'],
    list: 'context_servers',
    fixed: { source: 'custom' },
    next: 'Zed reads it by itself.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    commands: ['windsurf'],
    files: (machine) => [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    list: 'mcpServers',
    next: 'In Windsurf: refresh the list of servers in Cascade.',
  },
];

export const stdioPrograms: readonly Program[] = table.map((row) => ({
  ...row,
  calls: 'bridge',
  dropsEnvironment: row.inShell !== true,
  make: (request, words) => makeStdioEntry(row, request, words),
  blocks: (request) => stdioBlocks(row, request),
  servers: (text) => [jsonAt(text, [row.list])],
  // A check is no reason to open a browser.
  invocation: () => ({ words: ['--non-interactive'], input: { text: initializeLine, upTo: 'first-line' } }),
}));

/** What an entry for a URL holds, and what has no meaning beside a command. */
const ofUrls = ['url', 'httpUrl', 'serverUrl', 'headers', 'headersHelper', 'oauth', 'auth', 'authProviderType'];

function makeStdioEntry(row: StdioProgram, { name }: EntryRequest, words: readonly string[]): MadeEntry | undefined {
  if (isExpanded(words)) return undefined;
  const [command = '', ...args] = words;
  const members = { ...row.fixed, ...(row.oneList === true ? { command: words } : { command, args }) };
  const without = ['type', 'args', ...ofUrls].filter((member) => !(member in members));
  return { entry: { key: { format: 'json', path: [row.list, name] }, holds: { members, without } } };
}

/** A person, or the program's own window, may have switched the entry off. */
function* stdioBlocks(row: StdioProgram, { text, name, switches = [] }: EntryRequest): Iterable<string> {
  const { disabled, enabled } = (jsonAt(text, [row.list, name]) ?? {}) as Readonly<Record<string, unknown>>;
  if (disabled === true || enabled === false) {
    const member = disabled === true ? '"disabled": true' : '"enabled": false';
    yield `The entry is switched off (${member}); remove that, or switch it on in ${row.title}.`;
  }
  if (row.name !== 'gemini') return;
  const lists = (...path: readonly string[]) =>
    [text, ...switches].map((one) => jsonAt(one, path)).filter(Array.isArray);
  const isExcluded = [...lists('mcp', 'excluded'), ...lists('excludeMCPServers')].some((list) => list.includes(name));
  const isAllowed = [...lists('mcp', 'allowed'), ...lists('allowMCPServers')].every((list) => list.includes(name));
  if (isExcluded || !isAllowed) {
    yield `${row.title} leaves ${name} out (mcp.excluded or mcp.allowed in its settings); change that list.`;
  }
}
