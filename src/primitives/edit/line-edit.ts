import { type Edited, edited, type FoundEntry, notEdited } from './edited.js';
import { lineEnding, splice } from './text-form.js';

interface Line {
  readonly start: number;
  /** Behind its line ending. */
  readonly end: number;
  readonly text: string;
}

/** The one line that begins with `prefix`, its line ending left out. */
export function findLine(text: string, prefix: string): FoundEntry {
  const [line, ...others] = linesWith(text, prefix);
  return others.length > 0 ? notEdited('duplicate') : { ok: true, raw: line?.text };
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

export function restoreLine(text: string, prefix: string, former: string | undefined): Edited {
  const [line, ...others] = linesWith(text, prefix);
  if (line === undefined || others.length > 0) return notEdited('shape');
  const change =
    former === undefined
      ? { start: line.start, end: line.end, text: '' }
      : { start: line.start, end: line.start + line.text.length, text: former };
  return edited(splice(text, [change]));
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
