import { asciiOnly, piecesOf } from './printable.js';

/** How much is made at once: characters, and so many for each value. */
const pieceLength = 16_384;
const costOfValue = 8;

type Members = Record<string | number, unknown>;

/**
 * `JSON.stringify(value)`, or with an indent `JSON.stringify(value, undefined, indent)`, in pieces: the whole text
 * would take as much memory as the value does, and twice as much where one character is wide. Values are those of JSON.
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
  const isList = Array.isArray(value);
  const inner = before + indent;
  const space = indent === '' ? '' : `\n${inner}`;
  let text = isList ? '[' : '{';
  let mark = space;
  for (const key of isList ? value.keys() : Object.keys(value)) {
    const member = (value as Members)[key];
    if (member === undefined && !isList) continue;
    text += mark;
    mark = `,${space}`;
    if (!isList && isSmall(key)) text += `${JSON.stringify(key)}${indent === '' ? ':' : ': '}`;
    else if (!isList) {
      yield text;
      yield* stringPieces(String(key));
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
  yield `${text}${indent === '' ? '' : `\n${before}`}${isList ? ']' : '}'}`;
}

/** Lines of JSON begin where there is white space: strings hold none. What is not given is `null` in a list. */
function inOne(value: unknown, indent: string, before: string): string {
  const text = JSON.stringify(value, undefined, indent) ?? 'null';
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

/** What is left of `room` once this has been made; nothing, as soon as it does not fit. */
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

/** The same value in printable ASCII (`asciiJson`). */
export function* asciiJsonPieces(value: unknown): Generator<string, void, undefined> {
  for (const piece of jsonPieces(value)) yield asciiOnly(piece);
}
