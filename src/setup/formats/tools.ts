import {
  type Commands,
  type EntryMembers,
  ifEditable,
  type Members,
  membersOf,
  NotEditable,
  type OpenedText,
} from './text.js';
import { documentsIn } from './yaml.js';

/** A program that writes its own configuration. */
export interface Tool {
  readonly command: string;
  /** What makes it take that file, where no argument does; and keeps a project's file from choosing what runs. */
  variables?(file: string): Readonly<Record<string, string>>;
  /** A command whose output holds this word where the program knows all that we need. */
  readonly probe?: { readonly words: readonly string[]; readonly says: string };
  /** What a person adds by hand where the program cannot. */
  pasted?(commands: Commands, holds: EntryMembers, path: readonly string[]): string;
}

/** The programs that write a format by their own commands. */
export const tools: Readonly<Record<string, Tool | undefined>> = {
  git: { command: 'git' },
  kubeconfig: {
    command: 'kubectl',
    probe: { words: ['config', 'set-credentials', '--help'], says: '--exec-provide-cluster-info' },
    pasted: (_, { members }, [name]) => {
      const list = Object.entries({ ...members, provideClusterInfo: true });
      const lines = list.map(([member, value]) => `      ${member}: ${JSON.stringify(value)}\n`);
      return `users:\n- name: ${JSON.stringify(name)}\n  user:\n    exec:\n${lines.join('')}`;
    },
  },
  go: {
    command: 'go',
    variables: (file) => ({ GOENV: file, GOTOOLCHAIN: 'local' }),
    probe: { words: ['help', 'environment'], says: 'GOAUTH' },
    pasted: (commands) => `${commands('')[0]?.at(-1)}\n`,
  },
};

type Kubeconfig = Readonly<Record<string, unknown>>;

/** The user of that name, and what it has credentials from. */
export function openKubeUser(text: string, [name = '']: readonly string[]): OpenedText {
  const all = kubeconfigIn(text);
  const users = listIn(all, 'users');
  const [user, another] = users.filter((one) => one['name'] === name);
  if (another !== undefined) throw new NotEditable('duplicate');
  const change = (members: Members | undefined): Commands => {
    return (file) => [
      ...(user === undefined ? [] : [['config', `--kubeconfig=${file}`, 'delete-user', name]]),
      ...(members === undefined
        ? []
        : [['config', `--kubeconfig=${file}`, 'set-credentials', name, ...flags(members)]]),
    ];
  };
  return {
    raw: user && JSON.stringify(user),
    value: user && ((user['user'] as Kubeconfig | undefined)?.['exec'] ?? {}),
    rest: undefined, // kubectl lays out what it keeps in its own way
    set: (entry) => change(entry?.value as Members | undefined),
  };
}

/** kubectl takes the value of `--exec-arg` as a line of CSV. */
function flags({ apiVersion, command, args, interactiveMode, provideClusterInfo }: Members) {
  const word = (value: unknown) => (/[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`);
  return [
    `--exec-api-version=${apiVersion}`,
    `--exec-command=${command}`,
    ...[args ?? []].flat().map((value) => `--exec-arg=${word(value)}`),
    `--exec-interactive-mode=${interactiveMode}`,
    `--exec-provide-cluster-info=${provideClusterInfo}`,
  ];
}

/** The contexts of a kubeconfig. */
export function kubeContexts(text: string): readonly Kubeconfig[] {
  return ifEditable(() => listIn(kubeconfigIn(text), 'contexts')) ?? [];
}

function listIn(all: Kubeconfig, name: string): readonly Kubeconfig[] {
  const list = all[name];
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** Every scalar is read as a string: what kubectl quotes, and what it does not, means the same. */
function kubeconfigIn(text: string): Kubeconfig {
  try {
    const [document, another] = documentsIn(text, { schema: 'failsafe' });
    const all: unknown = document === undefined ? {} : document.toJS();
    const isPlain = typeof all === 'object' && all !== null && !Array.isArray(all);
    if (another === undefined && (document?.errors.length ?? 0) === 0 && (isPlain || !all))
      return (all || {}) as Kubeconfig;
  } catch {
    // brackets, or aliases, by the thousand
  }
  throw new NotEditable('unreadable');
}

/** Of the commands of GOAUTH the one of ours for a server of one of these names. */
export function openGo(text: string, names: readonly string[]): OpenedText {
  const lines = text.split(/\r?\n/).filter((one) => one !== '');
  const [line = 'GOAUTH=netrc', another] = lines.filter((one) => one.startsWith('GOAUTH='));
  if (another !== undefined) throw new NotEditable('duplicate');
  const items = goItems(line);
  if (items.includes('off')) throw new NotEditable('shape'); // no command may stand beside it
  const others = items.filter((one) => !isGoCall(one, names));
  const [item] = items.filter((one) => isGoCall(one, names));
  const change = (first: string | undefined): Commands => {
    const now = [...(first === undefined ? [] : [first]), ...others].join('; ');
    return () => [['env', ...(now === '' || now === 'netrc' ? ['-u', 'GOAUTH'] : ['-w', `GOAUTH=${now}`])]];
  };
  return {
    raw: item,
    value: item && { command: item },
    rest: [lines.filter((one) => one !== line).sort(), others],
    // First, as go takes the first credential that it gets.
    set: (entry) => change(entry && String(membersOf(entry.value)['command'])),
  };
}

/** What `;` separates in the list, in its order. */
function goItems(line: string): readonly string[] {
  const items = line.slice('GOAUTH='.length).split(';');
  return items.map((one) => one.trim()).filter((one) => one !== '');
}

function isGoCall(item: string, names: readonly string[]): boolean {
  const words = goWords(item);
  return names.includes(words[words.indexOf('goauth') + 1] ?? '') && words.includes('goauth');
}

/** The words of a command of `GOAUTH`: quoted by `'` or `"`, without escapes. */
export function goWords(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
}
