import { type Edited, edited, type FoundEntry, lineEnding, notEdited, splice } from './edited.js';

/** A user of a kubeconfig that gets its credentials from a program. */
export interface KubeExec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly interactiveMode: string;
  readonly provideClusterInfo: boolean;
}

interface Users {
  /** `users:` with what stands behind it in its line. */
  readonly key: { readonly start: number; readonly end: number; readonly rest: string } | undefined;
  /** Indentation of its items. */
  readonly indent: string;
  readonly items: readonly {
    readonly name: string | undefined;
    readonly start: number;
    readonly end: number;
  }[];
  /** Behind the last item, or behind `users:`. */
  readonly end: number;
}

/** The text of the item of `users` with that name. */
export function findKubeUser(text: string, name: string): FoundEntry {
  const users = usersOf(text);
  if (users === undefined) return notEdited('form');
  const [item, ...others] = users.items.filter((one) => one.name === name);
  if (others.length > 0) return notEdited('duplicate');
  return { ok: true, raw: item && text.slice(item.start, item.end) };
}

/** Puts a user there, in the place of the one of the same name. */
export function putKubeUser(text: string, name: string, exec: KubeExec): Edited {
  const users = usersOf(text);
  if (users === undefined) return notEdited('form');
  const eol = lineEnding(text);
  const found = findKubeUser(text, name);
  if (!found.ok) return found;
  const item = users.items.find((one) => one.name === name);
  const there = found.raw === undefined ? undefined : kubeExec(found.raw);
  if (there !== undefined && isSameExec(there, exec)) return edited(text);
  const block = itemLines(name, exec)
    .map((line) => `${users.indent}${line}${eol}`)
    .join('');
  if (item !== undefined) {
    return edited(splice(text, [{ start: item.start, end: item.end, text: block }]));
  }
  if (users.key === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    const head = text.replace('\ufeff', '').trim() === '' ? `apiVersion: v1${eol}kind: Config${eol}` : '';
    return edited(`${text}${gap}${head}users:${eol}${block}`);
  }
  const { key } = users;
  if (users.items.length === 0 && key.rest !== '') {
    return edited(splice(text, [{ start: key.start, end: key.end, text: `users:${eol}${block}` }]));
  }
  const gap = text.slice(0, users.end).endsWith('\n') ? '' : eol;
  return edited(splice(text, [{ start: users.end, end: users.end, text: `${gap}${block}` }]));
}

export function restoreKubeUser(text: string, name: string, former: string | undefined): Edited {
  const users = usersOf(text);
  const item = users?.items.find((one) => one.name === name);
  if (users === undefined || item === undefined) return notEdited('shape');
  const isAll = users.items.length === 1 && former === undefined && users.key !== undefined;
  if (isAll && users.key !== undefined) {
    const left = `users: []${lineEnding(text)}`;
    return edited(
      splice(text, [
        { start: users.key.start, end: users.key.end, text: left },
        { ...item, text: '' },
      ]),
    );
  }
  const block = former === undefined ? '' : reindented(former, users.indent);
  return edited(splice(text, [{ start: item.start, end: item.end, text: block }]));
}

/** An item in the indentation that the list has now. */
function reindented(item: string, indent: string): string {
  const own = /^ */.exec(item)?.[0] ?? '';
  return item.replace(/^ *(?=\S)/gm, (spaces) => `${indent}${spaces.slice(own.length)}`);
}

/**
 * The list `users` as kubectl writes it: block style at the top level. Undefined where the text is in another style
 * (flow, several documents), which is not edited here.
 */
