import type { StatusLine } from './message-head.js';

/** Where the body of a response ends. */
export type ResponseFraming =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly length: number };

export interface AnsweredHead {
  readonly line: StatusLine;
  /** Names and values in turn. */
  readonly lines: readonly string[];
}

/**
 * How the body of an answer to `method` is delimited (RFC 9112 section 6.3). Undefined where two parsers might not
 * agree: lengths that differ or are no plain number, a coding other than `chunked` alone, a coding beside a length, or
 * from HTTP/1.0. Two equal `Content-Length` lines are one.
 */
export function responseFraming(method: string, { line, lines }: AnsweredHead): ResponseFraming | undefined {
  let length: string | undefined;
  let isChunked = false;
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? '';
    const value = lines[at + 1] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (!/^[0-9]{1,15}$/.test(value) || (length !== undefined && length !== value)) return undefined;
      length = value;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (isChunked || line.minor === 0 || value.toLowerCase() !== 'chunked') return undefined;
      isChunked = true;
    }
  }
  if (isChunked && length !== undefined) return undefined;
  const { status } = line;
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' };
  if (isChunked) return { kind: 'chunked' };
  return length === undefined ? { kind: 'close' } : { kind: 'length', length: Number(length) };
}

/** May the connection carry another message after this one (RFC 9112 section 9.3)? */
export function staysOpen({ line, lines }: AnsweredHead): boolean {
  let stays = line.minor === 1;
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const options = (lines[at + 1] ?? '').toLowerCase();
    if (/(?:^|[\t ,])close(?:$|[\t ,])/.test(options)) return false;
    stays ||= /(?:^|[\t ,])keep-alive(?:$|[\t ,])/.test(options);
  }
  return stays;
}
