/** Reason phrases (RFC 9110 section 15) of what is usual; others have none, which is well-formed, too. */
const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  207: 'Multi-Status',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
};

/** The status line of an answer, with its CRLF. */
export function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\n`;
}

/** Header lines, each with its CRLF, of names and values in turn. */
export function headerText(lines: readonly string[]): string {
  let text = '';
  for (let at = 0; at + 1 < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`;
  return text;
}

/** How the body of an answer is sent (RFC 9112 section 6): not at all, with its length announced, or in chunks. */
export type AnswerFraming = 'none' | 'length' | 'chunked';

/**
 * How the body of an answer to `method` is sent to one who speaks HTTP/1.1.
 * @param length of the answer's body, where it is known
 */
export function answerFraming(method: string, status: number, length: number | undefined): AnswerFraming {
  if (method === 'HEAD' || status === 204 || status === 304) return 'none';
  return length === undefined ? 'chunked' : 'length';
}

/**
 * The line that says how the body is sent. What has none may still say how long it would be (RFC 9110 section 8.6), but
 * for 204.
 */
export function framingLine(framing: AnswerFraming, status: number, length: number | undefined): string {
  if (framing === 'chunked') return 'transfer-encoding: chunked\r\n';
  return length === undefined || status === 204 ? '' : `content-length: ${length}\r\n`;
}
