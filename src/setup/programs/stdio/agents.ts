import { tomlAt } from '../../formats/toml.js';
import type { Machine } from '../../machine/ports.js';
import { inApplications, inConfig, inHome, join, pathIn } from '../program.js';
import { gemini, qwen } from './gemini-likes.js';
import { kilo, opencode } from './opencode-likes.js';
import { listsAt, type StdioProgram } from './stdio-program.js';

const copilotFolder = folderOf('COPILOT_HOME', '.copilot');
const grokFolder = folderOf('GROK_HOME', '.grok');

/** Agents in a terminal. */
export const agents: readonly StdioProgram[] = [
  {
    name: 'copilot',
    title: 'Copilot CLI',
    commands: ['copilot'],
    inShell: true,
    files: (machine) => [join(machine, copilotFolder(machine), 'mcp-config.json')],
    projectFile: ['.github', 'mcp.json'],
    switches: (machine) => [join(machine, copilotFolder(machine), 'settings.json')],
    list: ['mcpServers'],
    // As its own command writes it; a list of tools that a person has made stays.
    fixed: ({ tools }) => ({ type: 'local', tools: Array.isArray(tools) ? tools : ['*'] }),
    url: { member: 'url', fixed: ({ tools }) => ({ type: 'http', tools: Array.isArray(tools) ? tools : ['*'] }) },
    *off(request) {
      const { name } = request;
      const isDisabled = listsAt(request, 'disabledMcpServers').some((list) => list.includes(name));
      if (isDisabled) yield `Copilot CLI has ${name} switched off; switch it on with: copilot mcp enable ${name}`;
    },
    next: 'Look at it with: copilot mcp get <name>',
    nextInProject: 'Start copilot in this folder and trust it; until then it is not used.',
  },
  gemini,
  qwen,
  opencode,
  kilo,
  {
    name: 'cline',
    title: 'Cline CLI',
    commands: ['cline'],
    inShell: true,
    files: (machine) => {
      const folder = pathIn(machine, 'CLINE_DIR') ?? inHome(machine, '.cline');
      const usual = join(machine, folder, 'data', 'settings', 'cline_mcp_settings.json');
      return [pathIn(machine, 'CLINE_MCP_SETTINGS_PATH') ?? usual];
    },
    list: ['mcpServers'],
    url: { member: 'url', fixed: () => ({ type: 'streamableHttp' }) },
    next: 'Cline uses it from its next session on; in one: /mcp',
  },
  {
    name: 'droid',
    title: 'Factory droid',
    commands: ['droid'],
    inShell: true,
    files: (machine) => {
      const home = pathIn(machine, 'FACTORY_HOME_OVERRIDE') ?? machine.homedir;
      return [join(machine, home, '.factory', 'mcp.json')];
    },
    projectFile: ['.factory', 'mcp.json'],
    list: ['mcpServers'],
    fixed: () => ({ type: 'stdio' }),
    url: { member: 'url', fixed: () => ({ type: 'http' }) },
    next: 'Look at it with: droid mcp list',
  },
  {
    name: 'grok',
    title: 'Grok Build',
    commands: ['grok'],
    inShell: true,
    files: (machine) => [join(machine, grokFolder(machine), 'config.toml')],
    projectFile: ['.grok', 'config.toml'],
    format: 'toml',
    list: ['mcp_servers'],
    off: grokOff,
    url: { member: 'url' },
    next: 'Look at it with: grok mcp doctor <name>',
    nextInProject: 'Start grok in this folder and trust it; until then it is not used.',
  },
  {
    name: 'kimi',
    title: 'Kimi Code',
    commands: ['kimi'],
    inShell: true,
    files: (machine) => [join(machine, folderOf('KIMI_CODE_HOME', '.kimi-code')(machine), 'mcp.json')],
    projectFile: ['.kimi-code', 'mcp.json'],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Kimi Code uses it from its next session on; in one: /mcp',
    nextInProject: 'Start kimi in this folder and trust it; until then it is not used.',
  },
  {
    name: 'amp',
    title: 'Amp',
    commands: ['amp'],
    files: (machine) => [pathIn(machine, 'AMP_SETTINGS_FILE') ?? inConfig(machine, 'amp', 'settings.json')],
    projectFile: ['.amp', 'settings.json'],
    list: ['amp.mcpServers'],
    url: { member: 'url' },
    next: 'Look at it with: amp mcp list',
    nextInProject: 'Approve it with: amp mcp approve <name>; until then it is not used.',
  },
  {
    name: 'goose',
    title: 'Goose',
    commands: ['goose'],
    files: (machine) => [
      machine.platform === 'win32'
        ? inApplications(machine, 'Block', 'goose', 'config', 'config.yaml')
        : inConfig(machine, 'goose', 'config.yaml'),
    ],
    format: 'yaml',
    list: ['extensions'],
    key: gooseKey,
    fixed: ({ description }, { name }) => ({
      enabled: true,
      type: 'stdio',
      name: gooseKey(name),
      description: typeof description === 'string' ? description : '',
    }),
    url: {
      member: 'uri',
      fixed: ({ description }, { name }) => ({
        enabled: true,
        type: 'streamable_http',
        name: gooseKey(name),
        description: typeof description === 'string' ? description : '',
      }),
    },
    call: ([cmd = '', ...args]) => ({ cmd, args }),
    next: 'Goose uses it from its next session on; look at it with: goose info -v',
  },
];

/** Goose changes an entry under its name in small letters. */
function gooseKey(name: string): string {
  return name.toLowerCase();
}

function folderOf(variable: string, name: string): (machine: Machine) => string {
  return (machine) => pathIn(machine, variable) ?? inHome(machine, name);
}

/** Grok keeps the names of what a person has switched off, and passes over tools of some names. */
function* grokOff({ text, name }: Parameters<NonNullable<StdioProgram['off']>>[0]): Iterable<string> {
  const disabled = tomlAt(text, ['disabled_mcp_servers']);
  if (Array.isArray(disabled) && disabled.includes(name)) {
    yield `Grok Build has ${name} switched off; switch it on with: grok mcp enable ${name}`;
  }
  if (!/^[A-Za-z_]/.test(name) || name.includes('__') || name.endsWith('_')) {
    yield 'Grok Build passes over the tools of a server whose name begins with a digit, has "__" in it or ends in "_"; choose another one: --as NAME';
  }
}
