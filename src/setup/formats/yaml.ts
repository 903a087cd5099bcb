import { isMap, isScalar, type ParseOptions, parseAllDocuments, type SchemaOptions, stringify, visit } from 'yaml';
import {
  ifEditable,
  lineEnd,
  lineEnding,
  lineStart,
  membersOf,
  missingEnding,
  NotEditable,
  type OpenedText,
  type Splice,
  splice,
  valueAt,
  valueWithout,
} from './text.js';

/** A name of a map in block style, and the lines that it has for itself. */
interface Block {
  readonly name: string;
  readonly indent: string;
  readonly start: number;
  end: number;
  /** What stands in its first line behind the name. */
  readonly inline: string;
}

/** What a text means: one document with a map in block style at the margin, or nothing yet. @throws NotEditable */
export function readYaml(text: string): object {
  const other = new NotEditable('form');
  if (/\r(?!\n)|^\t|^\.\.\./m.test(text)) throw other;
  try {
    const [document, another] = documentsIn(text);
    if (document === undefined || document.contents === null) return {};
    const { contents, errors } = document;
    if (another !== undefined || errors.length > 0) throw new NotEditable('unreadable');
    if (!isMap(contents) || contents.flow === true) throw other;
    return document.toJS();
  } catch (error) {
    throw error instanceof NotEditable ? error : other; // also for brackets, or aliases, by the thousand
  }
}

/**
 * The entry of a list of entries, by names: `[list, entry]`. Edited in block style alone, as programs write it that lay
 * their file out anew; entries of another style are left as they are.
 * @throws NotEditable
 */
export function openYaml(text: string, path: readonly string[]): OpenedText<string> {
  const [listName = '', name = ''] = path;
  const all = readYaml(text);
  const value = valueAt(all, path);
  const list = blocksIn(text, lineStart(text, 0), text.length).find((one) => one.name === listName);
  const entries = list === undefined ? [] : blocksIn(text, lineEnd(text, list.start), list.end);
  const entry = entries.find((one) => one.name === name);
  const raw = entry && text.slice(entry.start, entry.end);
  const alone = raw && ifEditable(() => valueAt(readYaml(`${listName}:\n${raw}`), path));
  const isOpen = [list, entry].every((one) => /^(?:\{\}|null|~)?(?:\s*#.*)?$/.test(one?.inline ?? ''));
  if (!isOpen || JSON.stringify(alone) !== JSON.stringify(value)) throw new NotEditable('form');
  const eol = lineEnding(text);
  const lines = (members: object, indent: string) => {
    const made = stringify(members, { indentSeq: false, lineWidth: 0, compat: 'yaml-1.1' });
    return made.replace(/^(?=.)/gm, indent).replaceAll('\n', eol);
  };
  return {
    raw,
    value,
    rest: valueWithout(all, path),
    put: ({ members, without }) => {
      if (entry !== undefined) {
        const own = blocksIn(text, lineEnd(text, entry.start), entry.end);
        const now = membersOf(value);
        const indent = own[0]?.indent ?? `${entry.indent}  `;
        const changes = own.flatMap(({ name: member, start, end }): readonly Splice[] => {
          const wanted = members[member];
          if (JSON.stringify(now[member]) === JSON.stringify(wanted)) return [];
          if (wanted !== undefined) return [[start, end, lines({ [member]: wanted }, indent)]];
          return without.includes(member) ? [[start, end, '']] : [];
        });
        const added = Object.entries(members).filter(([member]) => !(member in now));
        const more = added.length === 0 ? '' : lines(Object.fromEntries(added), indent);
        if (own.length === 0) return splice(text, [entry.start, entry.end, lines({ [name]: members }, entry.indent)]);
        return splice(text, ...changes, behind(text, entry.end, more));
      }
      const last = entries.at(-1);
      const block = lines({ [name]: members }, last?.indent ?? '  ');
      if (last !== undefined) return splice(text, behind(text, last.end, block));
      const whole = `${listName}:${eol}${block}`;
      return splice(text, list === undefined ? behind(text, text.length, whole) : [list.start, list.end, whole]);
    },
    restore: (former) => {
      if (entry === undefined || list === undefined) throw new NotEditable('shape');
      if (former?.raw !== undefined) {
        return splice(text, [entry.start, entry.end, reindented(former.raw, entry.indent)]);
      }
      const removed = [entry.start, entry.end, ''] as const;
      if (entries.length > 1) return splice(text, removed);
      const head = [list.start, lineEnd(text, list.start), `${listName}: {}${eol}`] as const;
      return splice(text, head, removed);
    },
  };
}

function behind(text: string, at: number, lines: string): Splice {
  return [at, at, lines === '' ? '' : missingEnding(text.slice(0, at)) + lines];
}

/** The names of a map in block style; comments and blank lines behind the last value of one are not part of it. */
function blocksIn(text: string, from: number, to: number): readonly Block[] {
  const blocks: Block[] = [];
  let outer: string | undefined;
  for (let start = from; start < to; start = lineEnd(text, start)) {
    const end = lineEnd(text, start);
    const [, indent = '', first = ''] = /^( *)([^\s#]?)/.exec(text.slice(start, end)) ?? [];
    if (first === '') continue;
    outer ??= indent;
    const [, key, inline = ''] = /^ *(\S.*?) *:(?:[ \t]+(.*?))?\s*$/.exec(text.slice(start, end)) ?? [];
    const last = blocks.at(-1);
    // The items of a list may stand below its name without an indentation.
    if (indent === outer && key !== undefined && first !== '-') {
      blocks.push({ name: key.replace(/^(["'])(.*)\1$/, '$2'), indent, start, end, inline });
    } else if (last !== undefined) last.end = end;
  }
  return blocks;
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

/** A block in the indentation that it has to have now. */
function reindented(block: string, indent: string): string {
  const own = /^ */.exec(block)?.[0] ?? '';
  return block.replace(/^ *(?=\S)/gm, (spaces) => `${indent}${spaces.slice(own.length)}`);
}
