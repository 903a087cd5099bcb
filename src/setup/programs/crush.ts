import { jsonAt } from '../formats/json.js';
import { crushLine, crushPrefix, crushServers, crushUrlLine } from './crush-line.js';
import { shellWords } from './entry-call.js';
import { inHome, join, type Program, pathIn } from './program.js';
import { initializeLine } from './responses.js';

/** Crush: its configuration is a script of Bash that Crush itself runs; a server is a line of it. */
export const crush: Program = {
  name: 'crush',
  title: 'Crush',
  calls: 'bridge',
  commands: ['crush'],
  files: (machine) => [join(machine, crushFolder(machine), 'crushrc')],
  alsoRead: (machine) => [join(machine, crushFolder(machine), 'crush.json')],
  projectFile: ['.crushrc'],
  make: ({ name }, words) => {
    const key = { format: 'line', prefix: crushPrefix(name), name } as const;
    return /[\r\n]/.test(words.join('')) ? undefined : { entry: { key, holds: crushLine(name, words) } };
  },
  byUrl: ({ name }, address) => {
    const key = { format: 'line', prefix: crushPrefix(name), name } as const;
    return { entry: { key, holds: crushUrlLine(name, address) } };
  },
  *blocks({ text, name }) {
    const removed = text
      .split(/\r?\n/)
      .some((line) => /^\s*mcp (?:remove|rm) /.test(line) && line.includes(` ${name}`));
    if (removed) yield `A later line of that file may take the entry out again (mcp remove ${name}); remove that line.`;
  },
  servers: (text) => [text.trimStart().startsWith('{') ? jsonAt(text, ['mcp']) : crushServers(text, posixWords)],
  invocation: () => ({ words: ['--non-interactive'], input: { text: initializeLine, upTo: 'first-line' } }),
  next: 'Start crush again; its list of servers is in the sidebar.',
};

function crushFolder(machine: Parameters<Program['files']>[0]): string {
  const usual = pathIn(machine, 'XDG_CONFIG_HOME') ?? inHome(machine, '.config');
  return pathIn(machine, 'CRUSH_GLOBAL_CONFIG') ?? join(machine, usual, 'crush');
}

function posixWords(line: string): readonly string[] {
  return shellWords(line, 'posix');
}
