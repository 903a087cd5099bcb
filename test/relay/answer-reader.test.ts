import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ResponseReader } from '../../src/relay/response-reader.js';
import { nodes, ours } from './two-readers.js';

function cut(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

const part = fc.constantFrom(
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.0 200 OK\r\n', 'HTTP/1.1 100 \r\n', 'HTTP/1.1 204 No\r\n', 'HTTP/1.1 304\r\n'],
  ...['Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'content-length:5\r\n', 'Content-Length: 05\r\n'],
  ...['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: identity\r\n', 'Transfer-Encoding: gzip, chunked\r\n'],
  ...['Connection: close\r\n', 'Connection: keep-alive\r\n', 'Connection: upgrade\r\nUpgrade: x\r\n', 'A: b\r\n'],
  ...['\r\n', '\r\n', '\n', '\r', 'hello', '5\r\nhello\r\n', '5;a=b\r\nhello\r\n', '0\r\n\r\n', '0\r\nA: b\r\n\r\n'],
  ...[' folded\r\n', 'A : b\r\n', 'A:\t\x80\xff \r\n', 'A: \0\r\n', '\t', ' ', ';', ':', '5\r\n', '0\r\n', ';x', '"'],
);
const answer = fc.oneof(
  fc.array(part, { maxLength: 9 }),
  fc.array(part, { maxLength: 8 }).map((parts) => ['HTTP/1.1 200 OK\r\n', ...parts]),
  fc
    .tuple(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 6 }))
    .map(([lines, rest]) => ['HTTP/1.1 200 OK\r\n', ...lines, '\r\n', ...rest]),
  fc.array(part, { maxLength: 6 }).map((rest) => ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', ...rest]),
);
const chunkLine = fc
  .tuple(
    fc.constantFrom('5', '05', '5 ', ' 5', '0x5', 'A', '5\t'),
    fc.array(fc.constantFrom(';', 'a', '=', '"', ' ', '\\', '\t', '\x80', '(', 'b'), { maxLength: 5 }),
  )
  .map(([size, extension]) => `${size}${extension.join('')}\r\nhello\r\n0\r\n\r\n`);
const chunked = fc
  .tuple(chunkLine, fc.array(part, { maxLength: 2 }))
  .map(([line, rest]) => ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', line, ...rest]);
const unit = fc.nat(255).map((code) => String.fromCharCode(code));
const value = fc.string({ unit, maxLength: 4 });
const fuzzedLine = fc
  .tuple(fc.string({ unit, maxLength: 3 }), value)
  .map(([name, content]) => ['HTTP/1.1 200 O\x80K\r\n', `A${name}:${content}\r\n`, 'Content-Length: 1\r\n\r\n', 'x']);
const fuzzedStart = value.map((text) => [`HTTP/1.1 ${text}200 ${text}\r\n`, 'Content-Length: 1\r\n\r\n', 'x']);
const fuzzedLength = fc
  .tuple(
    fc.constantFrom('Content-Length:', 'Transfer-Encoding:', 'Connection:'),
    fc.constantFrom('1', 'chunked', 'close'),
    value,
  )
  .map(([name, content, more]) => ['HTTP/1.1 200 OK\r\n', `${name}${content}${more}\r\n\r\n`, '1\r\nx\r\n0\r\n\r\n']);
const hostile = fc.oneof(answer, chunked, fuzzedLine, fuzzedStart, fuzzedLength);
const method = fc.constantFrom('GET', 'GET', 'POST', 'HEAD');

test('an answer is the same wherever its bytes are cut [A-217]', () => {
  fc.assert(
    fc.property(method, hostile, fc.array(fc.nat(400), { maxLength: 8 }), (asked, parts, places) => {
      const whole = Buffer.from(parts.join(''), 'latin1');
      const once = ours(asked, [whole]);
      const bytes = [...whole].map((byte) => Buffer.of(byte));
      const shown = (read: ReturnType<typeof ours>) => read && { ...read, idleMs: 0 };
      assert.deepEqual(shown(ours(asked, cut(whole, places))), shown(once));
      assert.deepEqual(shown(ours(asked, bytes)), shown(once));
    }),
  );
});

test('what is taken for an answer here, Node takes for the same one [A-217]', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(method, hostile, async (asked, parts) => {
      const whole = Buffer.from(parts.join(''), 'latin1');
      const own = ours(asked, [whole]);
      if (own === undefined) return;
      taken += 1;
      // Without what is behind its end: to Node that is an error, to us the end of the connection.
      let length = 0;
      while (ours(asked, [whole.subarray(0, length)])?.body !== own.body) length += 1;
      const { idleMs: _own, ...read } = own;
      assert.deepEqual(await nodes(asked, whole.subarray(0, length)), read, JSON.stringify(parts.join('')));
    }),
  );
  assert.ok(taken > 3, `${taken} answers were compared`);
});

test('who has had enough in the middle of a body hears nothing of its end', () => {
  const heard: string[] = [];
  const reader: ResponseReader = new ResponseReader(
    {
      responseHead: () => void heard.push('head'),
      responseData: () => {
        heard.push('data');
        reader.stop();
      },
      responseOver: () => void heard.push('over'),
      responseBroken: (problem) => void heard.push(problem),
    },
    () => undefined,
  );
  for (const body of ['Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', 'Content-Length: 5\r\n\r\nhello']) {
    reader.begin('GET');
    reader.push(Buffer.from(`HTTP/1.1 200 OK\r\n${body}`));
    assert.deepEqual(heard.splice(0), ['head', 'data'], body);
  }
});
