import { printable, quoted, shellWord } from '../../core/text/printable.js';
import { type GitVariable, gitVariables } from '../formats/git-config.js';
import { kubeContexts } from '../formats/tools.js';
import type { Machine } from '../machine/ports.js';
import { type EntryRequest, gitLine, inApplications, inConfig, inHome, type Program, pathIn } from './program.js';

const git: Program = {
  name: 'git',
  title: 'git',
  calls: 'git',
  commands: ['git'],
  files: (machine) => {
    const named = pathIn(machine, 'GIT_CONFIG_GLOBAL');
    return named === undefined ? [inHome(machine, '.gitconfig'), inConfig(machine, 'git', 'config')] : [named];
  },
  make: (request, words) => ({
    key: { format: 'git', path: [gitAddress(request)] },
    holds: {
      // The empty one first: helpers for all servers are not asked here, nor given our token to keep.
      members: { helper: ['', gitLine(request.machine.platform, words)], useHttpPath: ['true'] },
      without: [],
    },
  }),
  since: {
    command: ['git', '--version'],
    major: 2,
    minor: 46,
    lacks: 'sends no Bearer token, only a user name and a password',
    unlessBasic: true,
  },
  conflicts: laterHelpers,
  blocks: gitBlocks,
  invocation: ({ url }) => {
    const { protocol, host, pathname } = new URL(url);
    const text = `capability[]=authtype\nprotocol=${protocol.slice(0, -1)}\nhost=${host}\npath=${pathname.slice(1)}\n\n`;
    return { words: ['get'], input: { text, upTo: 'its-end' } };
  },
  next: 'Try it with: git ls-remote <repository>',
};

/** git compares addresses without their query. */
function gitAddress({ url, options }: EntryRequest): string {
  return options.includes('--whole-host') ? new URL(url).origin : url.replace(/\?.*$/s, '');
}

/** The variables of that section that git reads for this server's address. */
function variablesFor({ text, url }: EntryRequest, section: string): readonly GitVariable[] {
  return gitVariables(text).filter((one) => one.section === section && url.startsWith(one.subsection));
}

function shownVariable(section: string, subsection: string, name: string): string {
  return [section, ...(subsection === '' ? [] : [quoted(subsection, 100)]), name].join('.');
}

/** A header that is sent in any case, and a user name that makes git ask for another login. */
function* gitBlocks(request: EntryRequest): Iterable<string> {
  for (const { subsection, name, value } of variablesFor(request, 'credential')) {
    if (name !== 'username' || value === 'oauth2' || request.options.includes(value)) continue;
    const shown = shownVariable('credential', subsection, name);
    yield `${shown} makes git ask for the login of that account alone; remove it.`;
  }
  for (const { subsection, name, value } of variablesFor(request, 'http')) {
    if (name !== 'extraheader' || !/^authorization/i.test(value)) continue;
    yield `${shownVariable('http', subsection, 'extraHeader')} sends an Authorization of its own; remove it.`;
  }
}

/** git hands every good credential to the helpers after ours. */
function* laterHelpers(request: EntryRequest): Iterable<string> {
  const all = variablesFor(request, 'credential');
  const ours = all.findLastIndex(({ subsection }) => subsection === gitAddress(request));
  for (const { subsection, name, value } of ours === -1 ? [] : all.slice(ours + 1)) {
    if (name !== 'helper' || value === '') continue;
    const shown = shownVariable('credential', subsection, name);
    yield `${shown} ${quoted(value, 100)} comes after the entry, so git gives it the token to keep; move it before.`;
  }
}

/** Every kubectl knows this one, those before 1.22 (Debian 12 has 1.20) no other. */
const kubeVersion = 'client.authentication.k8s.io/v1beta1';

const kubectl: Program = {
  name: 'kubectl',
  title: 'kubectl',
  calls: 'kubectl',
  commands: ['kubectl'],
  files: kubeFiles,
  make: ({ name }, [command = '', ...args]) => ({
    key: { format: 'kubeconfig', path: [name] },
    holds: {
      members: { apiVersion: kubeVersion, command, args, interactiveMode: 'Never', provideClusterInfo: 'true' },
      without: [],
    },
  }),
  *blocks({ url }) {
    if (url.startsWith('http:')) yield 'kubectl sends no credential over plain http, and does not ask for any.';
  },
  *conflicts({ machine }) {
    if (kubeFiles(machine).length > 1) {
      yield 'KUBECONFIG names several files; of users of one name the one in the first file counts.';
    }
  },
  invocation: ({ url }) => {
    const spec = { interactive: false, cluster: { server: url } };
    const info = { kind: 'ExecCredential', apiVersion: kubeVersion, spec };
    return { variables: { KUBERNETES_EXEC_INFO: JSON.stringify(info) } };
  },
  *dangling(text, user) {
    for (const { name, context } of kubeContexts(text)) {
      if ((context as { readonly user?: unknown } | undefined)?.user !== user || typeof name !== 'string') continue;
      yield `The context ${quoted(name, 80)} still names the user ${quoted(user, 80)}; give it another one: kubectl config set-context ${shellWord(printable(name, 80))} --user=<user>`;
    }
  },
  next: 'Use it with: kubectl --user <name>, or for good: kubectl config set-context --current --user=<name>',
};

function kubeFiles(machine: Machine): readonly string[] {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const named = (machine.env['KUBECONFIG'] ?? '').split(separator).filter(Boolean);
  return named.length > 0 ? named : [inHome(machine, '.kube', 'config')];
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
  make: ({ server, url }, words) => {
    const command = goLine(words);
    const path = [...new Set([server, url])];
    return command === undefined
      ? undefined
      : { key: { format: 'go', path }, holds: { members: { command }, without: [] } };
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

/**
 * Words as one command of Go's GOAUTH: separated by blanks, quoted by `'` or `"` without any escapes, commands
 * separated by `;`. Undefined where that cannot say a word.
 */
export function goLine(words: readonly string[]): string | undefined {
  if (words.some((word) => /[;\r\n]|^$/.test(word) || (word.includes("'") && word.includes('"')))) return undefined;
  return words.map((word) => (!/[\s'"]/.test(word) ? word : word.includes("'") ? `"${word}"` : `'${word}'`)).join(' ');
}

export const accessPrograms: readonly Program[] = [git, kubectl, go];
