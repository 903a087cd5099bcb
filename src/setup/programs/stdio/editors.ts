import type { Machine } from '../../machine/ports.js';
import { inApplications, inConfig, inHome } from '../program.js';
import type { StdioProgram } from './stdio-program.js';

/** Editors, and what runs in their windows. */
export const editors: readonly StdioProgram[] = [
  {
    name: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    files: (machine) => [inHome(machine, '.cursor', 'mcp.json')],
    projectFile: ['.cursor', 'mcp.json'],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Cursor reads it by itself; look at Settings, MCP.',
  },
  codeLike('vscode', 'Visual Studio Code', 'code', 'Code'),
  codeLike('vscode-insiders', 'Visual Studio Code Insiders', 'code-insiders', 'Code - Insiders'),
  codeLike('vscodium', 'VSCodium', 'codium', 'VSCodium'),
  {
    name: 'cline-vscode',
    title: 'Cline in Visual Studio Code',
    commands: [],
    files: (machine) => ['Code', 'Code - Insiders', 'VSCodium'].map((editor) => clineFile(machine, editor)),
    list: ['mcpServers'],
    url: { member: 'url', fixed: () => ({ type: 'streamableHttp' }) },
    next: 'Cline reads it by itself; look at its MCP Servers.',
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
    list: ['context_servers'],
    fixed: () => ({ source: 'custom' }),
    url: { member: 'url', fixed: () => ({ source: 'custom' }) },
    next: 'Zed reads it by itself.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf (before it became Devin)',
    commands: ['windsurf'],
    files: (machine) => [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'In Windsurf: refresh the list of servers in Cascade.',
  },
  {
    name: 'devin',
    title: 'Devin Desktop (once Windsurf)',
    commands: [],
    files: (machine) => [devinFile(machine, 'mcp_config.json')],
    alsoRead: (machine) => [inHome(machine, '.codeium', 'windsurf', 'mcp_config.json')],
    projectFile: ['.devin', 'mcp_config.json'],
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'In Devin: refresh the list of MCP servers; it asks before it calls a tool for the first time.',
  },
  {
    name: 'devin-cli',
    title: 'Devin CLI',
    commands: ['devin'],
    files: (machine) => [devinFile(machine, 'config.json')],
    projectFile: ['.devin', 'config.local.json'],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Look at it with: devin mcp list',
  },
  {
    name: 'antigravity',
    title: 'Antigravity',
    commands: ['antigravity', 'agy'],
    // The second was the editor's own, before it shared the first with the command line.
    files: (machine) => [
      inHome(machine, '.gemini', 'config', 'mcp_config.json'),
      inHome(machine, '.gemini', 'antigravity', 'mcp_config.json'),
    ],
    projectFile: ['.agents', 'mcp_config.json'],
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'Start agy again, then /mcp; in the editor: Manage MCP Servers, Refresh.',
  },
  {
    name: 'kiro',
    title: 'Kiro',
    commands: ['kiro', 'kiro-cli'],
    files: (machine) => [inHome(machine, '.kiro', 'settings', 'mcp.json')],
    projectFile: ['.kiro', 'settings', 'mcp.json'],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Kiro reads it by itself; look at its MCP servers, or: kiro-cli mcp list',
  },
  {
    name: 'junie',
    title: 'Junie',
    commands: ['junie'],
    files: (machine) => [inHome(machine, '.junie', 'mcp', 'mcp.json')],
    projectFile: ['.junie', 'mcp', 'mcp.json'],
    list: ['mcpServers'],
    next: 'In the editor: Settings, Tools, Junie, MCP Settings; in the terminal: /mcp',
  },
  {
    name: 'warp',
    title: 'Warp',
    commands: ['warp-terminal', 'oz'],
    files: (machine) => [inHome(machine, '.warp', '.mcp.json')],
    projectFile: ['.warp', '.mcp.json'],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Warp reads it by itself; look at Settings, Agents, MCP servers.',
  },
];

/** An editor made of the same sources; the folder of its settings differs. */
function codeLike(name: string, title: string, command: string, folder: string): StdioProgram {
  return {
    name,
    title,
    commands: [command],
    files: (machine) => [inApplications(machine, folder, 'User', 'mcp.json')],
    projectFile: ['.vscode', 'mcp.json'],
    list: ['servers'],
    fixed: () => ({ type: 'stdio' }),
    url: { member: 'url', fixed: () => ({ type: 'http' }) },
    next: 'In the editor: MCP: List Servers, then start it.',
  };
}

function clineFile(machine: Machine, editor: string): string {
  const folder = ['User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings'];
  return inApplications(machine, editor, ...folder, 'cline_mcp_settings.json');
}

function devinFile(machine: Machine, name: string): string {
  return machine.platform === 'win32' ? inApplications(machine, 'devin', name) : inConfig(machine, 'devin', name);
}
