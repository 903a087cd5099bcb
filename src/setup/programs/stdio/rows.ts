import type { Machine } from '../../machine/ports.js';
import { inHome, join, pathIn } from '../program.js';
import { copilot, gemini, goose, grok, kilo, opencode, qwen } from './particular-rows.js';
import type { StdioProgram } from './stdio-program.js';

/** Programs with a window, editors, agents in a terminal; the first word of a path is one of `roots` in stdio-program.ts. */
export const stdioRows: readonly StdioProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    commands: ['claude-desktop'],
    files: ['apps/Claude/claude_desktop_config.json'],
    installed: (machine) => (machine.platform === 'win32' ? [packagedClaude(machine)] : []),
    list: ['mcpServers'],
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'lm-studio',
    title: 'LM Studio',
    commands: ['lms'],
    files: [
      '~/.lmstudio/mcp.json',
      '~/.cache/lm-studio/mcp.json', // installations of before 0.3.6
    ],
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'LM Studio reads it by itself; look at Program, Install, Edit mcp.json.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    files: ['~/.cursor/mcp.json'],
    projectFile: '.cursor/mcp.json',
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
    files: ['Code', 'Code - Insiders', 'VSCodium'].map(clineFile),
    list: ['mcpServers'],
    url: { member: 'url', fixed: () => ({ type: 'streamableHttp' }) },
    next: 'Cline reads it by itself; look at its MCP Servers.',
  },
  {
    name: 'zed',
    title: 'Zed',
    commands: ['zed', 'zeditor'],
    files: ['config/zed/settings.json'],
    windows: 'apps/Zed/settings.json',
    projectFile: '.zed/settings.json',
    list: ['context_servers'],
    fixed: () => ({ source: 'custom' }),
    url: { member: 'url', fixed: () => ({ source: 'custom' }) },
    next: 'Zed reads it by itself.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf (before it became Devin)',
    commands: ['windsurf'],
    files: ['~/.codeium/windsurf/mcp_config.json'],
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'In Windsurf: refresh the list of servers in Cascade.',
  },
  {
    name: 'devin',
    title: 'Devin Desktop (once Windsurf)',
    commands: [],
    files: ['config/devin/mcp_config.json'],
    windows: 'apps/devin/mcp_config.json',
    alsoRead: ['~/.codeium/windsurf/mcp_config.json'],
    projectFile: '.devin/mcp_config.json',
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'In Devin: refresh the list of MCP servers; it asks before it calls a tool for the first time.',
  },
  {
    name: 'devin-cli',
    title: 'Devin CLI',
    commands: ['devin'],
    files: ['config/devin/config.json'],
    windows: 'apps/devin/config.json',
    projectFile: '.devin/config.local.json',
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Look at it with: devin mcp list',
  },
  {
    name: 'antigravity',
    title: 'Antigravity',
    commands: ['antigravity', 'agy'],
    // The second was the editor's own, before it shared the first with the command line.
    files: ['~/.gemini/config/mcp_config.json', '~/.gemini/antigravity/mcp_config.json'],
    projectFile: '.agents/mcp_config.json',
    list: ['mcpServers'],
    url: { member: 'serverUrl' },
    next: 'Start agy again, then /mcp; in the editor: Manage MCP Servers, Refresh.',
  },
  {
    name: 'kiro',
    title: 'Kiro',
    commands: ['kiro', 'kiro-cli'],
    files: ['~/.kiro/settings/mcp.json'],
    projectFile: '.kiro/settings/mcp.json',
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Kiro reads it by itself; look at its MCP servers, or: kiro-cli mcp list',
  },
  {
    name: 'junie',
    title: 'Junie',
    commands: ['junie'],
    files: ['~/.junie/mcp/mcp.json'],
    projectFile: '.junie/mcp/mcp.json',
    list: ['mcpServers'],
    next: 'In the editor: Settings, Tools, Junie, MCP Settings; in the terminal: /mcp',
  },
  {
    name: 'warp',
    title: 'Warp',
    commands: ['warp-terminal', 'oz'],
    files: ['~/.warp/.mcp.json'],
    projectFile: '.warp/.mcp.json',
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Warp reads it by itself; look at Settings, Agents, MCP servers.',
  },
  copilot,
  gemini,
  qwen,
  opencode,
  kilo,
  {
    name: 'cline',
    title: 'Cline CLI',
    commands: ['cline'],
    inShell: true,
    files: ['{CLINE_MCP_SETTINGS_PATH|{CLINE_DIR|~/.cline}/data/settings/cline_mcp_settings.json}'],
    list: ['mcpServers'],
    url: { member: 'url', fixed: () => ({ type: 'streamableHttp' }) },
    next: 'Cline uses it from its next session on; in one: /mcp',
  },
  {
    name: 'droid',
    title: 'Factory droid',
    commands: ['droid'],
    inShell: true,
    files: ['{FACTORY_HOME_OVERRIDE|~}/.factory/mcp.json'],
    projectFile: '.factory/mcp.json',
    list: ['mcpServers'],
    fixed: () => ({ type: 'stdio' }),
    url: { member: 'url', fixed: () => ({ type: 'http' }) },
    next: 'Look at it with: droid mcp list',
  },
  grok,
  {
    name: 'kimi',
    title: 'Kimi Code',
    commands: ['kimi'],
    inShell: true,
    files: ['{KIMI_CODE_HOME|~/.kimi-code}/mcp.json'],
    projectFile: '.kimi-code/mcp.json',
    list: ['mcpServers'],
    url: { member: 'url' },
    next: 'Kimi Code uses it from its next session on; in one: /mcp',
    nextInProject: 'Start kimi in this folder and trust it; until then it is not used.',
  },
  {
    name: 'amp',
    title: 'Amp',
    commands: ['amp'],
    files: ['{AMP_SETTINGS_FILE|config/amp/settings.json}'],
    projectFile: '.amp/settings.json',
    list: ['amp.mcpServers'],
    url: { member: 'url' },
    next: 'Look at it with: amp mcp list',
    nextInProject: 'Approve it with: amp mcp approve <name>; until then it is not used.',
  },
  goose,
];

/** An editor made of the same sources; the folder of its settings differs. */
function codeLike(name: string, title: string, command: string, folder: string): StdioProgram {
  return {
    name,
    title,
    commands: [command],
    files: [`apps/${folder}/User/mcp.json`],
    projectFile: '.vscode/mcp.json',
    list: ['servers'],
    fixed: () => ({ type: 'stdio' }),
    url: { member: 'url', fixed: () => ({ type: 'http' }) },
    next: 'In the editor: MCP: List Servers, then start it.',
  };
}

function clineFile(editor: string): string {
  return `apps/${editor}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`;
}

/** Since February 2026 Windows installs it as a package, whose own folder stands in for `%APPDATA%`: it reads nothing there. */
function packagedClaude(machine: Machine): { readonly sign: string; readonly file: string } {
  const local = pathIn(machine, 'LOCALAPPDATA') ?? inHome(machine, 'AppData', 'Local');
  const sign = join(machine, local, 'Packages', 'Claude_pzs8sxrjxfjjc');
  return { sign, file: join(machine, sign, 'LocalCache', 'Roaming', 'Claude', 'claude_desktop_config.json') };
}
