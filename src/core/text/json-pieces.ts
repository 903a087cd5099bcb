import { jsonText } from './json-number.js';
import { asciiOnly, piecesOf } from './printable.js';

/** Maximum made at once, in characters; each value counts as so many more. */
const pieceLength = 16_384;
const costOfValue = 8;

type Members = Record<string | number, unknown>;

/**
 * `JSON.stringify(value, undefined, indent)` in pieces: the whole text would take as much memory as the value, or twice that
 * with a single wide character.
 */
export function* jsonPieces(value: unknown, indent = '', before = ''): Generator<string, void, undefined> {
  if (typeof value === 'string') {
    yield* stringPieces(value);
    return;
  }
  if (typeof value !== 'object' || value === null || isSmall(value)) {
    yield inOne(value, indent, before);
    return;
  }
  if (Array.isArray(value)) {
    yield* listPieces(value, indent, before);
    return;
  }
  const inner = before + indent;
  const space = indent === '' ? '' : `\n${inner}`;
  let text = '{';
  let mark = space;
  for (const key of Object.keys(value)) {
    const member = (value as Members)[key];
    if (member === undefined) continue;
    text += mark;
    mark = `,${space}`;
    if (isSmall(key)) text += `${JSON.stringify(key)}${indent === '' ? ':' : ': '}`;
    else {
      yield text;
      yield* stringPieces(key);
      text = indent === '' ? ':' : ': ';
    }
    if (isSmall(member)) text += inOne(member, indent, inner);
    else {
      yield text;
      yield* jsonPieces(member, indent, inner);
      text = '';
    }
    if (text.length < pieceLength) continue;
    yield text;
    text = '';
  }
  yield `${text}${indent === '' ? '' : `\n${before}`}}`;
}

/** Entries that are small together are made at once: one by one takes three times as long, and more memory. */
function* listPieces(list: readonly unknown[], indent: string, before: string): Generator<string, void, undefined> {
  const end = indent === '' ? ']' : `\n${before}]`;
  let mark = '[';
  for (let at = 0, next = 0; at < list.length; at = next) {
    next = endOfSmall(list, at);
    if (next > at) yield mark + inOne(list.slice(at, next), indent, before).slice(1, -end.length);
    else {
      yield indent === '' ? mark : `${mark}\n${before}${indent}`;
      yield* jsonPieces(list[at], indent, before + indent);
      next = at + 1;
    }
    mark = ',';
  }
  yield end;
}

function endOfSmall(list: readonly unknown[], from: number): number {
  let room = pieceLength;
  for (let at = from; at < list.length; at += 1) {
    room = weigh(list[at], room);
    if (room <= 0) return at;
  }
  return list.length;
}

/** Line breaks of JSON are between values, never in strings. An undefined list entry is `null`. */
function inOne(value: unknown, indent: string, before: string): string {
  const text = (jsonText(value, indent) as string | undefined) ?? 'null';
  return before === '' ? text : text.replaceAll('\n', `\n${before}`);
}

function* stringPieces(text: string): Generator<string, void, undefined> {
  yield '"';
  for (const piece of piecesOf(text, pieceLength)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

function isSmall(value: unknown): boolean {
  return weigh(value, pieceLength) > 0;
}

/** What remains of `room` after this value; 0 or less if it does not fit. */
function weigh(value: unknown, room: number): number {
  let left = room - costOfValue;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index += 1) left = weigh(value[index], left);
    return left;
  }
  for (const key in value) {
    left = weigh((value as Members)[key], left - key.length);
    if (left <= 0) break;
  }
  return left;
}

/** The same in printable ASCII (`asciiJson`). */
export function* asciiJsonPieces(value: unknown): Generator<string, void, undefined> {
  for (const piece of jsonPieces(value)) yield asciiOnly(piece);
}
