import fc from 'fast-check';

const start = 'POST /m HTTP/1.1\r\nHost: h\r\n';

const firstLine = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('POST /m HTTP/1.1', 'GET /m/x?y HTTP/1.1', 'PUT /m HTTP/1.1') },
  fc.constantFrom(
    ...['GET  /m HTTP/1.1', ' GET /m HTTP/1.1', 'GET /m HTTP/1.0', 'GET /m', 'GET /m HTTP/1.1 ', 'get /m HTTP/1.1'],
    ...[
      'GET\t/m HTTP/1.1',
      'GET /m\x0b HTTP/1.1',
      'GET /m http/1.1',
      'GET /m HTTP/1.01',
      'GET /m HTTP/11',
      '\r\nGET /m HTTP/1.1',
    ],
    ...[
      '\r\n\r\nGET /m HTTP/1.1',
      '\nGET /m HTTP/1.1',
      'M-SEARCH /m HTTP/1.1',
      'GET /m\xff HTTP/1.1',
      'ICE /m HTTP/1.1',
    ],
  ),
);
const name = fc.oneof(
  fc.constantFrom(
    'Content-Length',
    'content-length',
    'Transfer-Encoding',
    'TRANSFER-ENCODING',
    'Connection',
    'X',
    'Expect',
  ),
  fc.constantFrom(
    'Content-Length ',
    'Transfer-Encoding\t',
    ' X',
    'X Y',
    '',
    'X\0',
    'Content_Length',
    '\xe9',
    'Upgrade',
  ),
);
const value = fc.oneof(
  fc.constantFrom(
    '0',
    '4',
    '5',
    '04',
    '+4',
    '4,4',
    '4 4',
    ' 4 ',
    '4\t',
    '0x4',
    '-1',
    '1e1',
    'chunked',
    'Chunked',
    ' chunked\t',
  ),
  fc.constantFrom(
    'chunked, chunked',
    'identity',
    'gzip, chunked',
    'xchunked',
    'chunked;a',
    'close',
    'keep-alive',
    'h2c',
    '100-continue',
  ),
  fc.constantFrom('', 'a\rb', 'a\nb', 'a\0b', 'a\x7fb', 'a\r\n b', 'a\x0bb', '\xff', '"a', 'close, X', 'a\x01b'),
);
const ending = fc.oneof({ weight: 12, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r', '\r\r\n', '\r\n '));
const header = fc.tuple(name, fc.constantFrom(': ', ':', ' : ', ''), value, ending).map((parts) => parts.join(''));
const size = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('4', '04', '00000004') },
  fc.constantFrom(
    '4;a',
    '4 ;a=b',
    '4;a="b;\\""',
    '+4',
    '0x4',
    '4 ',
    ' 4',
    '',
    '4;\n',
    '4g',
    'fffffffffffffffff',
    '5',
    '3',
  ),
);
const chunk = fc.tuple(size, ending, fc.constantFrom('abcd', 'abcde', 'GET '), ending).map((parts) => parts.join(''));
const trailer = fc.constantFrom('', 'A: b\r\n', 'A: b\n', 'A : b\r\n', 'Content-Length: 4\r\n', 'A\r\n', 'A:\0\r\n');
const body = fc.oneof(
  fc.constantFrom('', 'abcd', 'abcde', 'abcdGET /m HTTP/1.1\r\nHost: h\r\n\r\n'),
  fc
    .tuple(fc.array(chunk, { maxLength: 3 }), fc.constantFrom('0\r\n', '0\n', '00\r\n', '0;x\r\n'), trailer, ending)
    .map(([chunks, last, lines, end]) => chunks.join('') + last + lines + end),
);
const request = fc
  .tuple(
    firstLine,
    ending,
    fc.constantFrom('Host: h\r\n', 'host:h\r\n', 'Host: h\r\nHost: h\r\n', ''),
    fc.array(header, { maxLength: 3 }),
    body,
  )
  .map(([line, end, host, headers, rest]) => `${line}${end}${host}${headers.join('')}\r\n${rest}`);
const usual = fc.constantFrom(
  `${start}Content-Length: 4\r\n\r\nabcd`,
  `${start}Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n`,
  'GET /m HTTP/1.1\r\nHost: h\r\n\r\n',
);
/** What may come on a connection: requests, most of them with something odd in them, and pieces that are none. */
export const requests = fc.array(fc.oneof(request, usual), { minLength: 1, maxLength: 4 }).map((all) => all.join(''));
