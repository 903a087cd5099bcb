import {
  isMap,
  isNode,
  isScalar,
  type Pair,
  type ParseOptions,
  parseAllDocuments,
  type SchemaOptions,
  stringify,
  visit,
} from 'yaml';
import {
  lineEnd,
  lineEnding,
  lineStart,
  missingEnding,
  NotEditable,
  type OpenedText,
  splice,
  valueAt,
  valueWithout,
} from './text.js';

/** What a text means: one document with a map in block style at the margin, or nothing yet. @throws NotEditable */
export function readYaml(text: string): object {
  return documentOf(text)?.toJS() ?? {};
}

function documentOf(text: string) {
  const other = new NotEditable('form');
  if (/\r(?!\n)|^\t|^\.\.\./m.test(text)) throw other;
  try {
    const [document, another] = documentsIn(text);
    if (document === undefined || document.contents === null) return undefined;
    const { contents, errors } = document;
    if (another !== undefined || errors.length > 0) throw new NotEditable('unreadable');
    if (!isMap(contents) || contents.flow === true) throw other;
    document.toJS();
    return document;
  } catch (error) {
    throw error instanceof NotEditable ? error : other; // also for brackets, or aliases, by the thousand
  }
}

/**
 * The entry of a list of entries, by names: `[list, entry]`. Only lists in block style are edited, as programs
 * write them that reformat their file.
 * @throws NotEditable
 */
export function openYaml(text: string, path: readonly string[]): OpenedText<string> {
  const [listName = '', name = ''] = path;
  const document = documentOf(text);
  const whole = document?.toJS() ?? {};
  const value = valueAt(whole, path);
  const list = pairNamed(document?.contents, listName);
  const isEmpty = list !== undefined && /^(?:\{\s*\}|null|~)?$/.test(sourceOf(text, list));
  const entries = isMap<unknown, unknown>(list?.value) && !isEmpty ? list.value : undefined;
  const isBlock = entries === undefined ? list === undefined || isEmpty : entries.flow !== true;
  const entry = pairNamed(entries, name);
  if (!isBlock || (entry === undefined) !== (value === undefined)) throw new NotEditable('form');
  const [start, end] = entry === undefined ? [0, 0] : linesOf(text, entry);
  const eol = lineEnding(text);
  return {
    raw: entry && text.slice(start, end),
    value,
    rest: valueWithout(whole, path),
    set: (wanted) => {
      const colon = list === undefined ? 0 : text.indexOf(':', rangeOf(list.key)[1]) + 1;
      if (wanted === undefined) {
        if (entry === undefined) return text;
        return splice(text, [colon, colon, entries?.items.length === 1 ? ' {}' : ''], [start, end, '']);
      }
      const [first] = entries?.items ?? [];
      const indent = first === undefined ? '  ' : (/^ */.exec(text.slice(linesOf(text, first)[0]))?.[0] ?? '');
      const block = stringify({ [name]: wanted.value }, { indentSeq: false, lineWidth: 0, compat: 'yaml-1.1' })
        .replace(/^(?=.)/gm, indent)
        .replaceAll('\n', eol);
      if (entry !== undefined) return splice(text, [start, end, block]);
      const last = entries?.items.at(-1) ?? list;
      const at = last === undefined ? text.length : linesOf(text, last)[1];
      const lines = missingEnding(text.slice(0, at)) + (list === undefined ? `${listName}:${eol}` : '') + block;
      const value = isEmpty ? sourceOf(text, list) : '';
      const there = text.indexOf(value, colon);
      return splice(text, value === '' ? [at, at, ''] : [colon, there + value.length, ''], [at, at, lines]);
    },
  };
}

function pairNamed(map: unknown, name: string): Pair | undefined {
  return isMap(map) ? map.items.find(({ key }) => isScalar(key) && String(key.value) === name) : undefined;
}

function rangeOf(node: unknown): readonly [start: number, end: number, nodeEnd: number] {
  const range = isNode(node) ? node.range : undefined;
  if (!range) throw new NotEditable('form');
  return range;
}

function sourceOf(text: string, { value }: Pair): string {
  const [start, end] = rangeOf(value);
  return text.slice(start, end);
}

/** The lines of a member of a map in block style; comments and blank lines behind its value are not part of it. */
function linesOf(text: string, { key, value }: Pair): readonly [start: number, end: number] {
  const [, end] = rangeOf(value);
  return [lineStart(text, rangeOf(key)[0]), text[end - 1] === '\n' ? end : lineEnd(text, end)];
}

/**
 * The documents of a text. To find a name that is twice in a map, the library compares each with all others.
 * @throws NotEditable
 */
export function documentsIn(text: string, options: ParseOptions & SchemaOptions = {}) {
  const documents = [...parseAllDocuments(text, { ...options, logLevel: 'silent', uniqueKeys: false })];
  for (const document of documents) {
    visit(document, {
      Map: (_, { items }) => {
        const names = items.flatMap(({ key }) => (isScalar(key) ? [key.value] : []));
        if (new Set(names).size < names.length) throw new NotEditable('unreadable');
      },
    });
  }
  return documents;
}
