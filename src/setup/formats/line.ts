import { lineEnd, lineEnding, missingEnding, NotEditable, type OpenedText, splice } from './text.js';

/** The line that begins with `prefix`, and does not go on in the next one; with `item`, that one of the items that `;` separates in it. */
export interface LineKey {
  readonly prefix: string;
  readonly item?: string;
  /** What the program calls the entry, where such a line is a named one. */
  readonly name?: string;
}

export function openLine(text: string, { prefix, item }: LineKey): OpenedText<string> {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const starts = [...text.slice(start).matchAll(/^/gm)]
    .map(({ index }) => start + index)
    .filter((at) => text.startsWith(prefix, at) && (at === start || text[at - 1] === '\n'));
  const [at, another] = starts;
  if (another !== undefined) throw new NotEditable('duplicate');
  const line = at === undefined ? undefined : text.slice(at, lineEnd(text, at)).replace(/\r?\n$/, '');
  if (line?.endsWith('\\') === true) throw new NotEditable('form'); // it goes on in the next line
  const items = itemsOf((line ?? '').slice(prefix.length));
  const raw = item === undefined ? line : items.find((one) => one === item);
  return {
    raw,
    value: raw?.trim(),
    rest: text.split(/\r?\n/).filter((one) => one.replace(/^\ufeff/, '') !== line && one !== ''),
    put: (wanted) => {
      if (at !== undefined && line !== undefined) return splice(text, [at, at + line.length, wanted]);
      const eol = lineEnding(text);
      // A last line that ends in a backslash goes on in the next one, which therefore is to be empty.
      const end = /\\(?:\r?\n)?$/.test(text) ? eol : '';
      return `${text}${missingEnding(text)}${end}${wanted}${eol}`;
    },
    restore: (former) => {
      if (at === undefined || line === undefined) throw new NotEditable('shape');
      if (item !== undefined && former !== undefined) return text;
      const left = item === undefined ? [] : items.filter((one) => one !== item);
      const now = left.length === 0 ? former : `${prefix}${left.join('; ')}`;
      return now === undefined ? splice(text, [at, lineEnd(text, at), '']) : splice(text, [at, at + line.length, now]);
    },
  };
}

/** What `;` separates, in its order. */
export function itemsOf(text: string): readonly string[] {
  return text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
