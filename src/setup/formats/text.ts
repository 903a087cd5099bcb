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

export type NotEdited = { readonly ok: false; readonly problem: EditProblem };
export type Edited = { readonly ok: true; readonly text: string } | NotEdited;

/** A text of a known format, and what one entry is in it. */
export interface OpenedText<Holds> {
  readonly ok: true;
  /** The entry as it stands there; undefined when there is none. */
  readonly raw: string | undefined;
  /** What the entry means, whatever its layout. */
  readonly value: unknown;
  /** What all else means. */
  readonly rest: unknown;
  /** The text with the entry in it. */
  put(holds: Holds): Edited;
  /** The text with `former` in the entry's place; with undefined, without the entry. */
  restore(former: string | undefined): Edited;
}

export type Opened<Holds> = OpenedText<Holds> | NotEdited;

export function edited(text: string): Edited {
  return { ok: true, text };
}

export function notEdited(problem: EditProblem): NotEdited {
  return { ok: false, problem };
}

/** What lies from `start` to `end` (offsets in UTF-16 units) becomes `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices that do not overlap, in any order. */
export function splice(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const one of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, one.start) + one.text;
    at = one.end;
  }
  return result + text.slice(at);
}

/** The line ending that a text uses, by its first one. */
export function lineEnding(text: string): '\r\n' | '\n' {
  return /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
}

/** The ending of a last line that has none. */
export function missingEnding(text: string): string {
  return text === '' || text === '\ufeff' || text.endsWith('\n') ? '' : lineEnding(text);
}

/** Offset of the first character of the line that `at` is in; after a byte order mark in the first line. */
export function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return start === 0 && text.startsWith('\ufeff') ? 1 : start;
}

/** Offset behind the ending of the line that `at` is in. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

/** For parsers that take no byte order mark: all offsets stay as they are. */
export function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, ' ');
}
