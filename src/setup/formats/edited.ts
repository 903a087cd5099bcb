/** Why a file of another program is left as it is; a person mends it by hand. */
export type EditProblem =
  /** It is not of its format. */
  | 'unreadable'
  /** A name occurs twice where one of them would be changed. */
  | 'duplicate'
  /** Something else than expected stands where the entry belongs. */
  | 'shape'
  /** The entry is there in a form that is not edited here: inline, dotted, flow style, spread over the file. */
  | 'form';

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: EditProblem };

/** The entry as it stands in the file, undefined when there is none. */
export type FoundEntry =
  | { readonly ok: true; readonly raw: string | undefined }
  | { readonly ok: false; readonly problem: EditProblem };

/** What the entry means, whatever its layout; undefined when there is none. */
export type FoundValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: EditProblem };

export function edited(text: string): Edited {
  return { ok: true, text };
}

export function notEdited(problem: EditProblem): { readonly ok: false; readonly problem: EditProblem } {
  return { ok: false, problem };
}

/** A replacement in a text: what lies from `start` to `end` (offsets in UTF-16 units) becomes `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The line ending that a text uses, by its first one. */
export function lineEnding(text: string): '\r\n' | '\n' {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** Offset of the first character of the line that `at` is in; after a byte order mark in the first line. */
export function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return start === 0 && text.startsWith('\ufeff') ? 1 : start;
}

/** The white space that the line of `at` begins with. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** Is there nothing but white space before `at` in its line? */
export function beginsLine(text: string, at: number): boolean {
  return /^[ \t]*$/.test(text.slice(lineStart(text, at), at));
}

/** What one level of a JSON text is indented by: as its first indented name is. */
export function indentUnit(text: string): string {
  return /[{,][ \t]*\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

/** Applies splices that do not overlap, in any order. */
export function splice(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const one of ordered) {
    result += text.slice(at, one.start) + one.text;
    at = one.end;
  }
  return result + text.slice(at);
}

/** Lines put at the end of a text, after an empty line where there is a text, each with the text's own ending. */
export function appendLines(text: string, lines: readonly string[]): string {
  const eol = lineEnding(text);
  const body = text.replace(/^\ufeff/, '');
  const gap = body === '' ? '' : body.endsWith('\n') ? eol : `${eol}${eol}`;
  return `${text}${gap}${lines.join(eol)}${eol}`;
}
