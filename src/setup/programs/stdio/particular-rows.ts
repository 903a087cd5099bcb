import { jsonAt } from '../../formats/json.js';
import { tomlAt } from '../../formats/toml.js';
import type { EntryRequest } from '../program.js';
import { listsAt, type StdioProgram } from './stdio-program.js';

export const copilot: StdioProgram = {
  name: 'copilot',
  title: 'Copilot CLI',
  commands: ['copilot'],
  inShell: true,
  files: ['{COPILOT_HOME|~/.copilot}/mcp-config.json'],
  projectFile: '.github/mcp.json',
  switches: ['{COPILOT_HOME|~/.copilot}/settings.json'],
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
};

export const grok: StdioProgram = {
  name: 'grok',
  title: 'Grok Build',
  commands: ['grok'],
  inShell: true,
  files: ['{GROK_HOME|~/.grok}/config.toml'],
  projectFile: '.grok/config.toml',
  format: 'toml',
  list: ['mcp_servers'],
  off: grokOff,
  url: { member: 'url' },
  next: 'Look at it with: grok mcp doctor <name>',
  nextInProject: 'Start grok in this folder and trust it; until then it is not used.',
};

export const goose: StdioProgram = {
  name: 'goose',
  title: 'Goose',
  commands: ['goose'],
  files: ['config/goose/config.yaml'],
  windows: 'apps/Block/goose/config/config.yaml',
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
};

export const gemini: StdioProgram = {
  name: 'gemini',
  title: 'Gemini CLI',
  commands: ['gemini'],
  inShell: true,
  files: ['~/.gemini/settings.json'],
  projectFile: '.gemini/settings.json',
  switches: ['~/.gemini/settings.json', './.gemini/settings.json', '~/.gemini/trustedFolders.json'],
  list: ['mcpServers'],
  off: (request) => leftOut('Gemini CLI', request),
  *conflicts(request) {
    if (isTrusted(request)) return;
    yield 'Gemini CLI starts no server in a folder that it was not told to trust, not even those of a person’s own settings, and this folder is none: start gemini here and trust it.';
  },
  url: { member: 'httpUrl' },
  next: 'In a folder that it trusts, look at it with: gemini mcp list',
};

export const qwen: StdioProgram = {
  name: 'qwen',
  title: 'Qwen Code',
  commands: ['qwen'],
  inShell: true,
  files: ['{QWEN_HOME|~/.qwen}/settings.json'],
  projectFile: '.qwen/settings.json',
  switches: ['{QWEN_HOME|~/.qwen}/settings.json', './.qwen/settings.json'],
  list: ['mcpServers'],
  off: (request) => leftOut('Qwen Code', request),
  url: { member: 'httpUrl' },
  next: 'Look at it with: qwen mcp list',
};

/** Both have lists of the servers that are used, and of those that are not. */
function* leftOut(title: string, request: EntryRequest): Iterable<string> {
  const { name } = request;
  const lists = (...path: readonly string[]) => listsAt(request, ...path);
  const isExcluded = [...lists('mcp', 'excluded'), ...lists('excludeMCPServers')].some((list) => list.includes(name));
  const isAllowed = [...lists('mcp', 'allowed'), ...lists('allowMCPServers')].every((list) => list.includes(name));
  if (isExcluded || !isAllowed) {
    yield `${title} leaves ${name} out (mcp.excluded or mcp.allowed in its settings); change that list.`;
  }
}

/** Gemini CLI asks about each folder once, and keeps what it was told by its path. */
function isTrusted({ machine, text, switches = [] }: EntryRequest): boolean {
  const { env, workingFolder } = machine;
  const isOff = [text, ...switches].some((one) => jsonAt(one, ['security', 'folderTrust', 'enabled']) === false);
  if (isOff || env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return true;
  return switches.some((one) => {
    const folders = jsonAt(one, []);
    if (typeof folders !== 'object' || folders === null) return false;
    return Object.entries(folders).some(([folder, word]) => {
      if (word !== 'TRUST_FOLDER' && word !== 'TRUST_PARENT') return false;
      return isWithin(workingFolder, word === 'TRUST_FOLDER' ? folder : folder.replace(/[\\/][^\\/]*$/, ''));
    });
  });
}

function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [path, folder].map((one) => `${one.replaceAll('\\', '/').replace(/\/+$/, '')}/`);
  return inner?.startsWith(outer ?? '') === true;
}

/**
 * OpenCode 1 has its servers in `mcp`, OpenCode 2 in `mcp.servers`, and reads the older form as well. Which of both a file
 * has, it keeps.
 */
export const opencode: StdioProgram = {
  name: 'opencode',
  title: 'OpenCode',
  commands: ['opencode', 'opencode2'],
  inShell: true,
  files: ['json', 'jsonc'].map((end) => `{OPENCODE_CONFIG|config/opencode/opencode.${end}}`),
  projectFile: 'opencode.json',
  list: (text) => (isNative(text) ? ['mcp', 'servers'] : ['mcp']),
  fixed: (_, { text }) => ({ type: 'local', ...switchedOn(text) }),
  url: { member: 'url', fixed: (_, { text }) => ({ type: 'remote', ...switchedOn(text) }) },
  call: (words) => ({ command: words }),
  next: 'Look at it with: opencode mcp list',
};

/** Made of the sources of OpenCode 1. */
export const kilo: StdioProgram = {
  name: 'kilo',
  title: 'Kilo Code',
  commands: ['kilo', 'kilocode'],
  inShell: true,
  files: ['jsonc', 'json'].map((end) => `{KILO_CONFIG|config/kilo/kilo.${end}}`),
  projectFile: 'kilo.json',
  list: ['mcp'],
  fixed: () => ({ type: 'local', enabled: true }),
  url: { member: 'url', fixed: () => ({ type: 'remote', enabled: true }) },
  call: (words) => ({ command: words }),
  next: 'Look at it with: kilo mcp list',
};

function switchedOn(text: string): { readonly enabled?: true } {
  return isNative(text) ? {} : { enabled: true };
}

/** A server of that name has a `type`; the list of them has none. */
function isNative(text: string): boolean {
  const servers = jsonAt(text, ['mcp', 'servers']);
  return typeof servers === 'object' && servers !== null && typeof (servers as { type?: unknown }).type !== 'string';
}

/** Goose changes an entry under its name in small letters. */
function gooseKey(name: string): string {
  return name.toLowerCase();
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
