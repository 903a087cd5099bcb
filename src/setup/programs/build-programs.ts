import { quoted } from '../../core/text/printable.js';
import { rawEntry } from '../formats/entry.js';
import { itemsOf } from '../formats/line.js';
import { callOf, goWords } from './entry-call.js';
import {
  type EntryRequest,
  goLine,
  inApplications,
  inConfig,
  inHome,
  join,
  type Program,
  pathIn,
  shimText,
} from './program.js';

const bazel: Program = {
  name: 'bazel',
  title: 'Bazel',
  calls: 'bazel',
  commands: ['bazel', 'bazelisk'],
  files: (machine) => [inHome(machine, '.bazelrc')],
  projectFile: ['.bazelrc'],
  make: ({ machine, name, url }, words) => {
    const text = shimText(machine, words);
    const isWindows = machine.platform === 'win32';
    const file = `bazel-${name}-${plainUrl(url)}${isWindows ? '.cmd' : ''}`;
    const path = join(machine, machine.stateFolder, 'setup', file);
    const shown = isWindows ? path.replaceAll('\\', '/') : path;
    if (text === undefined || /["'\\\r\n]/.test(shown)) return undefined;
    const prefix = `common --credential_helper=${new URL(url).hostname}=`;
    const holds = `${prefix}${/[\s#]/.test(shown) ? `"${shown}"` : shown}`;
    return { entry: { key: { format: 'line', prefix }, holds }, shim: { path, text } };
  },
  blocks: otherLines,
  invocation: ({ url }) => ({ words: ['get'], input: { text: JSON.stringify({ uri: url }), upTo: 'its-end' } }),
  next: 'It takes effect with the next bazel command.',
};

/** An address as part of a file's name, without its query. */
function plainUrl(url: string): string {
  const { host, pathname } = new URL(url);
  const plain = `${host}${pathname}`.replace(/[^A-Za-z0-9]+/g, '-');
  return plain.replace(/-$/, '').slice(0, 100);
}

/** Of several lines for a host the last one counts. */
function* otherLines({ text, url }: EntryRequest): Iterable<string> {
  const { hostname } = new URL(url);
  for (const line of text.split('\n')) {
    const isOurs = line.startsWith(`common --credential_helper=${hostname}=`);
    if (isOurs || !line.includes('--credential_helper=')) continue;
    const isForAll = /--credential_helper=[^=]*$/.test(line.trim());
    if (isForAll || line.includes(`=${hostname}=`)) {
      yield `Another line may win for this host: ${quoted(line.trim(), 160)}`;
    }
  }
}

const go: Program = {
  name: 'go',
  title: 'Go (1.24 or later)',
  calls: 'goauth',
  commands: ['go'],
  files: (machine) => {
    const usual = machine.platform === 'linux' ? inConfig : inApplications;
    return [pathIn(machine, 'GOENV') ?? usual(machine, 'go', 'env')];
  },
  make: ({ server, text, url }, words) => {
    const line = goLine(words);
    if (line === undefined) return undefined;
    const names = [server, url];
    const former = rawEntry(text, { format: 'line', prefix: 'GOAUTH=' })?.slice('GOAUTH='.length) ?? 'netrc';
    // Ours first: go takes the first credential that a command in the list has.
    const others = itemsOf(former).filter(
      (one) => one !== 'off' && !names.includes(callOf(goWords(one))?.server ?? ''),
    );
    const key = { format: 'line', prefix: 'GOAUTH=', item: line } as const;
    return { entry: { key, holds: `GOAUTH=${[line, ...others].join('; ')}` } };
  },
  since: { command: ['go', 'version'], major: 1, minor: 24, lacks: 'asks no program for a credential (GOAUTH)' },
  *blocks({ machine, url }) {
    if (url.startsWith('http:')) yield 'go sends no credential over plain http.';
    if ((machine.env['GOAUTH'] ?? '') !== '') {
      yield 'GOAUTH is set in the environment, and wins over this file; unset it.';
    }
  },
  invocation: ({ url }) => ({ words: [url], input: { text: 'HTTP/1.1 404 Not Found\n\n', upTo: 'its-end' } }),
  next: 'Look at it with: go env GOAUTH',
};

export const buildPrograms: readonly Program[] = [bazel, go];
