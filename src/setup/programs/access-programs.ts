import { printable, quoted, shellWord } from '../../core/text/printable.js';
import { gitVariables } from '../formats/git-config.js';
import { kubeContexts } from '../formats/kubeconfig.js';
import type { Machine } from '../ports.js';
import { readGit, readKubectl } from './answers.js';
import { type EntryRequest, gitLine, inConfig, inHome, type Program, sentences, set } from './program.js';

const git: Program = {
  name: 'git',
  title: 'git',
  way: 'credential',
  commands: ['git'],
  files: (machine, scope) => (scope === 'user' ? gitFiles(machine) : []),
  calls: ['credential', 'git'],
  make: (request, words) => ({
    entry: {
      key: { format: 'git', section: 'credential', subsection: gitAddress(request) },
      // The empty one first: helpers for all servers are not asked here, nor given our token to keep.
      holds: [
        ['helper', ''],
        ['helper', gitLine(request.machine.platform, words)],
        ['useHttpPath', 'true'],
      ],
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
  asks: ({ url }) => {
    const { protocol, host, pathname } = new URL(url);
    const asked = [
      'capability[]=authtype',
      `protocol=${protocol.slice(0, -1)}`,
      `host=${host}`,
      `path=${pathname.slice(1)}`,
    ];
    return { words: ['get'], input: { text: `${asked.join('\n')}\n\n`, upTo: 'its-end' } };
  },
  reads: readGit,
  next: 'Try it with: git ls-remote <repository>',
};

/** A header that is sent in any case, and a user name that makes git ask for another login. */
function gitBlocks(request: EntryRequest): readonly string[] {
  return [
    ...userNames(request),
    ...gitVariables(request.text).flatMap(([{ section, subsection }, name, value]) =>
      section === 'http' &&
      name === 'extraheader' &&
      /^authorization/i.test(value) &&
      request.url.startsWith(subsection)
        ? [
            `http.${subsection === '' ? '' : `${quoted(subsection, 100)}.`}extraHeader sends an Authorization of its own; remove it.`,
          ]
        : [],
    ),
  ];
}

function gitFiles(machine: Machine): readonly string[] {
  const named = set(machine, 'GIT_CONFIG_GLOBAL');
  return named === undefined ? [inHome(machine, '.gitconfig'), inConfig(machine, 'git', 'config')] : [named];
}

/** git compares addresses without their query. */
function gitAddress({ url, options }: EntryRequest): string {
  return options.includes('--whole-host') ? new URL(url).origin : url.replace(/\?.*$/s, '');
}

/** `[section, name, value]` of what git would read for this server's address. */
function ofServer(request: EntryRequest): ReturnType<typeof gitVariables> {
  return gitVariables(request.text).filter(
    ([{ section, subsection }]) => section === 'credential' && request.url.startsWith(subsection),
  );
}

function userNames(request: EntryRequest): readonly string[] {
  return ofServer(request).flatMap(([{ subsection }, name, value]) =>
    name === 'username' && value !== 'oauth2' && !request.options.includes(value)
      ? [`credential.${ofSection(subsection)}username makes git ask for the login of that account alone; remove it.`]
      : [],
  );
}

/** Helpers after ours, which git hands every good credential. */
function laterHelpers(request: EntryRequest): readonly string[] {
  const ours = gitAddress(request);
  const all = ofServer(request);
  const last = all.findLastIndex(([{ subsection }]) => subsection === ours);
  return all.flatMap(([{ subsection }, name, value], index) =>
    name === 'helper' && value !== '' && last >= 0 && index > last
      ? [
          `credential.${ofSection(subsection)}helper ${quoted(value, 100)} comes after the entry, so git gives it the token to keep; move it before.`,
        ]
      : [],
  );
}

function ofSection(subsection: string): string {
  return subsection === '' ? '' : `${quoted(subsection, 100)}.`;
}

/** Every kubectl knows this one, those before 1.22 (Debian 12 has 1.20) no other. */
const kubeVersion = 'client.authentication.k8s.io/v1beta1';

/** Contexts that name a user. */
function contextsOf(text: string, user: string): readonly string[] {
  return kubeContexts(text).flatMap(({ name, context }) =>
    context?.user === user && typeof name === 'string'
      ? [
          `The context ${quoted(name, 80)} still names the user ${quoted(user, 80)}; give it another one: kubectl config set-context ${shellWord(printable(name, 80))} --user=<user>`,
        ]
      : [],
  );
}

const kubectl: Program = {
  name: 'kubectl',
  title: 'kubectl',
  way: 'credential',
  commands: ['kubectl'],
  files: (machine, scope) => (scope === 'user' ? kubeFiles(machine) : []),
  calls: ['credential', 'kubectl'],
  make: ({ name }, [command = '', ...args]) => ({
    entry: {
      key: { format: 'kubeconfig', user: name },
      holds: { apiVersion: kubeVersion, command, args, interactiveMode: 'Never', provideClusterInfo: true },
    },
  }),
  blocks: ({ url }) =>
    sentences([url.startsWith('http:'), 'kubectl sends no credential over plain http, and does not ask for any.']),
  conflicts: ({ machine }) =>
    sentences([
      kubeFiles(machine).length > 1,
      'KUBECONFIG names several files; of users of one name the one in the first file counts.',
    ]),
  asks: ({ url }) => {
    const spec = { interactive: false, cluster: { server: url } };
    const info = { kind: 'ExecCredential', apiVersion: kubeVersion, spec };
    return { variables: { KUBERNETES_EXEC_INFO: JSON.stringify(info) } };
  },
  reads: readKubectl,
  dangling: contextsOf,
  next: 'Use it with: kubectl --user <name>, or for good: kubectl config set-context --current --user=<name>',
};

function kubeFiles(machine: Machine): readonly string[] {
  const separator = machine.platform === 'win32' ? ';' : ':';
  const named = (machine.env['KUBECONFIG'] ?? '').split(separator).filter(Boolean);
  return named.length > 0 ? named : [inHome(machine, '.kube', 'config')];
}

export const accessPrograms: readonly Program[] = [git, kubectl];
