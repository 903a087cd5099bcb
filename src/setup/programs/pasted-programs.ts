import { shellWord } from '../../core/text/printable.js';
import { valueIn } from '../formats/entry.js';
import { shellWords } from './entries.js';
import { type EntryRequest, type Program, pathOf, shellLine } from './program.js';

/** Bazel calls a program without arguments, which `credential bazel --shim` writes. */
const bazel: Program = {
  name: 'bazel',
  title: 'Bazel',
  calls: 'bazel',
  commands: ['bazel', 'bazelisk'],
  files: ['~/.bazelrc'],
  projectFile: '.bazelrc',
  format: 'pasted',
  call: (_, request) => {
    const path = bazelShim(request);
    const shown = request.machine.platform === 'win32' ? path.replaceAll('\\', '/') : path;
    if (/["'\\\r\n]/.test(shown)) return undefined;
    const helper = /[\s#]/.test(shown) ? `"${shown}"` : shown;
    return { line: `common --credential_helper=${new URL(request.url).hostname}=${helper}` };
  },
  conflicts: (request) => {
    const { server, options } = request;
    const words = ['credential', 'bazel', server, ...options, '--shim', bazelShim(request)];
    return [`Run this first: postern ${words.map(shellWord).join(' ')}`];
  },
  next: '',
};

function bazelShim({ machine, name }: EntryRequest): string {
  return pathOf(machine, `~/.postern-bazel-${name}${machine.platform === 'win32' ? '.cmd' : ''}`);
}

/** Crush: its configuration is a script of Bash that Crush itself runs; a server is a line of it. */
const crush: Program = {
  name: 'crush',
  title: 'Crush',
  calls: 'bridge',
  commands: ['crush'],
  inShell: true,
  files: ['{CRUSH_GLOBAL_CONFIG|config/crush}/crushrc'],
  alsoRead: ['{CRUSH_GLOBAL_CONFIG|config/crush}/crush.json'],
  projectFile: '.crushrc',
  format: 'pasted',
  call: (words, { name }) => {
    const [command = '', ...args] = words.map(shellWord);
    const options = [`--command ${command}`, ...args.map((word) => `--args ${word}`)];
    return /[\r\n]/.test(words.join('')) ? undefined : { line: `mcp add ${name} ${options.join(' ')}` };
  },
  url: ({ name }, address) => ({ line: `mcp add ${name} --type http --url ${shellWord(address)}` }),
  servers: (text) => [text.trimStart().startsWith('{') ? valueIn('json', text, ['mcp']) : crushServers(text)],
  next: '',
};

/** The servers that the lines of a `crushrc` add, as far as they are said in one line each. */
function crushServers(text: string): Readonly<Record<string, object>> {
  const lines = text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => shellWords(line.trim(), 'posix'));
  const added = lines.filter(([mcp, add]) => mcp === 'mcp' && add === 'add');
  return Object.fromEntries(
    added.map(([, , name = '', ...rest]) => {
      const [url] = valuesOf(rest, '--url');
      const [command, ...args] = [...valuesOf(rest, '--command'), ...valuesOf(rest, '--args')];
      return [name, { ...(url === undefined ? {} : { url }), ...(command === undefined ? {} : { command, args }) }];
    }),
  );
}

/** The values of an option that takes one, even those that look like an option. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', value] = words.slice(at, at + 2);
    if (word === option && value !== undefined) values.push(value);
    at += /^--(?:env|header)$/.test(word) ? 2 : word.startsWith('--') ? 1 : 0;
  }
  return values;
}

/**
 * curl can ask no program for a header, and a token in `.curlrc` would be a copy on disk that goes to every server:
 * there is a command line instead, with the token in a pipe and in no argument.
 */
const curl: Program = {
  name: 'curl',
  title: 'curl',
  calls: 'curl',
  commands: ['curl'],
  files: [],
  format: 'pasted',
  call: (words, { machine, url }) => {
    const [ours, theirs] = [words, ['curl', '--config', '-', url]].map((one) => shellLine(machine.platform, one));
    return ours === undefined || theirs === undefined ? undefined : { line: `${ours} | ${theirs}` };
  },
  next: '',
};

/** Programs that nothing is written for: a line is printed, to be pasted. */
export const pastedPrograms: readonly Program[] = [crush, bazel, curl];
