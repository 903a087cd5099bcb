import { rawEntry } from '../formats/entry.js';
import { jsonAt } from '../formats/json.js';
import { tomlAt } from '../formats/toml.js';
import type { Machine } from '../ports.js';
import { readHeaders } from './answers.js';
import {
  type EntryRequest,
  inHome,
  inProject,
  isExpanded,
  join,
  type Program,
  sentences,
  set,
  shellLine,
} from './program.js';
import { foundServers, sameServerElsewhere } from './read-servers.js';

/** Claude Code: `headersHelper`, a shell line whose output are headers. */
const claude: Program = {
  name: 'claude',
  title: 'Claude Code',
  way: 'headers',
  commands: ['claude'],
  files: (machine, scope) => [scope === 'project' ? inProject(machine, '.mcp.json') : claudeFile(machine)],
  calls: ['credential', 'headers'],
  make: (request, words) => {
    const line = isExpanded(words) ? undefined : shellLine(request.machine.platform, words);
    if (line === undefined) return undefined;
    const members = { type: 'http', url: request.url, headersHelper: line };
    // A static header in another letter case is sent beside ours; in the same one it is sent when the helper fails.
    const without = ['headers/authorization', 'command', 'args', 'env', 'oauth'];
    return {
      entry: { key: { format: 'json', path: ['mcpServers', request.name] }, holds: { members, without } },
    };
  },
  blocks: claudeBlocks,
  conflicts: (request) => sameServerElsewhere(request, jsonAt(request.text, ['mcpServers'])),
  switches: (machine) => [
    claudeFile(machine),
    join(machine, set(machine, 'CLAUDE_CONFIG_DIR') ?? inHome(machine, '.claude'), 'settings.json'),
    inProject(machine, '.claude', 'settings.json'),
    inProject(machine, '.claude', 'settings.local.json'),
  ],
  servers: (text, { workingFolder }) =>
    [['mcpServers'], ['projects', workingFolder, 'mcpServers']].flatMap((path) => foundServers(jsonAt(text, path))),
  asks: ({ url }) => ({ inShell: true, input: 'open', variables: { CLAUDE_CODE_MCP_SERVER_URL: url } }),
  reads: readHeaders,
  next: 'Look at it with: claude mcp list',
  nextInProject: 'Start claude in this folder and approve it; until then it is not used.',
};

function claudeFile(machine: Machine): string {
  return join(machine, set(machine, 'CLAUDE_CONFIG_DIR') ?? machine.homedir, '.claude.json');
}

/** Entries that Claude Code keeps for one folder go before all others; and a person may have switched ours off. */
function claudeBlocks({ text, machine, name, switches = new Map() }: EntryRequest): readonly string[] {
  const texts = [text, ...switches.values()];
  const ofFolder = (member: string) => texts.map((one) => jsonAt(one, ['projects', machine.workingFolder, member]));
  const names = (found: unknown) => Array.isArray(found) && found.includes(name);
  const refused = [
    ...ofFolder('disabledMcpjsonServers'),
    ...texts.map((one) => jsonAt(one, ['disabledMcpjsonServers'])),
  ];
  const isThere = (found: unknown) => typeof found === 'object' && found !== null && name in found;
  return sentences(
    [
      ofFolder('mcpServers').some(isThere),
      `In this folder another entry of that name wins; remove it with: claude mcp remove --scope local ${name}`,
    ],
    [
      ofFolder('disabledMcpServers').some(names),
      `In this folder Claude Code has ${name} switched off; switch it on there with /mcp.`,
    ],
    [
      refused.some(names),
      `Claude Code was told to refuse ${name} of this folder (disabledMcpjsonServers); take it off that list, or: claude mcp reset-project-choices`,
    ],
  );
}

/** Codex CLI: `http_headers_helper`, the same. */
const codex: Program = {
  name: 'codex',
  title: 'Codex CLI',
  way: 'headers',
  isApart: true,
  leavesNoBus: true,
  commands: ['codex'],
  files: (machine, scope) => [
    scope === 'project'
      ? inProject(machine, '.codex', 'config.toml')
      : join(machine, set(machine, 'CODEX_HOME') ?? inHome(machine, '.codex'), 'config.toml'),
  ],
  calls: ['credential', 'headers'],
  make: (request, words) => {
    const line = isExpanded(words) ? undefined : shellLine(request.machine.platform, words);
    if (line === undefined) return undefined;
    const members = { url: request.url, http_headers_helper: line };
    const without = [
      'bearer_token',
      'bearer_token_env_var',
      'http_headers/authorization',
      'env_http_headers/authorization',
      'command',
      'args',
      'env',
      'auth',
    ];
    return {
      entry: { key: { format: 'toml', path: ['mcp_servers', request.name] }, holds: { members, without } },
    };
  },
  blocks: codexBlocks,
  conflicts: (request) => [
    ...sameServerElsewhere(request, tomlAt(request.text, ['mcp_servers'])),
    `A login that Codex made itself wins over this entry; if there is one, end it with: codex mcp logout ${request.name}`,
  ],
  servers: (text) => foundServers(tomlAt(text, ['mcp_servers'])),
  asks: () => ({ inShell: true, isApart: true }),
  reads: readHeaders,
  next: 'Look at it with: codex mcp list',
  nextInProject: 'Codex reads it in folders that it was told to trust.',
};

/** What was not taken out: an inline table is not edited here. */
function codexBlocks({ text, name }: EntryRequest): readonly string[] {
  const raw = rawEntry(text, { format: 'toml', path: ['mcp_servers', name] }) ?? '';
  const inline = /^\s*(http_headers|env_http_headers)\s*=\s*\{.*\bauthorization\b/im.exec(raw)?.[1];
  return sentences(
    [inline !== undefined, `${inline} of this entry holds an Authorization of its own, which wins; remove it by hand.`],
    [
      tomlAt(text, ['mcp_servers', name, 'enabled']) === false,
      'The entry is switched off (enabled = false); remove that line.',
    ],
  );
}

export const headersPrograms: readonly Program[] = [claude, codex];
