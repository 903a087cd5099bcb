import { rawEntry } from '../formats/entry.js';
import { jsonAt } from '../formats/json.js';
import { tomlAt } from '../formats/toml.js';
import type { Machine } from '../machine/ports.js';
import { byUrl } from './by-url.js';
import { configuredLine, type EntryRequest, inHome, inProject, join, type Program, pathIn } from './program.js';

/** Claude Code: `headersHelper`, a shell line whose output are headers. */
const claude: Program = {
  name: 'claude',
  title: 'Claude Code',
  calls: 'headers',
  commands: ['claude'],
  files: (machine) => [claudeFile(machine)],
  projectFile: ['.mcp.json'],
  make: ({ machine, url, name }, words) => {
    const headersHelper = configuredLine(machine.platform, words);
    if (headersHelper === undefined) return undefined;
    const members = { type: 'http', url, headersHelper };
    // A static header in another letter case is sent with ours; in the same one it is sent when the helper fails.
    const without = ['headers/authorization', 'command', 'args', 'env', 'oauth'];
    return { key: { format: 'json', path: ['mcpServers', name] }, holds: { members, without } };
  },
  byUrl: byUrl('json', { member: 'url', fixed: () => ({ type: 'http' }) }, ({ name }) => ['mcpServers', name], jsonAt),
  blocks: claudeBlocks,
  switches: (machine) => [
    claudeFile(machine),
    join(machine, pathIn(machine, 'CLAUDE_CONFIG_DIR') ?? inHome(machine, '.claude'), 'settings.json'),
    inProject(machine, '.claude', 'settings.json'),
    inProject(machine, '.claude', 'settings.local.json'),
  ],
  servers: (text, { workingFolder }) => [
    jsonAt(text, ['mcpServers']),
    jsonAt(text, ['projects', workingFolder, 'mcpServers']),
  ],
  invocation: ({ url }) => ({ inShell: true, input: 'open', variables: { CLAUDE_CODE_MCP_SERVER_URL: url } }),
  next: 'Look at it with: claude mcp list',
  nextInProject: 'Start claude in this folder and approve it; until then it is not used.',
};

function claudeFile(machine: Machine): string {
  return join(machine, pathIn(machine, 'CLAUDE_CONFIG_DIR') ?? machine.homedir, '.claude.json');
}

/** Entries that Claude Code keeps for one folder go before all others; and a person may have switched ours off. */
function* claudeBlocks({ text, machine, name, switches = [] }: EntryRequest): Iterable<string> {
  const values = (...path: readonly string[]) => [text, ...switches].map((one) => jsonAt(one, path));
  const ofFolder = (member: string) => values('projects', machine.workingFolder, member);
  const lists = (value: unknown) => Array.isArray(value) && value.includes(name);
  if (ofFolder('mcpServers').some((value) => typeof value === 'object' && value !== null && name in value)) {
    yield `In this folder another entry of that name wins; remove it with: claude mcp remove --scope local ${name}`;
  }
  if (ofFolder('disabledMcpServers').some(lists)) {
    yield `In this folder Claude Code has ${name} switched off; switch it on there with /mcp.`;
  }
  if ([...ofFolder('disabledMcpjsonServers'), ...values('disabledMcpjsonServers')].some(lists)) {
    yield `Claude Code was told to refuse ${name} of this folder (disabledMcpjsonServers); take it off that list, or: claude mcp reset-project-choices`;
  }
}

/** What wins over the helper, or has no meaning with it. */
const codexWithout = [
  'bearer_token',
  'bearer_token_env_var',
  'http_headers/authorization',
  'env_http_headers/authorization',
  'command',
  'args',
  'env',
  'auth',
];

/** Codex CLI: `http_headers_helper`, the same. */
const codex: Program = {
  name: 'codex',
  title: 'Codex CLI',
  calls: 'headers',
  dropsEnvironment: true,
  dropsSessionBus: true,
  commands: ['codex'],
  files: (machine) => [join(machine, pathIn(machine, 'CODEX_HOME') ?? inHome(machine, '.codex'), 'config.toml')],
  projectFile: ['.codex', 'config.toml'],
  make: ({ machine, url, name }, words) => {
    const helper = configuredLine(machine.platform, words);
    if (helper === undefined) return undefined;
    const holds = { members: { url, http_headers_helper: helper }, without: codexWithout };
    return { key: { format: 'toml', path: ['mcp_servers', name] }, holds };
  },
  byUrl: byUrl('toml', { member: 'url' }, ({ name }) => ['mcp_servers', name], tomlAt),
  blocks: codexBlocks,
  conflicts: ({ name }) => [
    `A login that Codex made itself wins over this entry; if there is one, end it with: codex mcp logout ${name}`,
  ],
  servers: (text) => [tomlAt(text, ['mcp_servers'])],
  invocation: () => ({ inShell: true, clearsEnvironment: true }),
  next: 'Look at it with: codex mcp list',
  nextInProject: 'Codex reads it in folders that it was told to trust.',
};

/** An Authorization in an inline table of several pairs is not taken out. */
function* codexBlocks({ text, name }: EntryRequest): Iterable<string> {
  const path = ['mcp_servers', name];
  const raw = rawEntry(text, { format: 'toml', path }) ?? '';
  const inline = /^\s*(http_headers|env_http_headers)\s*=\s*\{.*\bauthorization\b/im.exec(raw)?.[1];
  if (inline !== undefined) {
    yield `${inline} of this entry holds an Authorization of its own, which wins; remove it by hand.`;
  }
  if (tomlAt(text, [...path, 'enabled']) === false) {
    yield 'The entry is switched off (enabled = false); remove that line.';
  }
}

export const headersPrograms: readonly Program[] = [claude, codex];
