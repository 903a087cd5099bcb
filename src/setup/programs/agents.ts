import { valueIn } from '../formats/entry.js';
import { membersOf } from '../formats/text.js';
import type { BridgeProgram, EntryRequest, Program } from './program.js';

/** Claude Code: `headersHelper`, a shell line whose output are headers. */
export const claude: Program = {
  name: 'claude',
  title: 'Claude Code',
  calls: 'headers',
  serverVariable: 'CLAUDE_CODE_MCP_SERVER_URL',
  commands: ['claude'],
  files: ['{CLAUDE_CONFIG_DIR|~}/.claude.json'],
  projectFile: '.mcp.json',
  switches: [
    '{CLAUDE_CONFIG_DIR|~}/.claude.json',
    '{CLAUDE_CONFIG_DIR|~/.claude}/settings.json',
    './.claude/settings.json',
    './.claude/settings.local.json',
  ],
  format: 'json',
  list: ['mcpServers'],
  types: { call: 'http', url: 'http' },
  helper: 'headersHelper',
  // A static header in another letter case is sent with ours; in the same one it is sent when the helper fails.
  without: ['headers/authorization', 'command', 'args', 'env', 'oauth'],
  url: 'url',
  blocks: claudeBlocks,
  servers: (text, { workingFolder }) => [
    valueIn('json', text, ['mcpServers']),
    valueIn('json', text, ['projects', workingFolder, 'mcpServers']),
  ],
  next: 'Look at it with: claude mcp list',
  nextInProject: 'Start claude in this folder and approve it; until then it is not used.',
};

/** Entries that Claude Code keeps for one folder go before all others; and a person may have switched ours off. */
function* claudeBlocks(request: EntryRequest): Iterable<string> {
  const { machine, name } = request;
  const ofFolder = (member: string) => valuesAt(request, 'projects', machine.workingFolder, member);
  const lists = (value: unknown) => Array.isArray(value) && value.includes(name);
  if (ofFolder('mcpServers').some((value) => name in membersOf(value))) {
    yield `In this folder another entry of that name wins; remove it with: claude mcp remove --scope local ${name}`;
  }
  if (ofFolder('disabledMcpServers').some(lists)) {
    yield `In this folder Claude Code has ${name} switched off; switch it on there with /mcp.`;
  }
  if ([...ofFolder('disabledMcpjsonServers'), ...valuesAt(request, 'disabledMcpjsonServers')].some(lists)) {
    yield `Claude Code was told to refuse ${name} of this folder (disabledMcpjsonServers); take it off that list, or: claude mcp reset-project-choices`;
  }
}

/** Codex CLI: `http_headers_helper`, the same. */
export const codex: Program = {
  name: 'codex',
  title: 'Codex CLI',
  calls: 'headers',
  isBare: true,
  commands: ['codex'],
  files: ['{CODEX_HOME|~/.codex}/config.toml'],
  projectFile: '.codex/config.toml',
  format: 'toml',
  list: ['mcp_servers'],
  helper: 'http_headers_helper',
  without: [
    ...['bearer_token', 'bearer_token_env_var', 'http_headers/authorization', 'env_http_headers/authorization'],
    ...['command', 'args', 'env', 'auth'],
  ],
  url: 'url',
  conflicts: ({ name }) => [
    `A login that Codex made itself wins over this entry; if there is one, end it with: codex mcp logout ${name}`,
  ],
  next: 'Look at it with: codex mcp list',
  nextInProject: 'Codex reads it in folders that it was told to trust.',
};

export const copilot: BridgeProgram = {
  name: 'copilot',
  title: 'Copilot CLI',
  commands: ['copilot'],
  inShell: true,
  files: ['{COPILOT_HOME|~/.copilot}/mcp-config.json'],
  projectFile: '.github/mcp.json',
  switches: ['{COPILOT_HOME|~/.copilot}/settings.json'],
  types: { call: 'local', url: 'http' },
  // As its own command writes it; a list of tools that a person has made stays.
  also: ({ tools }) => ({ tools: Array.isArray(tools) ? tools : ['*'] }),
  url: 'url',
  *blocks(request) {
    const { name } = request;
    const isDisabled = listsAt(request, 'disabledMcpServers').some((list) => list.includes(name));
    if (isDisabled) yield `Copilot CLI has ${name} switched off; switch it on with: copilot mcp enable ${name}`;
  },
  next: 'Look at it with: copilot mcp get <name>',
  nextInProject: 'Start copilot in this folder and trust it; until then it is not used.',
};

export const grok: BridgeProgram = {
  name: 'grok',
  title: 'Grok Build',
  commands: ['grok'],
  inShell: true,
  files: ['{GROK_HOME|~/.grok}/config.toml'],
  projectFile: '.grok/config.toml',
  format: 'toml',
  list: ['mcp_servers'],
  url: 'url',
  // Grok keeps the names of what a person has switched off, and passes over tools of some names.
  *blocks({ text, name }) {
    const disabled = valueIn('toml', text, ['disabled_mcp_servers']);
    if (Array.isArray(disabled) && disabled.includes(name)) {
      yield `Grok Build has ${name} switched off; switch it on with: grok mcp enable ${name}`;
    }
    if (!/^[A-Za-z_]/.test(name) || name.includes('__') || name.endsWith('_')) {
      yield 'Grok Build passes over the tools of a server whose name begins with a digit, has "__" in it or ends in "_"; choose another one: --as NAME';
    }
  },
  next: 'Look at it with: grok mcp doctor <name>',
  nextInProject: 'Start grok in this folder and trust it; until then it is not used.',
};

