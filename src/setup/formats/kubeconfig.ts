import { isMap, isNode, isScalar, isSeq, type Pair, type YAMLSeq } from 'yaml';
import {
  ifEditable,
  isBlank,
  lineEnd,
  lineEnding,
  lineStart,
  missingEnding,
  NotEditable,
  type OpenedText,
  splice,
} from './text.js';
import { columnOf, documentsIn, type Lines, lastOffset, reindented } from './yaml-lines.js';

/** A user of a kubeconfig that gets its credentials from a program. */
export interface KubeExec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly interactiveMode: string;
  readonly provideClusterInfo: boolean;
}

type Values = Readonly<Record<string, unknown>>;

/** The list `users` as kubectl writes it: in block style, at the top level. */
interface Users {
  /** The line of `users:`. */
  readonly key: Lines | undefined;
  /** Before the dash of its items. */
  readonly indent: string;
  readonly items: readonly Lines[];
}

/** The user of that name. Another style than kubectl's (flow, several documents) is not edited here. */
export function openKubeUser(text: string, name: string): OpenedText<KubeExec> {
  const { all, users } = usersOf(text);
  const { key, items, indent } = users;
  const list = Array.isArray(all['users']) ? all['users'] : [];
  const at = list.findIndex((user) => user?.name === name);
  if (at !== list.findLastIndex((user) => user?.name === name)) throw new NotEditable('duplicate');
  const item = items[at];
  const value: Values | undefined = list[at]?.user?.exec;
  const eol = lineEnding(text);
  return {
    raw: item && text.slice(item.start, item.end),
    value,
    rest: { ...all, users: list.filter((_, index) => index !== at) },
    put: (exec) => {
      if (holdsAll(value, exec)) return text;
      const block = itemLines(name, exec).map((line) => `${indent}${line}${eol}`);
      if (item !== undefined) return splice(text, [item.start, item.end, block.join('')]);
      if (key === undefined) {
        const head = isBlank(text) ? `apiVersion: v1${eol}kind: Config${eol}` : '';
        return `${text}${missingEnding(text)}${head}users:${eol}${block.join('')}`;
      }
      const end = items.at(-1)?.end;
      if (end === undefined) return splice(text, [key.start, key.end, `users:${eol}${block.join('')}`]);
      return splice(text, [end, end, missingEnding(text.slice(0, end)) + block.join('')]);
    },
    restore: (former) => {
      if (item === undefined || key === undefined) throw new NotEditable('shape');
      if (former !== undefined) return splice(text, [item.start, item.end, reindented(former, indent)]);
      const removed = [item.start, item.end, ''] as const;
      return items.length === 1
        ? splice(text, [key.start, key.end, `users: []${eol}`], removed)
        : splice(text, removed);
    },
  };
}

/** The contexts of a kubeconfig; none where it is in a style that is not edited here. */
export function kubeContexts(
  text: string,
): readonly { readonly name?: unknown; readonly context?: { readonly user?: unknown } }[] {
  const contexts = ifEditable(() => usersOf(text))?.all['contexts'];
  return Array.isArray(contexts) ? contexts.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** Every scalar is read as a string: digests are made of the text as it stands. */
function usersOf(text: string): { readonly users: Users; readonly all: Values } {
  const other = new NotEditable('form');
  if (/\r(?!\n)|^\t|^\.\.\./m.test(text)) throw other;
  const none: Users = { key: undefined, indent: '', items: [] };
  try {
    const [document, another] = documentsIn(text, { schema: 'failsafe', keepSourceTokens: true });
    if (document === undefined) return { users: none, all: {} };
    const { contents, errors } = document;
    if (another !== undefined || errors.length > 0 || !isMap(contents) || contents.flow === true) throw other;
    if (columnOf(text, contents.range?.[0] ?? 0) > 0) throw other;
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'users');
    const users = pair === undefined ? none : listOf(text, pair);
    if (users === undefined) throw other;
    return { users, all: document.toJS() };
  } catch {
    throw other; // also for brackets, or aliases, by the thousand
  }
}

function listOf(text: string, { key, value }: Pair): Users | undefined {
  const [start = 0] = (isScalar(key) && key.range) || [];
  const line = { start, end: lineEnd(text, start) };
  if (!text.startsWith('users', start) || columnOf(text, start) > 0) return undefined;
  if (!isNode(value) || value.tag !== undefined || ('anchor' in value && value.anchor !== undefined)) return undefined;
  const [first = line.end] = value.range ?? [];
  if (isSeq(value) && value.flow !== true && first >= line.end) return itemsOf(text, line, value);
  const isNull = isScalar(value) && ['', 'null', '~'].includes(value.source ?? '?');
  const isEmpty = isNull || (isSeq(value) && value.items.length === 0);
  const isInLine = first < line.end || (isScalar(value) && value.source === '');
  return isEmpty && isInLine ? { key: line, indent: '', items: [] } : undefined;
}

function itemsOf(text: string, key: Lines, { items, srcToken }: YAMLSeq): Users | undefined {
  const tokens = srcToken?.type === 'block-seq' ? srcToken.items : [];
  const dashes = tokens.flatMap(({ start }) => start.filter(({ type }) => type === 'seq-item-ind'));
  const [first] = dashes;
  if (first === undefined || dashes.length !== items.length) return undefined;
  const lines = dashes.map(({ offset }, index) => ({
    start: lineStart(text, offset),
    end: lineEnd(text, Math.max(offset, lastOffset(items[index]) - 1)),
  }));
  return { key, indent: ' '.repeat(columnOf(text, first.offset)), items: lines };
}

function holdsAll(there: Values | undefined, exec: KubeExec): boolean {
  return Object.entries(exec).every(([name, value]) => {
    const wanted = Array.isArray(value) ? value : String(value);
    return JSON.stringify(there?.[name]) === JSON.stringify(wanted);
  });
}

/** Strings in double quotes, in which YAML takes JSON's escapes: no word of them is a number, a date or a truth. */
function itemLines(name: string, exec: KubeExec): readonly string[] {
  return [
    `- name: ${JSON.stringify(name)}`,
    '  user:',
    '    exec:',
    `      apiVersion: ${exec.apiVersion}`,
    `      command: ${JSON.stringify(exec.command)}`,
    '      args:',
    ...exec.args.map((word) => `      - ${JSON.stringify(word)}`),
    '      env: null',
    `      interactiveMode: ${exec.interactiveMode}`,
    `      provideClusterInfo: ${exec.provideClusterInfo}`,
  ];
}
