import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChunkedBody } from '../../src/relay/chunked-body.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The body, what follows it, and whether it came to its end; undefined where it was refused. */
function decode(pieces: readonly Buffer[]): { body: string; rest: string; ended: boolean } | undefined {
  const decoder = new ChunkedBody();
  let body = '';
  let ended = false;
  let rest = '';
  for (const piece of pieces) {
    if (ended) {
      rest += piece.toString('latin1');
      continue;
    }
    const progress = decoder.push(piece, (data) => {
      body += Buffer.from(data).toString('latin1');
    });
    if (progress === undefined) return undefined;
    ended = progress.ended;
    rest += piece.subarray(progress.used).toString('latin1');
  }
  return { body, rest, ended };
}

function cut(whole: Buffer, at: readonly number[]): Buffer[] {
  const places = [0, ...at.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

test('a chunked body is the same wherever the bytes are cut, and ends at its own end [A-217]', () => {
  const chunk = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 20 });
  const extension = fc.constantFrom('', ';a', ';a="b;\\"c"', ';a=b;c');
  const trailers = fc.constantFrom('', 'X-Sum: 1\r\n', 'A: \r\nB:c\r\n');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(chunk, extension, fc.boolean()), { maxLength: 5 }),
      trailers,
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
      fc.array(fc.nat(500), { maxLength: 8 }),
      (chunks, trailer, after, places) => {
        const size = (text: string, upper: boolean): string =>
          upper ? text.length.toString(16).toUpperCase() : `00${text.length.toString(16)}`;
        const coded = chunks.map(([text, more, upper]) => `${size(text, upper)}${more}\r\n${text}\r\n`);
        const whole = latin1(`${coded.join('')}0\r\n${trailer}\r\n${after}`);
        const expected = { body: chunks.map(([text]) => text).join(''), rest: after, ended: true };
        assert.deepEqual(decode(cut(whole, places)), expected);
      },
    ),
  );
});

test('what parsers read differently is no chunked body [A-217]', () => {
  const refused = [
    ...['0x5\r\nhello\r\n0\r\n\r\n', '+5\r\nhello\r\n', ' 5\r\nhello\r\n', '5 \r\nhello\r\n', '-1\r\n', '\r\n'],
    ...['5\nhello\r\n0\r\n\r\n', '5\r\nhello\n0\r\n\r\n', '5\r\nhello0\r\n\r\n', '5\r\nhelloX\r\n0\r\n\r\n'],
    ...['5;\r\nhello\r\n', '5 ;a\r\nhello\r\n', '5; a\r\nhello\r\n', '5;a="\r\nhello\r\n', '5;a=\r\nhello\r\n'],
    ...['5;a\nb\r\nhello\r\n', '5;\0\r\nhello\r\n', '5;a\rb\r\nhello\r\n', '1234567890123\r\n', '5_0\r\n'],
    ...['0\r\nContent-Length: 0\r\n\r\n', '0\r\ntransfer-encoding:chunked\r\n\r\n'],
    ...['0\r\nX : y\r\n\r\n', '0\r\n folded\r\n\r\n', '0\r\nno-colon\r\n\r\n', '0\r\nA: \0\r\n\r\n', '0\n\n'],
    ...[`5;${'a'.repeat(2_000)}\r\nhello\r\n`, `0\r\n${'A: b\r\n'.repeat(2_000)}\r\n`],
  ];
  for (const text of refused) assert.equal(decode([latin1(text)]), undefined, JSON.stringify(text));
  assert.equal(decode([...`5;${'a'.repeat(2_000)}`].map(latin1)), undefined, 'a line without end, byte by byte');
  assert.deepEqual(decode([latin1('5\r\nhel')]), { body: 'hel', rest: '', ended: false });
});
