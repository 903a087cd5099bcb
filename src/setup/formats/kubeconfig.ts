import { isMap, isNode, isPair, isScalar, isSeq, type Pair, parseAllDocuments, type YAMLSeq } from 'yaml';
import {
  edited,
  lineEnd,
  lineEnding,
  lineStart,
  missingEnding,
  notEdited,
  type Opened,
  splice,
  withoutMark,
} from './text.js';

/** A user of a kubeconfig that gets its credentials from a program. */
export interface KubeExec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly interactiveMode: string;
  readonly provideClusterInfo: boolean;
}

/** The lines of a user. */
interface Item {
  readonly start: number;
  readonly end: number;
}

type Values = Readonly<Record<string, unknown>>;

/** The list `users` as kubectl writes it: in block style, at the top level. */
interface Users {
  /** The line of `users:`. */
  readonly key: { readonly start: number; readonly end: number } | undefined;
  /** Before the dash of its items. */
  readonly indent: string;
  readonly items: readonly Item[];
}

/** The user of that name. Another style than kubectl's (flow, several documents) is not edited here. */
export function openKubeUser(text: string, name: string): Opened<KubeExec> {
  const found = usersOf(text);
  if (found === undefined) return notEdited('form');
  const { all, users } = found;
  const { key, items, indent } = users;
  const list = Array.isArray(all['users']) ? all['users'] : [];
  const at = list.findIndex((user) => user?.name === name);
  if (at !== list.findLastIndex((user) => user?.name === name)) return notEdited('duplicate');
  const item = items[at];
  const there: Values | undefined = list[at]?.user?.exec;
  const eol = lineEnding(text);
  return {
    ok: true,
    raw: item && text.slice(item.start, item.end),
    value: there,
    rest: { ...all, users: list.filter((_, index) => index !== at) },
    put: (exec) => {
      if (holdsAll(there, exec)) return edited(text);
      const block = itemLines(name, exec)
        .map((line) => `${indent}${line}${eol}`)
        .join('');
      if (item !== undefined) return edited(splice(text, [{ ...item, text: block }]));
      if (key === undefined) {
        const head = withoutMark(text).trim() === '' ? `apiVersion: v1${eol}kind: Config${eol}` : '';
        return edited(`${text}${missingEnding(text)}${head}users:${eol}${block}`);
      }
      if (items.length === 0) return edited(splice(text, [{ ...key, text: `users:${eol}${block}` }]));
      const end = items.at(-1)?.end ?? 0;
      return edited(splice(text, [{ start: end, end, text: missingEnding(text.slice(0, end)) + block }]));
    },
    restore: (former) => {
      if (item === undefined || key === undefined) return notEdited('shape');
      const block = former === undefined ? '' : reindented(former, indent);
      const isLast = former === undefined && items.length === 1;
      const empty = isLast ? [{ ...key, text: `users: []${eol}` }] : [];
      return edited(splice(text, [...empty, { ...item, text: block }]));
    },
  };
}

/** The contexts of a kubeconfig; none where it is in a style that is not edited here. */
export function kubeContexts(
  text: string,
): readonly { readonly name?: unknown; readonly context?: { readonly user?: unknown } }[] {
  const contexts = usersOf(text)?.all['contexts'];
  return Array.isArray(contexts) ? contexts.filter((one) => typeof one === 'object' && one !== null) : [];
}

/**
 * Every scalar is read as the string that it is written as: what an entry means is compared with what earlier releases
 * have kept of it.
 */
function usersOf(text: string): { readonly users: Users; readonly all: Values } | undefined {
  if (/\r(?!\n)|^\t|^\.\.\./m.test(text)) return undefined;
  const none = { key: undefined, indent: '', items: [] };
  try {
    const documents = parseAllDocuments(text, {
      schema: 'failsafe',
      keepSourceTokens: true,
      logLevel: 'silent',
    });
    const [document, another] = documents;
    if (document === undefined) return { users: none, all: {} };
    const { contents, errors } = document;
    if (another !== undefined || errors.length > 0 || !isMap(contents) || contents.flow === true) return undefined;
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === 'users');
    const users = pair === undefined ? none : listOf(text, pair);
    const isIndented = columnOf(text, contents.range?.[0] ?? 0) > 0;
    return users === undefined || isIndented ? undefined : { users, all: document.toJS() };
  } catch {
    return undefined; // brackets, or aliases, by the thousand
  }
}

function listOf(text: string, { key, value }: Pair): Users | undefined {
  const [start = 0] = (isScalar(key) && key.range) || [];
  const line = { start, end: lineEnd(text, start) };
  if (!text.startsWith('users', start) || columnOf(text, start) > 0) return undefined;
  const [first = line.end] = (isNode(value) && value.range) || [];
  const isBare = isNode(value) && value.tag === undefined && !('anchor' in value && value.anchor !== undefined);
  if (isSeq(value) && value.flow !== true && isBare && first >= line.end) return itemsOf(text, line, value);
  const isNull = isScalar(value) && ['', 'null', '~'].includes(value.source ?? '?');
  const isEmpty = isNull || (isSeq(value) && value.items.length === 0);
  const isInLine = first < line.end || (isScalar(value) && value.source === '');
  return isEmpty && isBare && isInLine ? { key: line, indent: '', items: [] } : undefined;
}

function itemsOf(text: string, key: NonNullable<Users['key']>, { items, srcToken }: YAMLSeq): Users | undefined {
  const tokens = srcToken?.type === 'block-seq' ? srcToken.items : [];
  const dashes = tokens.flatMap(({ start }) => start.filter(({ type }) => type === 'seq-item-ind'));
  const [first] = dashes;
  if (first === undefined || dashes.length !== items.length) return undefined;
  return {
    key,
    indent: ' '.repeat(columnOf(text, first.offset)),
    items: items.map((item, index) => {
      const { offset = 0 } = dashes[index] ?? {};
      const end = lineEnd(text, Math.max(offset, lastOffset(item) - 1));
      return {
        start: lineStart(text, offset),
        end,
      };
    }),
  };
}

/** Behind the last value in a node; comments behind it are not part of it. */
function lastOffset(node: unknown): number {
  const last = isSeq(node) || isMap(node) ? node.items.at(-1) : undefined;
  const isOpen = last !== undefined && !('flow' in (node as object) && (node as YAMLSeq).flow === true);
  if (isOpen && isPair(last)) return Math.max(lastOffset(last.key), lastOffset(last.value));
  if (isOpen) return lastOffset(last);
  return (isNode(node) && node.range?.[1]) || 0;
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** An item in the indentation that the list has now. */
function reindented(item: string, indent: string): string {
  const own = /^ */.exec(item)?.[0] ?? '';
  return item.replace(/^ *(?=\S)/gm, (spaces) => `${indent}${spaces.slice(own.length)}`);
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
