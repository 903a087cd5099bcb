import { type Edited, edited, type FoundEntry, lineEnding, notEdited, splice } from './edited.js';

interface Line {
  readonly start: number;
  /** Behind its line ending. */
  readonly end: number;
  readonly text: string;
}

/** The one line that begins with `prefix`, its line ending left out; or that item of it. */
export function findLine(text: string, prefix: string, item?: string): FoundEntry {
  const [line, ...others] = linesWith(text, prefix);
  if (others.length > 0) return notEdited('duplicate');
  if (item === undefined || line === undefined) return { ok: true, raw: line?.text };
  return { ok: true, raw: itemsOf(line, prefix).find((one) => one === item) };
}

/** Puts a line there, in the place of the one that begins with `prefix`, or at the end. */
export function putLine(text: string, prefix: string, wanted: string): Edited {
  const [line, ...others] = linesWith(text, prefix);
  if (others.length > 0) return notEdited('duplicate');
  const eol = lineEnding(text);
  if (line !== undefined) {
    return edited(splice(text, [{ start: line.start, end: line.start + line.text.length, text: wanted }]));
  }
  const gap = text === '' || text === '\ufeff' || text.endsWith('\n') ? '' : eol;
  // A last line that ends in a backslash goes on in the next one: that is to be an empty line.
  const end = /\\(?:\r?\n)?$/.test(text) ? eol : '';
  return edited(`${text}${gap}${end}${wanted}${eol}`);
}

/** Puts back what stood there; of an item that was added, all other items stay. */
export function restoreLine(
  text: string,
  { prefix, item }: { readonly prefix: string; readonly item?: string },
  before: string | undefined,
): Edited {
  const [line, ...others] = linesWith(text, prefix);
  if (line === undefined || others.length > 0) return notEdited('shape');
  if (item !== undefined && before !== undefined) return edited(text);
  const left = item === undefined ? [] : itemsOf(line, prefix).filter((one) => one !== item);
  const former = left.length === 0 ? before : `${prefix}${left.join('; ')}`;
  const change =
    former === undefined
      ? { start: line.start, end: line.end, text: '' }
      : { start: line.start, end: line.start + line.text.length, text: former };
  return edited(splice(text, [change]));
}

function itemsOf(line: Line, prefix: string): readonly string[] {
  return line.text
    .slice(prefix.length)
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function linesWith(text: string, prefix: string): readonly Line[] {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  return [...text.slice(start).matchAll(/[^\n]*(?:\n|$)/g)]
    .filter(([line]) => line.startsWith(prefix))
    .map((match) => {
      const at = start + match.index;
      return { start: at, end: at + match[0].length, text: match[0].replace(/\r?\n$/, '') };
    });
}
