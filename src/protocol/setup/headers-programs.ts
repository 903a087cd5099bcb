import { jsonAt } from '../../primitives/edit/json-value.js';
import { findToml, tomlStrings, tomlTables } from '../../primitives/edit/toml-edit.js';
import { quoted } from '../../primitives/printable.js';
import { sameServerElsewhere } from './leftovers.js';
import { inHome, inProject, join, set } from './place.js';
import { type Probe, readHeaders } from './probe.js';
import type { EntryRequest, MadeEntry, Program } from './program.js';
import { readJsonServers, readTomlServers } from './read-servers.js';
import { sameServer } from './same-server.js';
import { callWords, isExpanded, shellLine } from './words.js';

/** Claude Code: `headersHelper`, a shell line whose output are headers. */
const claude: Program = {
  name: 'claude',
  title: 'Claude Code',
  way: 'headers',
  commands: ['claude'],
  files: (machine, scope) => [
    scope === 'project'
      ? inProject(machine, '.mcp.json')
      : join(machine, set(machine, 'CLAUDE_CONFIG_DIR') ?? machine.homedir, '.claude.json'),
  ],
  make: (request) => {
    const line = helperLine(request);
    if (line === undefined) return { ok: false, problem: 'words' };
    const members = { type: 'http', url: request.url, headersHelper: line };
    // A static header in another letter case is sent beside ours; in the same one it is sent when the helper fails.
    const without = ['headers/authorization', 'command', 'args', 'env', 'oauth'];
    return {
      ok: true,
      entry: { key: { format: 'json', path: ['mcpServers', request.name] }, holds: { members, without } },
    };
  },
  leftovers: (request) => [...sameServerElsewhere(request, ['mcpServers']), ...localEntry(request)],
  servers: (text, { workingFolder }) =>
    readJsonServers(text, [['mcpServers'], ['projects', workingFolder, 'mcpServers']]),
  probe: (request) => helperProbe(request, 'open', 'whole'),
  next: 'Look at it with: claude mcp list',
  nextInProject: 'Start claude in this folder and approve it; until then it is not used.',
};

/** Entries that Claude Code keeps for one folder go before those of the person. */
function localEntry({ text, machine, name }: EntryRequest): readonly string[] {
  const path = ['projects', machine.workingFolder, 'mcpServers', name];
  return jsonAt(text, path) === undefined
    ? []
    : [
        `In this folder another entry of that name wins; remove it with: claude mcp remove --scope local ${name}`,
      ];
}

/** Codex CLI: `http_headers_helper`, the same. */
const codex: Program = {
  name: 'codex',
  title: 'Codex CLI',
  way: 'headers',
  isApart: true,
  commands: ['codex'],
  files: (machine, scope) => [
    scope === 'project'
      ? inProject(machine, '.codex', 'config.toml')
      : join(machine, set(machine, 'CODEX_HOME') ?? inHome(machine, '.codex'), 'config.toml'),
  ],
  make: (request): MadeEntry => {
    const line = helperLine(request);
    if (line === undefined) return { ok: false, problem: 'words' };
    const members = { url: request.url, http_headers_helper: line };
    const without = [
      'bearer_token',
      'bearer_token_env_var',
      'env_http_headers',
      'command',
      'args',
      'env',
      'auth',
    ];
    return {
      ok: true,
      entry: { key: { format: 'toml', path: ['mcp_servers', request.name] }, holds: { members, without } },
    };
  },
  leftovers: ({ text, name, url }) => [
    ...tomlTables(text, ['mcp_servers']).flatMap((other) => {
      const { url: address = '' } = tomlStrings(text, ['mcp_servers', other]);
      return other !== name && sameServer(address, url)
        ? [`The entry ${quoted(other, 80)} is for the same server; if it is no longer needed, remove it.`]
        : [];
    }),
    ...staticHeaders(text, name),
    `A login that Codex made itself wins over this entry; if there is one, end it with: codex mcp logout ${name}`,
  ],
  servers: (text) => readTomlServers(text, ['mcp_servers']),
  probe: (request) => helperProbe(request, 'closed', 'least'),
  next: 'Look at it with: codex mcp list',
  nextInProject: 'Codex reads it in folders that it was told to trust.',
};

function staticHeaders(text: string, name: string): readonly string[] {
  const found = findToml(text, ['mcp_servers', name]);
  const pattern = /^\s*(?:http_headers[\s.=].*authorization|["']?authorization["']?\s*=)/im;
  return found.ok && found.raw !== undefined && pattern.test(found.raw)
    ? ['http_headers of this entry holds an Authorization of its own; remove it by hand.']
    : [];
}

export const headersPrograms: readonly Program[] = [claude, codex];

function helperLine(request: EntryRequest): string | undefined {
  const { machine, server, options } = request;
  const words = callWords(machine, { command: ['credential', 'headers'], server, options });
  return isExpanded(words) ? undefined : shellLine(machine.platform, words);
}

function helperProbe(
  request: EntryRequest,
  input: Probe['input'],
  environment: Probe['environment'],
): Probe | undefined {
  const command = helperLine(request);
  return command === undefined
    ? undefined
    : { command, input, environment, variables: {}, read: readHeaders };
}