function usersOf(text: string): Users | undefined {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (/\r(?!\n)/.test(text)) return undefined;
  if (/^\s*[[{]/.test(text.slice(start)) || /^(?:---|\.\.\.)/m.test(text.slice(start).trim().slice(3)))
    return undefined;
  const lines = [...text.slice(start).matchAll(/[^\n]*(?:\n|$)/g)]
    .filter(([line]) => line !== '')
    .map((match) => ({
      text: match[0].replace(/\r?\n$/, ''),
      start: start + match.index,
      end: start + match.index + match[0].length,
    }));
  const first = lines.find((line) => !/^[ \t]*(?:#.*)?$/.test(line.text));
  if (first !== undefined && /^(?:[ \t]|- )/.test(first.text)) return undefined; // what stands behind would break it
  const [at = -1, second] = lines.flatMap((line, index) => (/^users[ \t]*:/.test(line.text) ? index : []));
  if (second !== undefined || lines.some((line) => /^["']users["'][ \t]*:|^\t/.test(line.text)))
    return undefined;
  const head = lines[at];
  if (head === undefined) return { key: undefined, indent: '', items: [], end: text.length };
  const rest = head.text
    .replace(/^users[ \t]*:/, '')
    .replace(/(?:^|[ \t])#.*$/, '')
    .trim();
  if (rest !== '' && rest !== '[]' && rest !== 'null' && rest !== '~') return undefined;
  const key = { start: head.start, end: head.end, rest };
  const items: { name: string | undefined; start: number; end: number }[] = [];
  let indent: string | undefined;
  let end = head.end;
  for (const line of lines.slice(at + 1)) {
    if (/^[ \t]*(?:#.*)?$/.test(line.text)) continue;
    const dash = /^( *)-(?: |$)/.exec(line.text);
    const depth = /^ */.exec(line.text)?.[0].length ?? 0;
    if (dash !== null && (indent === undefined || dash[1] === indent)) {
      indent = dash[1] ?? '';
      items.push({ name: undefined, start: line.start, end: line.end });
    } else if (indent === undefined && (depth > 0 || /^[[{\t]/.test(line.text))) {
      return undefined; // the value, in another style
    } else if (indent === undefined || depth <= indent.length) {
      break;
    }
    const item = items.at(-1);
    if (item === undefined) return undefined;
    const name = new RegExp(`^ {${(indent ?? '').length}}(?:- | {2})name[ ]*:(.*)$`).exec(line.text)?.[1];
    items[items.length - 1] = { ...item, end: line.end, name: name === undefined ? item.name : scalar(name) };
    end = line.end;
  }
  return { key, indent: indent ?? '', items, end };
}

/**
 * The `exec` of a user's item, in whatever order and indentation kubectl, or a person, has laid it out. Undefined where
 * there is none, or something else than lists and names with plain values in it.
 */
export function kubeExec(raw: string): Readonly<Record<string, unknown>> | undefined {
  const lines = raw.split(/\r?\n/).filter((line) => !/^[ \t]*(?:#.*)?$/.test(line));
  const at = lines.findIndex((line) => /^[ -]*exec[ ]*:[ ]*(?:#.*)?$/.test(line));
  const depthOf = (line: string) => /^[ ]*/.exec(line)?.[0].length ?? 0;
  const outer = depthOf((lines[at] ?? '').replace(/-/g, ' '));
  const values: Record<string, unknown> = {};
  let list: string[] | undefined;
  for (const line of at === -1 ? [] : lines.slice(at + 1)) {
    if (depthOf(line) <= outer) break;
    const item = /^ *- (.*)$/.exec(line)?.[1];
    const [, name, value = ''] = /^ *([A-Za-z]+)[ ]*:(?:[ ]+(.*))?$/.exec(line) ?? [];
    if (item !== undefined && list !== undefined) list.push(scalar(item));
    else if (item !== undefined || name === undefined || name in values) return undefined;
    else {
      const isList = value.replace(/^#.*$/, '').trim() === '';
      list = isList ? [] : undefined;
      values[name] = list ?? scalar(value);
    }
  }
  return at === -1 ? undefined : values;
}

function isSameExec(there: Readonly<Record<string, unknown>>, exec: KubeExec): boolean {
  const wanted = Object.entries(exec).map(([name, value]) => [
    name,
    Array.isArray(value) ? value : String(value),
  ]);
  return wanted.every(([name, value]) => JSON.stringify(there[String(name)]) === JSON.stringify(value));
}

function scalar(text: string): string {
  const bare = text.replace(/[ \t]#.*$/, '').trim();
  if (/^".*"$/.test(bare)) {
    try {
      return String(JSON.parse(bare));
    } catch {
      return bare;
    }
  }
  return /^'.*'$/.test(bare) ? bare.slice(1, -1).replaceAll("''", "'") : bare;
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
