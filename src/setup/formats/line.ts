import { edited, lineEnd, lineEnding, missingEnding, notEdited, type Opened, splice } from './text.js';

/** Which line of a file: the one that begins with `prefix`; of it one of the items that `;` separates, if one is named. */
export interface LineKey {
  readonly prefix: string;
  readonly item?: string;
}

export function openLine(text: string, { prefix, item }: LineKey): Opened<string> {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const starts = [...text.slice(start).matchAll(/^/gm)]
    .map(({ index }) => start + index)
    .filter((at) => text.startsWith(prefix, at) && (at === start || text[at - 1] === '\n'));
  const [at, another] = starts;
  if (another !== undefined) return notEdited('duplicate');
  const line = at === undefined ? undefined : text.slice(at, lineEnd(text, at)).replace(/\r?\n$/, '');
  const items = (line ?? '')
    .slice(prefix.length)
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const replaced = (now: string) =>
    edited(splice(text, [{ start: at ?? 0, end: (at ?? 0) + (line ?? '').length, text: now }]));
  const raw = item === undefined ? line : items.find((one) => one === item);
  return {
    ok: true,
    raw,
    value: raw?.trim(),
    rest: text.split(/\r?\n/).filter((one) => one.replace(/^\ufeff/, '') !== line && one !== ''),
    put: (wanted) => {
      if (line !== undefined) return replaced(wanted);
      const eol = lineEnding(text);
      // A last line that ends in a backslash goes on in the next one: that is to be an empty line.
      const end = /\\(?:\r?\n)?$/.test(text) ? eol : '';
      return edited(`${text}${missingEnding(text)}${end}${wanted}${eol}`);
    },
    restore: (former) => {
      if (at === undefined || line === undefined) return notEdited('shape');
      if (item !== undefined && former !== undefined) return edited(text);
      const left = item === undefined ? [] : items.filter((one) => one !== item);
      const now = left.length === 0 ? former : `${prefix}${left.join('; ')}`;
      return now === undefined
        ? edited(splice(text, [{ start: at, end: lineEnd(text, at), text: '' }]))
        : replaced(now);
    },
  };
}
