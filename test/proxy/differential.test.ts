import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKnownMethod } from '../../src/primitives/http1/request-method.js';
import { nodes, ours } from './two-servers.js';

const start = 'POST /m HTTP/1.1\r\nHost: h\r\n';

/** What we take, Node.js takes, too, and for the same: lines, headers, bodies, and where each of them ends. */
async function agree(pieces: readonly string[]): Promise<number> {
  const [own, other] = await Promise.all([ours(pieces), nodes(pieces)]);
  assert.deepEqual(own.taken, other.taken.slice(0, own.taken.length), JSON.stringify(pieces));
  return own.taken.length;
}

const firstLine = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('POST /m HTTP/1.1', 'GET /m/x?y HTTP/1.1', 'PUT /m HTTP/1.1') },
  fc.constantFrom(
    ...[
      'GET  /m HTTP/1.1',
      ' GET /m HTTP/1.1',
      'GET /m HTTP/1.0',
      'GET /m',
      'GET /m HTTP/1.1 ',
      'get /m HTTP/1.1',
    ],
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
  fc.constantFrom(
    '',
    'a\rb',
    'a\nb',
    'a\0b',
    'a\x7fb',
    'a\r\n b',
    'a\x0bb',
    '\xff',
    '"a',
    'close, X',
    'a\x01b',
  ),
);
const ending = fc.oneof(
  { weight: 12, arbitrary: fc.constant('\r\n') },
  fc.constantFrom('\n', '\r', '\r\r\n', '\r\n '),
);
const header = fc
  .tuple(name, fc.constantFrom(': ', ':', ' : ', ''), value, ending)
  .map((parts) => parts.join(''));
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
const chunk = fc
  .tuple(size, ending, fc.constantFrom('abcd', 'abcde', 'GET '), ending)
  .map((parts) => parts.join(''));
const trailer = fc.constantFrom(
  '',
  'A: b\r\n',
  'A: b\n',
  'A : b\r\n',
  'Content-Length: 4\r\n',
  'A\r\n',
  'A:\0\r\n',
);
const body = fc.oneof(
  fc.constantFrom('', 'abcd', 'abcde', 'abcdGET /m HTTP/1.1\r\nHost: h\r\n\r\n'),
  fc
    .tuple(
      fc.array(chunk, { maxLength: 3 }),
      fc.constantFrom('0\r\n', '0\n', '00\r\n', '0;x\r\n'),
      trailer,
      ending,
    )
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
const stream = fc.array(fc.oneof(request, usual), { minLength: 1, maxLength: 4 }).map((all) => all.join(''));

test('whatever bytes come: what we take for a request is one for Node.js, too, with the same headers and body [A-217]', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(400), { maxLength: 4 }), async (text, cuts) => {
      const places = [...new Set([0, ...cuts, text.length])]
        .sort((a, b) => a - b)
        .filter((at) => at <= text.length);
      taken += await agree(places.map((from, at) => text.slice(from, places[at + 1] ?? text.length)));
    }),
    { numRuns: 1_500 },
  );
  assert.ok(taken > 500, `${taken} requests were taken: the property was about something`);
});

test('a request cut into two pieces at any byte, or into all its bytes, is the same request [A-217]', async () => {
  const two = `${start}X: 1\r\nTransfer-Encoding: chunked\r\n\r\n4;x\r\nabcd\r\n0\r\nT: 1\r\n\r\n\r\n${start}Content-Length: 4\r\n\r\nabcd`;
  const whole = await ours([two]);
  assert.equal(whole.taken.length, 2);
  assert.equal(whole.closed, false);
  for (let cut = 0; cut <= two.length; cut += 1) {
    assert.deepEqual((await ours([two.slice(0, cut), two.slice(cut)])).taken, whole.taken, `at ${cut}`);
  }
  assert.deepEqual((await ours([...two])).taken, whole.taken);
  assert.equal(await agree([...two]), 2);
});

test('only methods are known that Node.js knows', () => {
  for (const method of METHODS) assert.ok(isKnownMethod(method), method);
  for (const method of ['NOPE', 'get', '', 'GETT', 'constructor']) assert.equal(isKnownMethod(method), false);
});
