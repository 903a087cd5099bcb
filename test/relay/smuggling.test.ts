import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountOf, openStand, raw } from '../proxy/stand.js';
import { startTcp } from '../support/http-server.js';

/** Bodies whose end two parsers might see in different places: head lines, and what follows the head. */
const ambiguous: readonly (readonly [name: string, lines: readonly string[], rest: string])[] = [
  ['both lengths', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['two lengths', ['Content-Length: 4', 'Content-Length: 5'], 'abcde'],
  ['a signed length', ['Content-Length: +4'], 'abcd'],
  ['an empty length', ['Content-Length:'], 'abcd'],
  ['a coding that only looks like chunked', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'],
  ['chunked, identity', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  ['gzip, chunked', ['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
  ['chunked, chunked', ['Transfer-Encoding: chunked, chunked'], '0\r\n\r\n'],
  ['a coding behind a tab', ['Transfer-Encoding:\tchunked', 'Content-Length: 3'], '0\r\n\r\n'],
  ['a coding behind a vertical tab', ['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n'],
  ['space before the colon', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
  ['a folded line', ['X: a', ' Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['a bare line feed', ['X: a\nTransfer-Encoding: chunked'], '0\r\n\r\n'],
  ['a bare carriage return', ['X: a\rTransfer-Encoding: chunked'], '0\r\n\r\n'],
  ['a NUL', ['X: a\0b', 'Content-Length: 4'], 'abcd'],
  ['chunked and a comma', ['Transfer-Encoding: chunked,'], '0\r\n\r\n'],
  ['chunked with a parameter', ['Transfer-Encoding: chunked;q=1'], '0\r\n\r\n'],
  ['an empty coding', ['Transfer-Encoding:', 'Content-Length: 4'], 'abcd'],
  ['a length with a space inside', ['Content-Length: 4 4'], 'abcd'],
  ['a line that begins with a space', [' Content-Length: 4'], 'abcd'],
  ['a delete character', ['X: a\x7fb', 'Content-Length: 4'], 'abcd'],
  ['a name with a space inside', ['Content Length: 4'], 'abcd'],
  ['two carriage returns', ['X: a\r', 'Content-Length: 4'], 'abcd'],
  ['a line without a colon', ['Transfer-Encoding chunked', 'Content-Length: 4'], 'abcd'],
];

/** Bodies that are cut wrongly inside. */
const chunks: readonly (readonly [name: string, rest: string])[] = [
  ['a signed size', '+4\r\nabcd\r\n0\r\n\r\n'],
  ['a size that overflows', 'fffffffffffffffff\r\nabcd\r\n0\r\n\r\n'],
  ['a chunk longer than said', '4\r\nabcdef\r\n0\r\n\r\n'],
  ['a size with an underscore', '0_4\r\nabcd\r\n0\r\n\r\n'],
  ['a bare line feed behind the data', '4\r\nabcd\n0\r\n\r\n'],
  ['a bare carriage return behind the size', '4\rabcd\r\n0\r\n\r\n'],
  ['a line feed in an extension', '4;a\nb\r\nabcd\r\n0\r\n\r\n'],
  ['a size of many zeros', `${'0'.repeat(2_000)}4\r\nabcd\r\n0\r\n\r\n`],
  ['a size line without an end', '4'.repeat(100_000)],
  ['a trailer without a colon', '4\r\nabcd\r\n0\r\nXYZ\r\n\r\n'],
  ['trailers without an end', `4\r\nabcd\r\n0\r\n${'X: a\r\n'.repeat(10_000)}\r\n`],
  ['a chunk extension of a megabyte', `4;${'x'.repeat(1_100_000)}\r\nabcd\r\n0\r\n\r\n`],
];

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

/** A server that answers every head it sees at once, and keeps every byte. */
async function listeningServer() {
  const seen = { bytes: '' };
  const server = await startTcp((socket) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      seen.bytes += text;
      if (text.includes('\r\n\r\n')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  return { server, seen };
}

test('a request that two parsers might read differently is refused, and its connection closed [A-217]', async (t) => {
  const { server, seen } = await listeningServer();
  await using _server = server;
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  for (const [name, lines, rest] of ambiguous) {
    await t.test(name, async () => {
      const head = [`POST ${stand.at()} HTTP/1.1`, `Host: 127.0.0.1:${stand.port}`, ...lines].join('\r\n');
      const answer = await raw(stand.port, `${head}\r\n\r\n${rest}${smuggled}`);
      const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      assert.deepEqual(statuses, [400], answer);
      assert.equal(seen.bytes, '', 'the server has seen nothing of it');
    });
  }
});

test('a body that is cut wrongly inside never reaches the server as a whole one, nor what is behind it [A-217]', async (t) => {
  for (const [name, rest] of chunks) {
    await t.test(name, async () => {
      const { server, seen } = await listeningServer();
      await using _server = server;
      await using stand = await openStand(mountOf(`${server.origin}/mcp`));
      const head = [`POST ${stand.at()} HTTP/1.1`, `Host: 127.0.0.1:${stand.port}`, 'Transfer-Encoding: chunked'];
      await raw(stand.port, `${head.join('\r\n')}\r\n\r\n${rest}${smuggled}`, 1_000);
      assert.doesNotMatch(seen.bytes, /smuggled/);
      assert.doesNotMatch(seen.bytes, /\r\n0\r\n\r\n$/, 'a body that looks whole');
    });
  }
});

test('behind a refusal nothing is read on, where a body follows or the caller ends: it could be another request [A-217]', async () => {
  const { server, seen } = await listeningServer();
  await using _server = server;
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const host = `Host: 127.0.0.1:${stand.port}`;
  const inside = `GET ${stand.at()} HTTP/1.1\r\n${host}\r\n\r\n`;
  const size = inside.length;
  for (const [line, rest] of [
    [`Content-Length: ${size}`, inside],
    [`content-length: ${size}`, inside],
    ['Transfer-Encoding: chunked', `${size.toString(16)}\r\n${inside}\r\n0\r\n\r\n`],
    ['Connection: close', inside],
    ['connection: keep-alive, Close', inside],
  ] as const) {
    for (const target of ['/wrong/m', stand.at('', 'none')]) {
      const answer = await raw(stand.port, `POST ${target} HTTP/1.1\r\n${host}\r\n${line}\r\n\r\n${rest}`);
      assert.match(answer, /^HTTP\/1\.1 40[14] .*\r\nconnection: close\r\n/s, line);
      assert.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, answer);
    }
  }
  assert.equal(seen.bytes, '', 'the server has seen nothing of it');
  const again = await raw(stand.port, inside.replace('/m ', '/none ') + inside, 500);
  assert.equal(again.match(/HTTP\/1\.1 /g)?.length, 2, 'a refusal alone ends no connection');
});

test('what goes out is framed by us, whatever came in [A-217] [A-216]', async () => {
  const { server, seen } = await listeningServer();
  await using _server = server;
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const head = [
    `POST ${stand.at()} HTTP/1.1`,
    `hOsT: 127.0.0.1:${stand.port}`,
    'TRANSFER-ENCODING: Chunked',
    'Connection: close, Authorization, Host, X-Gone',
    'X-Gone: 1',
    'Authorization: Basic abc',
  ];
  const answer = await raw(stand.port, `${head.join('\r\n')}\r\n\r\n4;x=y\r\nabcd\r\n0\r\nX-Trailer: 1\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(seen.bytes, /^POST \/mcp HTTP\/1\.1\r\n/);
  assert.equal(seen.bytes.match(/authorization:/gi)?.length, 1);
  assert.match(seen.bytes, /authorization: Bearer canary-token-0\r\n/);
  assert.match(seen.bytes, new RegExp(`host: 127.0.0.1:${server.port}\r\n`));
  assert.match(seen.bytes, /\r\n\r\n4\r\nabcd\r\n0\r\n\r\n$/);
  assert.doesNotMatch(seen.bytes, /X-Gone|X-Trailer|smuggled|x=y/i);
});
