import { wordMissing } from '../../core/failures.js';
import { closest } from '../../core/text/closest.js';
import { programUnknown, wordsSwapped } from '../failures.js';
import { accessPrograms } from './access-programs.js';
import { claude, codex, copilot, gemini, goose, grok, kilo, opencode, qwen } from './agents.js';
import { pastedPrograms } from './pasted-programs.js';
import type { BridgeProgram, Program } from './program.js';

const claudePackage = '{LOCALAPPDATA|~/AppData/Local}/Packages/Claude_pzs8sxrjxfjjc';

/** Programs that start a command and speak the protocol with it: with a window, editors, agents in a terminal. */
const rows: readonly BridgeProgram[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    commands: ['claude-desktop'],
    files: ['apps/Claude/claude_desktop_config.json'],
    // Since February 2026 Windows installs it as a package, whose own folder stands in for `%APPDATA%`: it reads nothing there.
    installed: { sign: claudePackage, file: `${claudePackage}/LocalCache/Roaming/Claude/claude_desktop_config.json` },
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
    url: 'url',
    next: 'LM Studio reads it by itself; look at Program, Install, Edit mcp.json.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    commands: ['cursor', 'cursor-agent'],
    files: ['~/.cursor/mcp.json'],
    projectFile: '.cursor/mcp.json',
    url: 'url',
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
    types: { url: 'streamableHttp' },
    url: 'url',
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
    also: () => ({ source: 'custom' }),
    url: 'url',
    next: 'Zed reads it by itself.',
  },
  {
    name: 'windsurf',
    title: 'Windsurf (before it became Devin)',
    commands: ['windsurf'],
    files: ['~/.codeium/windsurf/mcp_config.json'],
    url: 'serverUrl',
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
    url: 'serverUrl',
    next: 'In Devin: refresh the list of MCP servers; it asks before it calls a tool for the first time.',
  },
  {
    name: 'devin-cli',
    title: 'Devin CLI',
    commands: ['devin'],
    files: ['config/devin/config.json'],
    windows: 'apps/devin/config.json',
    projectFile: '.devin/config.local.json',
    url: 'url',
    next: 'Look at it with: devin mcp list',
  },
  {
    name: 'antigravity',
    title: 'Antigravity',
    commands: ['antigravity', 'agy'],
    // The second was the editor's own, before it shared the first with the command line.
    files: ['~/.gemini/config/mcp_config.json', '~/.gemini/antigravity/mcp_config.json'],
    projectFile: '.agents/mcp_config.json',
    url: 'serverUrl',
    next: 'Start agy again, then /mcp; in the editor: Manage MCP Servers, Refresh.',
  },
  {
    name: 'kiro',
    title: 'Kiro',
    commands: ['kiro', 'kiro-cli'],
    files: ['~/.kiro/settings/mcp.json'],
    projectFile: '.kiro/settings/mcp.json',
    url: 'url',
    next: 'Kiro reads it by itself; look at its MCP servers, or: kiro-cli mcp list',
  },
  {
    name: 'junie',
    title: 'Junie',
    commands: ['junie'],
    files: ['~/.junie/mcp/mcp.json'],
    projectFile: '.junie/mcp/mcp.json',
    next: 'In the editor: Settings, Tools, Junie, MCP Settings; in the terminal: /mcp',
  },
  {
    name: 'warp',
    title: 'Warp',
    commands: ['warp-terminal', 'oz'],
    files: ['~/.warp/.mcp.json'],
    projectFile: '.warp/.mcp.json',
    url: 'url',
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
    types: { url: 'streamableHttp' },
    url: 'url',
    next: 'Cline uses it from its next session on; in one: /mcp',
  },
  {
    name: 'droid',
    title: 'Factory droid',
    commands: ['droid'],
    inShell: true,
    files: ['{FACTORY_HOME_OVERRIDE|~}/.factory/mcp.json'],
    projectFile: '.factory/mcp.json',
    types: { call: 'stdio', url: 'http' },
    url: 'url',
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
    url: 'url',
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
    url: 'url',
    next: 'Look at it with: amp mcp list',
    nextInProject: 'Approve it with: amp mcp approve <name>; until then it is not used.',
  },
  goose,
];

/** An editor made of the same sources; the folder of its settings differs. */
function codeLike(name: string, title: string, command: string, folder: string): BridgeProgram {
  return {
    name,
    title,
    commands: [command],
    files: [`apps/${folder}/User/mcp.json`],
    projectFile: '.vscode/mcp.json',
    list: ['servers'],
    types: { call: 'stdio', url: 'http' },
    url: 'url',
    next: 'In the editor: MCP: List Servers, then start it.',
  };
}

function clineFile(editor: string): string {
  return `apps/${editor}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`;
}

/** What an entry for a URL holds, and what has no meaning beside a command. */
const without = [
  ...['type', 'args', 'url', 'uri', 'httpUrl', 'serverUrl', 'headers', 'headersHelper', 'oauth', 'auth'],
  ...['authProviderType', 'transport', 'bearerTokenEnvVar', 'bearer_token_env_var', 'http_headers', 'env_http_headers'],
];

const bridgePrograms: readonly Program[] = rows.map((row) => ({
  ...({ calls: 'bridge', format: 'json', list: ['mcpServers'], without } as const),
  ...row,
}));

/** Every program whose configuration is known here. */
export const programs: readonly Program[] = [claude, codex, ...bridgePrograms, ...accessPrograms, ...pastedPrograms];

/** Its commands and its title: `code`, `visual-studio-code`, `claude-code`. */
function otherNames({ commands, title }: Program): readonly string[] {
  return [...commands, title.toLowerCase().replaceAll(' ', '-')];
}

/** The program of that name. @param other The word after it, which may be the program where both were swapped. @throws Failure `program_unknown`, `word_missing` */
export function programNamed(name: string | undefined, other?: string): Program {
  if (name === undefined) throw wordMissing('postern setup needs a program that is to use the login.', 'setup');
  const names = programs.map((program) => program.name);
  const called = (word = '') => {
    const lower = word.toLowerCase();
    return programs.find((one) => one.name === lower) ?? programs.find((one) => otherNames(one).includes(lower));
  };
  const program = called(name);
  const swapped = called(other);
  if (program === undefined && swapped !== undefined) throw wordsSwapped(name, swapped.name);
  if (program === undefined) throw programUnknown(name, closest(name, names));
  return program;
}
