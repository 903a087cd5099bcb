import { applyEdits } from 'jsonc-parser';

/** Why the file of another program is left as it is, for a person to edit. */
export type EditProblem =
  /** It is not of its format. */
  | 'unreadable'
  /** A name occurs twice where one of them would be changed. */
  | 'duplicate'
  /** Something else than expected stands where the entry belongs. */
  | 'shape'
  /** The entry is there in a form that is not edited here: inline, dotted, flow style, spread over the file. */
  | 'form';

/** Thrown by all formats; nothing of the text is in it. */
export class NotEditable extends Error {
  readonly problem: EditProblem;

  constructor(problem: EditProblem) {
    super(problem);
    this.problem = problem;
  }
}

/** What `edited` returns; undefined where a text is not editable. */
export function ifEditable<T>(edited: () => T): T | undefined {
  try {
    return edited();
  } catch (error) {
    if (error instanceof NotEditable) return undefined;
    throw error;
  }
}

export type PlainJson = string | boolean | number | readonly PlainJson[] | { readonly [name: string]: PlainJson };

export type Members = Readonly<Record<string, PlainJson>>;

/** The members of an object; of anything else, none. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** What lies at that path of objects. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((outer, name) => {
    const members = membersOf(outer);
    return Object.hasOwn(members, name) ? members[name] : undefined;
  }, value);
}

/** A value without what is at `path`, and without the objects that are empty then. */
export function valueWithout(value: unknown, [name = '', ...inner]: readonly string[]): unknown {
  const { [name]: member, ...others } = membersOf(value);
  if (member === undefined) return value;
  const left = inner.length === 0 ? {} : valueWithout(member, inner);
  const isEmpty = left === null || (typeof left === 'object' && Object.keys(left).length === 0);
  return isEmpty ? others : { ...others, [name]: left };
}

/** What an entry is to hold; members that are not named stay as they are. */
export interface EntryMembers {
  readonly members: Members;
  /** Members that are removed. `a/b` is the member `b`, in any letter case, of the member `a`. */
  readonly without: readonly string[];
}

/** Arguments of the commands by which a program changes its own file, in order. */
export type Commands = (file: string) => readonly (readonly string[])[];

/** One entry of a configuration file. */
export interface OpenedText<Edited = string | Commands> {
  /** The entry as the file has it, or as its program reads it; undefined when there is none. */
  readonly raw: string | undefined;
  /** What the entry means, whatever its layout. */
  readonly value: unknown;
  /** What all else means. */
  readonly rest: unknown;
  /**
   * The text with this entry in place of what is there, or the commands that put it there; undefined: without any. `raw`
   * is what the file had once.
   * @throws NotEditable
   */
  set(entry: { readonly raw?: string | undefined; readonly value: unknown } | undefined): Edited;
}

/** `text` takes the place of what lies from `start` to `end` (offsets in UTF-16 units). */
export type Splice = readonly [start: number, end: number, text: string];

/** Applies splices that do not overlap, in any order. */
export function splice(text: string, ...splices: readonly Splice[]): string {
  const edits = splices.map(([offset, end, content]) => ({ offset, length: end - offset, content }));
  return applyEdits(text, edits);
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

export function isBlank(text: string): boolean {
  return withoutMark(text).trim() === '';
}
