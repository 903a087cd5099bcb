import { jsonAt } from '../../formats/json.js';
import type { Machine } from '../../machine/ports.js';
import { type EntryRequest, inHome, inProject, join, pathIn } from '../program.js';
import { listsAt, type StdioProgram } from './stdio-program.js';

export const gemini: StdioProgram = {
  name: 'gemini',
  title: 'Gemini CLI',
  commands: ['gemini'],
  inShell: true,
  files: (machine) => [inHome(machine, '.gemini', 'settings.json')],
  projectFile: ['.gemini', 'settings.json'],
  switches: (machine) => [
    inHome(machine, '.gemini', 'settings.json'),
    inProject(machine, '.gemini', 'settings.json'),
    inHome(machine, '.gemini', 'trustedFolders.json'),
  ],
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
  files: (machine) => [qwenFile(machine)],
  projectFile: ['.qwen', 'settings.json'],
  switches: (machine) => [qwenFile(machine), inProject(machine, '.qwen', 'settings.json')],
  list: ['mcpServers'],
  off: (request) => leftOut('Qwen Code', request),
  url: { member: 'httpUrl' },
  next: 'Look at it with: qwen mcp list',
};

function qwenFile(machine: Machine): string {
  return join(machine, pathIn(machine, 'QWEN_HOME') ?? inHome(machine, '.qwen'), 'settings.json');
}

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