/** Goose changes an entry under its name in small letters. */
export const goose: BridgeProgram = {
  name: 'goose',
  title: 'Goose',
  commands: ['goose'],
  files: ['config/goose/config.yaml'],
  windows: 'apps/Block/goose/config/config.yaml',
  format: 'yaml',
  list: ['extensions'],
  path: ({ name }) => ['extensions', name.toLowerCase()],
  types: { call: 'stdio', url: 'streamable_http' },
  also: ({ description }, { name }) => ({
    enabled: true,
    name: name.toLowerCase(),
    description: typeof description === 'string' ? description : '',
  }),
  call: ([cmd = '', ...args]) => ({ cmd, args }),
  url: 'uri',
  next: 'Goose uses it from its next session on; look at it with: goose info -v',
};

export const gemini: BridgeProgram = {
  name: 'gemini',
  title: 'Gemini CLI',
  commands: ['gemini'],
  inShell: true,
  files: ['~/.gemini/settings.json'],
  projectFile: '.gemini/settings.json',
  switches: ['~/.gemini/settings.json', './.gemini/settings.json'],
  url: 'httpUrl',
  blocks: (request) => leftOut('Gemini CLI', request),
  next: 'Gemini CLI uses it in folders that it was told to trust; look at it there with: gemini mcp list',
};

export const qwen: BridgeProgram = {
  name: 'qwen',
  title: 'Qwen Code',
  commands: ['qwen'],
  inShell: true,
  files: ['{QWEN_HOME|~/.qwen}/settings.json'],
  projectFile: '.qwen/settings.json',
  switches: ['{QWEN_HOME|~/.qwen}/settings.json', './.qwen/settings.json'],
  url: 'httpUrl',
  blocks: (request) => leftOut('Qwen Code', request),
  next: 'Look at it with: qwen mcp list',
};

/** Both have lists of the servers that are used, and of those that are not. */
function* leftOut(title: string, request: EntryRequest): Iterable<string> {
  const { name } = request;
  const excluded = [...listsAt(request, 'mcp', 'excluded'), ...listsAt(request, 'excludeMCPServers')];
  const allowed = [...listsAt(request, 'mcp', 'allowed'), ...listsAt(request, 'allowMCPServers')];
  if (excluded.some((list) => list.includes(name)) || !allowed.every((list) => list.includes(name))) {
    yield `${title} leaves ${name} out (mcp.excluded or mcp.allowed in its settings); change that list.`;
  }
}

/**
 * OpenCode 1 has its servers in `mcp`, OpenCode 2 in `mcp.servers`, and reads the older form as well. Which of both a file
 * has, it keeps.
 */
export const opencode: BridgeProgram = {
  name: 'opencode',
  title: 'OpenCode',
  commands: ['opencode', 'opencode2'],
  inShell: true,
  files: ['json', 'jsonc'].map((end) => `{OPENCODE_CONFIG|config/opencode/opencode.${end}}`),
  projectFile: 'opencode.json',
  list: (text) => (isNative(text) ? ['mcp', 'servers'] : ['mcp']),
  types: { call: 'local', url: 'remote' },
  also: (_, { text }) => (isNative(text) ? {} : { enabled: true }),
  call: (words) => ({ command: words }),
  url: 'url',
  next: 'Look at it with: opencode mcp list',
};

/** A server of that name has a `type`; the list of them has none. */
function isNative(text: string): boolean {
  const servers = valueIn('json', text, ['mcp', 'servers']);
  return typeof servers === 'object' && servers !== null && typeof membersOf(servers)['type'] !== 'string';
}

/** Made of the sources of OpenCode 1. */
export const kilo: BridgeProgram = {
  name: 'kilo',
  title: 'Kilo Code',
  commands: ['kilo', 'kilocode'],
  inShell: true,
  files: ['jsonc', 'json'].map((end) => `{KILO_CONFIG|config/kilo/kilo.${end}}`),
  projectFile: 'kilo.json',
  list: ['mcp'],
  types: { call: 'local', url: 'remote' },
  also: () => ({ enabled: true }),
  call: (words) => ({ command: words }),
  url: 'url',
  next: 'Look at it with: kilo mcp list',
};

/** The values at a path in the program's own file and in the others that can switch an entry off. */
function valuesAt({ text, switches = [] }: EntryRequest, ...path: readonly string[]): readonly unknown[] {
  return [text, ...switches].map((one) => valueIn('json', one, path));
}

function listsAt(request: EntryRequest, ...path: readonly string[]): readonly unknown[][] {
  return valuesAt(request, ...path).filter(Array.isArray);
}
