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
 * ends it. Undefined where it is not formed as RFC 9112 has it, or has more than `mostLines` header lines.
 */
export function readMessageHead(text: string, mostLines: number): MessageHead | undefined {
  const end = text.indexOf('\r\n');
  const start = text.slice(0, end);
  const rest = text.slice(end + 2);
  if (end < 1 || !firstLine.test(start) || !headerLines.test(rest)) return undefined;
  const lines: string[] = [];
  for (let at = 0; at < rest.length; ) {
    if (lines.length === 2 * mostLines) return undefined;
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

export interface StatusLine {
  readonly status: number;
  readonly minor: 0 | 1;
}

/** Status and version of a response (RFC 9112 section 4), 100 to 599; undefined for anything else. The reason is nobody's. */
export function readStatusLine(start: string): StatusLine | undefined {
  const found = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: |$)/.exec(start);
  return found === null ? undefined : { status: Number(found[2]), minor: found[1] === '1' ? 1 : 0 };
}

/** The methods that go through: HTTP's own (RFC 9110 section 9), less those for the way there, and PATCH (RFC 5789). */
export const relayedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
