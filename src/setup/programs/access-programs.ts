import { posixWord, printable, quoted, shellWord } from '../../core/text/printable.js';
import { type GitVariable, gitVariables } from '../formats/git-config.js';
import { kubeContexts } from '../formats/tools.js';
import type { Machine } from '../machine/external-programs.js';
import { type EntryRequest, type Program, pathOf } from './program.js';
import { kubeVersion } from './responses.js';

const git: Program = {
  name: 'git',
  title: 'git',
  calls: 'git',
  commands: ['git'],
  files: ['{GIT_CONFIG_GLOBAL|~/.gitconfig}', '{GIT_CONFIG_GLOBAL|config/git/config}'],
  format: 'git',
  path: (request) => [gitAddress(request)],
  // The empty one first: helpers for all servers are not asked here, nor given our token to keep.
  call: (words, { machine }) => ({ helper: ['', gitLine(machine.platform, words)], useHttpPath: ['true'] }),
  since: {
    command: ['git', '--version'],
    major: 2,
    minor: 46,
    lacks: 'sends no Bearer token, only a user name and a password',
    unlessBasic: true,
  },
  conflicts: laterHelpers,
  blocks: gitBlocks,
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

/** Git runs helpers with its own `sh` on every platform; on Windows paths are written with `/` there. */
export function gitLine(platform: string, words: readonly string[]): string {
  const slashed = platform === 'win32' ? words.map((word) => word.replaceAll('\\', '/')) : words;
  return `!${slashed.map(posixWord).join(' ')}`;
}

const kubectl: Program = {
  name: 'kubectl',
  title: 'kubectl',
  calls: 'kubectl',
  commands: ['kubectl'],
  files: kubeFiles,
  format: 'kubeconfig',
  path: ({ name }) => [name],
  call: ([command = '', ...args]) => ({
    ...{ apiVersion: kubeVersion, command, args, interactiveMode: 'Never', provideClusterInfo: 'true' },
  }),
  *blocks({ url }) {
    if (url.startsWith('http:')) yield 'kubectl sends no credential over plain http, and does not ask for any.';
  },
  *conflicts({ machine }) {
    if (kubeFiles(machine).length > 1) {
      yield 'KUBECONFIG names several files; of users of one name the one in the first file counts.';
    }
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
  return named.length > 0 ? named : [pathOf(machine, '~/.kube/config')];
}

const go: Program = {
  name: 'go',
  title: 'Go (1.24 or later)',
  calls: 'goauth',
  commands: ['go'],
  files: ['{GOENV|apps/go/env}'],
  format: 'go',
  path: ({ server, url }) => [...new Set([server, url])],
  call: (words) => {
    const command = goLine(words);
    return command === undefined ? undefined : { command };
  },
  since: { command: ['go', 'version'], major: 1, minor: 24, lacks: 'asks no program for a credential (GOAUTH)' },
  *blocks({ machine, url }) {
    if (url.startsWith('http:')) yield 'go sends no credential over plain http.';
    if ((machine.env['GOAUTH'] ?? '') !== '') {
      yield 'GOAUTH is set in the environment, and wins over this file; unset it.';
    }
  },
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
