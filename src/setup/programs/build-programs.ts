import { quoted } from '../../core/text/printable.js';
import { rawEntry } from '../formats/entry.js';
import type { Machine } from '../ports.js';
import { readBazel, readHeaderLine } from './answers.js';
import { callOf, goCommands, goWords } from './entry-call.js';
import {
  type EntryRequest,
  goLine,
  inApplications,
  inConfig,
  inHome,
  inProject,
  join,
  type Program,
  sentences,
  set,
  shimText,
} from './program.js';

const bazel: Program = {
  name: 'bazel',
  title: 'Bazel',
  way: 'credential',
  commands: ['bazel', 'bazelisk'],
  files: (machine, scope) => [scope === 'user' ? inHome(machine, '.bazelrc') : inProject(machine, '.bazelrc')],
  calls: ['credential', 'bazel'],
  make: ({ machine, name, url }, words) => {
    const text = shimText(machine.platform, words);
    const file = `${name}-${plainUrl(url)}${machine.platform === 'win32' ? '.cmd' : ''}`;
    const path = join(machine, machine.stateFolder, 'setup', `bazel-${file}`);
    const said = machine.platform === 'win32' ? path.replaceAll('\\', '/') : path;
    if (text === undefined || /["'\\\r\n]/.test(said)) return undefined;
    const prefix = `common --credential_helper=${new URL(url).hostname}=`;
    return {
      entry: {
        key: { format: 'line', prefix },
        holds: `${prefix}${/[\s#]/.test(said) ? `"${said}"` : said}`,
      },
      shim: { path, text },
    };
  },
  blocks: otherLines,
  asks: ({ url }) => ({ words: ['get'], input: { text: JSON.stringify({ uri: url }), upTo: 'its-end' } }),
  reads: readBazel,
  next: 'It takes effect with the next bazel command.',
};

/** An address as part of a file's name, without its query. */
function plainUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/-$/, '')
    .slice(0, 100);
}

/** Of several lines for a host the last one counts. */
function otherLines({ text, url }: EntryRequest): readonly string[] {
  const { hostname } = new URL(url);
  const others = text
    .split('\n')
    .filter((line) => /--credential_helper=/.test(line) && !line.startsWith(`common --credential_helper=${hostname}=`))
    .filter((line) => line.includes(`=${hostname}=`) || /--credential_helper=[^=]*$/.test(line.trim()));
  return others.map((line) => `Another line may win for this host: ${quoted(line.trim(), 160)}`);
}

const go: Program = {
  name: 'go',
  title: 'Go (1.24 or later)',
  way: 'credential',
  commands: ['go'],
  files: (machine, scope) => (scope === 'user' ? [set(machine, 'GOENV') ?? goFile(machine)] : []),
  calls: ['credential', 'goauth'],
  make: ({ server, text, url, login }, words) => {
    const line = goLine(words);
    if (line === undefined) return undefined;
    const names = [server, url, login]; // an earlier release wrote the login's name
    const former = rawEntry(text, { format: 'line', prefix: 'GOAUTH=' })?.slice('GOAUTH='.length) ?? 'netrc';
    // Ours first: of several answers the first in the list counts.
    const others = goCommands(former).filter(
      (one) => one !== 'off' && !names.includes(callOf(goWords(one))?.server ?? ''),
    );
    return {
      entry: {
        key: { format: 'line', prefix: 'GOAUTH=', item: line },
        holds: `GOAUTH=${[line, ...others].join('; ')}`,
      },
    };
  },
  since: {
    command: ['go', 'version'],
    major: 1,
    minor: 24,
    lacks: 'asks no program for a credential (GOAUTH)',
  },
  blocks: goBlocks,
  asks: ({ url }) => ({ words: [url], input: { text: 'HTTP/1.1 404 Not Found\n\n', upTo: 'its-end' } }),
  reads: readHeaderLine,
  next: 'Look at it with: go env GOAUTH',
};

function goBlocks({ machine, url }: EntryRequest): readonly string[] {
  return sentences(
    [url.startsWith('http:'), 'go sends no credential over plain http.'],
    [(machine.env['GOAUTH'] ?? '') !== '', 'GOAUTH is set in the environment, and wins over this file; unset it.'],
  );
}

function goFile(machine: Machine): string {
  return machine.platform === 'linux' ? inConfig(machine, 'go', 'env') : inApplications(machine, 'go', 'env');
}

export const buildPrograms: readonly Program[] = [bazel, go];
