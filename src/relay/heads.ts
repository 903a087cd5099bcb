/** The head of an HTTP/1.1 message: its first line, and name and value of each header line in turn, as they came. */
export interface MessageHead {
  readonly start: string;
  readonly lines: string[];
}

/**
 * All header lines of a head, each with its CRLF: a token right before the colon, a value without controls. So no folded
 * line, no bare CR or LF, no NUL, no space before a colon (RFC 9112 sections 2.2, 5.1 and 5.2): where parsers differ in
 * what they make of a line, there is no such line.
 */
const headerLines = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;
const firstLine = /^[\x20-\x7e\x80-\xff]+$/;

/**
 * Reads a head: the text, one character a byte, up to and with the CRLF of its last line, without the empty line that
 * ends it. Undefined where it is not formed as RFC 9112 has it, or has more than `maxLines` header lines.
 */
export function readMessageHead(text: string, maxLines: number): MessageHead | undefined {
  const end = text.indexOf('\r\n');
  const start = text.slice(0, end);
  const rest = text.slice(end + 2);
  if (end < 1 || !firstLine.test(start) || !headerLines.test(rest)) return undefined;
  const lines: string[] = [];
  for (let at = 0; at < rest.length; ) {
    if (lines.length === 2 * maxLines) return undefined;
    const colon = rest.indexOf(':', at);
    const over = rest.indexOf('\r\n', colon);
    lines.push(rest.slice(at, colon), trimmed(rest, colon + 1, over));
    at = over + 2;
  }
  return { start, lines };
}

/** Without the spaces and tabs around it (RFC 9110 section 5.5). */
function trimmed(text: string, from: number, to: number): string {
  let first = from;
  let last = to;
  while (first < last && isBlank(text.charCodeAt(first))) first += 1;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last -= 1;
  return text.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly minor: 0 | 1;
}

/** Method, target and version of a request (RFC 9112 section 3), single spaces between them; undefined for anything else. */
export function readRequestLine(start: string): RequestLine | undefined {
  const found = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/.exec(start);
  if (found === null) return undefined;
  const [, method = '', target = '', minor] = found;
  return { method, target, minor: minor === '1' ? 1 : 0 };
}

/** The methods that go through: HTTP's own (RFC 9110 section 9), less those for the way there, and PATCH (RFC 5789). */
export const relayedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/** Where the body of a request ends. */
export type RequestFraming =
  | { readonly kind: 'none' | 'chunked' }
  | { readonly kind: 'length'; readonly length: number };

/**
 * How the body of a request is delimited (RFC 9112 section 6.3); undefined where two parsers might not agree.
 * @param lengths values of `Content-Length` @param codings values of `Transfer-Encoding`
 */
export function requestFraming(lengths: readonly string[], codings: readonly string[]): RequestFraming | undefined {
  const [length] = lengths;
  const [coding] = codings;
  if (coding !== undefined) {
    const isPlain = codings.length === 1 && coding.toLowerCase() === 'chunked' && length === undefined;
    return isPlain ? { kind: 'chunked' } : undefined;
  }
  if (length === undefined || (lengths.length === 1 && /^0{1,15}$/.test(length))) return { kind: 'none' };
  return lengths.length === 1 && /^[0-9]{1,15}$/.test(length) ? { kind: 'length', length: Number(length) } : undefined;
}

/** What one `Connection` line says: whether the connection ends, and which other headers are about it. */
export function readConnection(value: string): { readonly close: boolean; readonly names: readonly string[] } {
  const lower = value.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return { close: lower === 'close', names: [] };
  const options = lower.split(',').map((name) => name.trim());
  const names = options.filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close');
  return { close: /(?:^|[\t ,])close(?:$|[\t ,])/.test(lower), names };
}

/** Where the body of a response ends. */
export type ResponseFraming =
  | { readonly kind: 'none' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly length: number };

/** The head of a response, read and validated. */
export interface ResponseHead {
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly lines: readonly string[];
  /** Where the body ends; of a response to HEAD there is none. */
  readonly framing: ResponseFraming;
  /**
   * How long the connection may be idle after this response and then carry another request, in milliseconds; 0 where it
   * is closed (RFC 9112 section 9.3).
   */
  readonly idleMs: number;
  /** What its reader has worked out of it: the same head may come again. */
  known: unknown;
}

const maxResponseLines = 1_000;

/** Status and version (RFC 9112 section 4). The reason is not read. */
const statusLine = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: |$)/;

/** Servers that do not say how long they keep an idle connection keep it 5 s at least. */
const usualIdleMs = 4_000;

const maxIdleMs = 600_000;

/** Spare time for a request on its way: the server's end of the connection is still there when it arrives. */
const idleReserveMs = 1_000;

/** A tab behind a value is a blank to RFC 9110 section 5.6.3, and an error to Node where the value frames the body. */
const tabInFraming = /\n(?:content-length|transfer-encoding):[^\r]*\t *\r/i;

/**
 * Reads and validates the head of a response: the text as for `readMessageHead`. Undefined where it is not formed as RFC
 * 9112 has it, or where two parsers might not agree on the end of its body.
 */
export function readResponseHead(text: string): ResponseHead | undefined {
  const head = readMessageHead(text, maxResponseLines);
  const line = head && statusLine.exec(head.start);
  if (!line || (text.includes('\t') && tabInFraming.test(text))) return undefined;
  const { lines } = head;
  const status = Number(line[2]);
  const minor = line[1] === '1' ? 1 : 0;
  const said: Said = { length: undefined, coding: undefined, connection: '', keepAlive: '' };
  for (let at = 0; at + 1 < lines.length; at += 2) {
    if (!note(said, lines[at] ?? '', lines[at + 1] ?? '')) return undefined;
  }
  const framing = responseFraming(said, status, minor);
  if (framing === undefined) return undefined;
  const idleMs = framing.kind !== 'close' && staysOpen(said.connection, minor) ? idleOf(said.keepAlive) : 0;
  return { status, lines, framing, idleMs, known: undefined };
}

/** What the lines of a head say about its body and its connection. */
interface Said {
  length: string | undefined;
  coding: string | undefined;
  connection: string;
  keepAlive: string;
}

/** False for a second length, or a second coding. The length of the name is looked at first: most lines are none of these. */
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
function responseFraming({ length, coding }: Said, status: number, minor: 0 | 1): ResponseFraming | undefined {
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
function idleOf(keepAlive: string): number {
  const seconds = /(?:^|[\t ,;])timeout="?([0-9]{1,6})/i.exec(keepAlive)?.[1];
  if (seconds === undefined) return usualIdleMs;
  return Math.max(0, Math.min(Number(seconds) * 1_000, maxIdleMs) - idleReserveMs);
}

/** The values of one header, whose name is given in lower case. */
export function headerValues(lines: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const key = lines[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) values.push(lines[at + 1] ?? '');
  }
  return values;
}
