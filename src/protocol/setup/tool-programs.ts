import type { Machine } from '../../ports/neighbours.js';
import { gitVariables } from '../../primitives/edit/git-config-edit.js';
import { findLine } from '../../primitives/edit/line-edit.js';
import { quoted } from '../../primitives/printable.js';
import { inApplications, inConfig, inHome, inProject, join, set } from './place.js';
import type { EntryRequest, MadeEntry, Program } from './program.js';
import { callWords, gitLine, goLine, shimText } from './words.js';

const git: Program = {
  name: 'git',
  title: 'git',
  way: 'credential',
  commands: ['git'],
  files: (machine, scope) => (scope === 'user' ? gitFiles(machine) : []),
  make: (request): MadeEntry => {
    const { machine, server, options } = request;
    const words = callWords(machine, { command: ['credential', 'git'], server, options });
    const subsection = gitAddress(request);
    return {
      ok: true,
      entry: {
        key: { format: 'git', section: 'credential', subsection },
        // The empty one first: helpers for all servers are not asked here, nor given our token to keep.
        holds: [
          ['helper', ''],
          ['helper', gitLine(machine.platform, words)],
          ['useHttpPath', 'true'],
        ],
      },
    };
  },
  leftovers: (request) =>
    gitVariables(request.text).flatMap(([{ section, subsection }, name, value]) =>
      section === 'http' &&
      name === 'extraheader' &&
      /^authorization/i.test(value) &&
      request.url.startsWith(subsection)
        ? [
            `http.${subsection === '' ? '' : `${quoted(subsection, 100)}.`}extraHeader sends an Authorization of its own; remove it.`,
          ]
        : [],
    ),
  next: 'Try it with: git ls-remote <repository>',
};

function gitFiles(machine: Machine): readonly string[] {
  const named = set(machine, 'GIT_CONFIG_GLOBAL');
  return named === undefined ? [inHome(machine, '.gitconfig'), inConfig(machine, 'git', 'config')] : [named];
}

function gitAddress({ url, options }: EntryRequest): string {
  return options.includes('--whole-host') ? new URL(url).origin : url;
}

const kubectl: Program = {
  name: 'kubectl',
  title: 'kubectl',
  way: 'credential',
  commands: ['kubectl'],
  files: (machine, scope) => (scope === 'user' ? kubeFiles(machine) : []),
  make: ({ machine, server, options, name }) => {
    const [command = '', ...args] = callWords(machine, {
      command: ['credential', 'kubectl'],
      server,
      options,
    });
    return {
      ok: true,
      entry: {
        key: { format: 'kubeconfig', user: name },
        holds: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command,
          args,
          interactiveMode: 'Never',
          provideClusterInfo: true,
        },
      },
    };
  },
  leftovers: ({ machine }) =>
    kubeFiles(machine).length > 1
      ? ['KUBECONFIG names several files; of users of one name the one in the first file counts.']
      : [],
  next: 'Use it with: kubectl --user <name>, or for good: kubectl config set-context --current --user=<name>',
};

function kubeFiles(machine: Machine): readonly string[] {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const named = (machine.env['KUBECONFIG'] ?? '').split(separator).filter(Boolean);
  return named.length > 0 ? named : [inHome(machine, '.kube', 'config')];
}

const bazel: Program = {
  name: 'bazel',
  title: 'Bazel',
  way: 'credential',
  commands: ['bazel', 'bazelisk'],
  files: (machine, scope) => [
    scope === 'user' ? inHome(machine, '.bazelrc') : inProject(machine, '.bazelrc'),
  ],
  make: ({ machine, server, options, name, url }) => {
    const text = shimText(
      machine.platform,
      callWords(machine, { command: ['credential', 'bazel'], server, options }),
    );
    const file = machine.platform === 'win32' ? `${name}.cmd` : name;
    const path = join(machine, machine.stateFolder, 'setup', `bazel-${file}`);
    const said = machine.platform === 'win32' ? path.replaceAll('\\', '/') : path;
    if (text === undefined || /["'\\\r\n]/.test(said)) return { ok: false, problem: 'words' };
    const prefix = `common --credential_helper=${new URL(url).hostname}=`;
    return {
      ok: true,
      entry: {
        key: { format: 'line', prefix },
        holds: `${prefix}${/[\s#]/.test(said) ? `"${said}"` : said}`,
      },
      shim: { path, text },
    };
  },
  leftovers: ({ text, url }) => {
    const { hostname } = new URL(url);
    const others = text
      .split('\n')
      .filter(
        (line) =>
          /--credential_helper=/.test(line) && !line.startsWith(`common --credential_helper=${hostname}=`),
      )
      .filter((line) => line.includes(`=${hostname}=`) || /--credential_helper=[^=]*$/.test(line.trim()));
    return others.map((line) => `Another line may win for this host: ${quoted(line.trim(), 160)}`);
  },
  next: 'It takes effect with the next bazel command.',
};

const go: Program = {
  name: 'go',
  title: 'Go (1.24 or later)',
  way: 'credential',
  commands: ['go'],
  files: (machine, scope) => (scope === 'user' ? [set(machine, 'GOENV') ?? goFile(machine)] : []),
  make: ({ machine, server, options, text }) => {
    const line = goLine(callWords(machine, { command: ['credential', 'goauth'], server, options }));
    if (line === undefined) return { ok: false, problem: 'words' };
    const found = findLine(text, 'GOAUTH=');
    const former = (found.ok ? found.raw : undefined)?.slice('GOAUTH='.length).split(';') ?? ['netrc'];
    // Ours first: of several answers the first in the list counts.
    const others = former
      .map((one) => one.trim())
      .filter((one) => one !== '' && one !== 'off' && !isOurs(one, server));
    return {
      ok: true,
      entry: { key: { format: 'line', prefix: 'GOAUTH=' }, holds: `GOAUTH=${[line, ...others].join('; ')}` },
    };
  },
  leftovers: ({ machine }) =>
    (machine.env['GOAUTH'] ?? '') === ''
      ? []
      : ['GOAUTH is set in the environment, and wins over this file; unset it.'],
  next: 'Look at it with: go env GOAUTH',
};

function isOurs(command: string, server: string): boolean {
  return /\bcredential goauth\b/.test(command) && command.split(' ').includes(server);
}

function goFile(machine: Machine): string {
  return machine.platform === 'linux' ? inConfig(machine, 'go', 'env') : inApplications(machine, 'go', 'env');
}

export const toolPrograms: readonly Program[] = [git, kubectl, bazel, go];
