import { jsonAt } from '../../formats/json.js';
import { inConfig, pathIn } from '../program.js';
import type { StdioProgram } from './stdio-program.js';

/**
 * OpenCode 1 has its servers in `mcp`, OpenCode 2 in `mcp.servers`, and reads the older form as well. Which of both a file
 * has, it keeps.
 */
export const opencode: StdioProgram = {
  name: 'opencode',
  title: 'OpenCode',
  commands: ['opencode', 'opencode2'],
  inShell: true,
  files: (machine) => {
    const named = pathIn(machine, 'OPENCODE_CONFIG');
    const usual = ['opencode.json', 'opencode.jsonc'].map((name) => inConfig(machine, 'opencode', name));
    return named === undefined ? usual : [named];
  },
  projectFile: ['opencode.json'],
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
  files: (machine) => {
    const named = pathIn(machine, 'KILO_CONFIG');
    const usual = ['kilo.jsonc', 'kilo.json'].map((name) => inConfig(machine, 'kilo', name));
    return named === undefined ? usual : [named];
  },
  projectFile: ['kilo.json'],
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
