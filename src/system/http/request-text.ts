/** All that there is between the first byte of a request and the first of its body. */
const requestHead =
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21-\x7e]+ HTTP\/1\.1\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/;

/** What takes a body where none is given: such a request says that it is empty (RFC 9110 section 8.6). */
const bodied: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The head of a request, without what frames its body. */
export interface RequestLines {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn; without `Host`, and nothing about framing or the connection. */
  readonly headers: readonly string[];
}

/**
 * The text of a request's head, one character a byte; the framing is ours alone (RFC 9112 section 6).
 * @param length of the body in bytes; undefined: in chunked coding; null: none
 */
export function requestText(request: RequestLines, host: string, length: number | undefined | null): string {
  const { method, target, headers } = request;
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  if (length === undefined) return `${text}transfer-encoding: chunked\r\n\r\n`;
  if (length !== null) return `${text}content-length: ${length}\r\n\r\n`;
  return bodied.has(method) ? `${text}content-length: 0\r\n\r\n` : `${text}\r\n`;
}

/** Whether the text is one head of so many lines: whoever made its parts has judged them; this is the last net. */
export function isOneHead(text: string, lines: number): boolean {
  if (!requestHead.test(text)) return false;
  let left = lines;
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) left -= 1;
  return left === 0;
}

/** How many lines the text of a request has, the first and the empty one included. */
export function linesOf({ method, headers }: RequestLines, length: number | undefined | null): number {
  const framing = length !== null || bodied.has(method) ? 1 : 0;
  return headers.length / 2 + framing + 4;
}
