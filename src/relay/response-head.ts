import { readMessageHead, readStatusLine } from './message-head.js';

/** Where the body of an answer ends. */
export type AnswerFraming =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly length: number };

/** The head of an answer, read and judged. */
export interface AnswerHead {
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly lines: readonly string[];
  /** Where the body ends; of an answer to HEAD there is none. */
  readonly framing: AnswerFraming;
  /**
   * How long the connection may lie idle after this answer and then carry another request, in milliseconds; 0 where it
   * is closed (RFC 9112 section 9.3).
   */
  readonly staysMs: number;
}

const mostLines = 1_000;

/** Servers that do not say how long they keep an idle connection keep it 5 s at least. */
const usualStayMs = 4_000;

const longestStayMs = 600_000;

/** What is left to a request on its way, so that the server's end of the connection is still there when it arrives. */
const stayReserveMs = 1_000;

/** A tab behind a value is a blank to RFC 9110 section 5.6.3, and an error to Node where the value frames the body. */
const tabInFraming = /\n(?:content-length|transfer-encoding):[^\r]*\t *\r/i;

/**
 * Reads and judges the head of an answer: the text as for `readMessageHead`. Undefined where it is not formed as RFC
 * 9112 has it, or where two parsers might not agree on the end of its body.
 */
export function readAnswerHead(text: string): AnswerHead | undefined {
  const head = readMessageHead(text, mostLines);
  const line = head && readStatusLine(head.start);
  if (head === undefined || line === undefined || (text.includes('\t') && tabInFraming.test(text)))
    return undefined;
  const { lines } = head;
  const { status, minor } = line;
  const said: Said = { length: undefined, coding: undefined, connection: '', keepAlive: '' };
  for (let at = 0; at + 1 < lines.length; at += 2) {
    if (!note(said, lines[at] ?? '', lines[at + 1] ?? '')) return undefined;
  }
  const framing = framingOf(said, status, minor);
  if (framing === undefined) return undefined;
  const staysMs = framing.kind !== 'close' && staysOpen(said.connection, minor) ? stayOf(said.keepAlive) : 0;
  return { status, lines, framing, staysMs };
}

interface Said {
  length: string | undefined;
  coding: string | undefined;
  connection: string;
  keepAlive: string;
}

/** False for a second length, or a second coding. Lengths of names first: most lines are none of these. */
function note(said: Said, name: string, value: string): boolean {
  if (name.length === 10) {
    const lower = name.toLowerCase();
    if (lower === 'connection') said.connection += `,${value.toLowerCase()}`;
    else if (lower === 'keep-alive') said.keepAlive = value;
  } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
    if (said.length !== undefined) return false;
    said.length = value;
  } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
    if (said.coding !== undefined) return false;
    said.coding = value;
  }
  return true;
}

/**
 * How the body is delimited (RFC 9112 section 6.3). Undefined for lengths that are no plain number, a coding other than
 * `chunked` alone, a coding beside a length, or from HTTP/1.0.
 */
function framingOf({ length, coding }: Said, status: number, minor: 0 | 1): AnswerFraming | undefined {
  if (length !== undefined && (coding !== undefined || !/^[0-9]{1,15}$/.test(length))) return undefined;
  if (coding !== undefined && (minor === 0 || coding.toLowerCase() !== 'chunked')) return undefined;
  if (status < 200 || status === 204 || status === 304) return { kind: 'none' };
  if (coding !== undefined) return { kind: 'chunked' };
  return length === undefined ? { kind: 'close' } : { kind: 'length', length: Number(length) };
}

function staysOpen(connection: string, minor: 0 | 1): boolean {
  if (/[\t ,]close(?:$|[\t ,])/.test(connection)) return false;
  return minor === 1 || /[\t ,]keep-alive(?:$|[\t ,])/.test(connection);
}

/** `Keep-Alive: timeout=5` is a promise of 5 s. */
function stayOf(keepAlive: string): number {
  const seconds = /(?:^|[\t ,;])timeout="?([0-9]{1,6})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return usualStayMs;
  return Math.max(0, Math.min(Number(seconds) * 1_000, longestStayMs) - stayReserveMs);
}
