import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResponseHead } from '../../src/relay/heads.js';

const head = (lines: readonly string[], status = 200, minor = 1) =>
  readResponseHead(`HTTP/1.${minor} ${status} Some reason\r\n${lines.map((line) => `${line}\r\n`).join('')}`);

test('where the body of an answer ends is said once and plainly, or the answer is none [A-217]', () => {
  const framing = (lines: readonly string[], status?: number, minor?: number) => head(lines, status, minor)?.framing;
  assert.deepEqual(framing(['Content-Length: 5']), { kind: 'length', length: 5 });
  assert.deepEqual(framing(['content-length:\t5 ']), { kind: 'length', length: 5 });
  assert.deepEqual(framing(['Transfer-Encoding: Chunked']), { kind: 'chunked' });
  assert.deepEqual(framing([]), { kind: 'close' });
  for (const status of [100, 103, 204, 304]) {
    assert.deepEqual(framing(['Content-Length: 5'], status), { kind: 'none' });
  }
  for (const bad of ['5, 5', '+5', '0x5', '', '5 5', '-1', '1234567890123456', '5;']) {
    assert.equal(framing([`Content-Length: ${bad}`]), undefined, bad);
  }
  for (const behind of ['\t', ' \t', '\t \t ']) {
    assert.equal(framing([`Content-Length: 5${behind}`]), undefined, 'an error to Node.js');
    assert.equal(framing([`Transfer-Encoding: chunked${behind}`]), undefined);
  }
  assert.equal(framing(['Content-Length: 5', 'Content-Length: 5']), undefined);
  assert.equal(framing(['Content-Length: 5', 'Transfer-Encoding: chunked']), undefined);
  assert.equal(framing(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']), undefined);
  assert.equal(framing(['Transfer-Encoding: chunked'], 200, 0), undefined);
  for (const bad of ['gzip, chunked', 'identity', 'chunked, chunked', 'xchunked', '\x0bchunked', '', 'chunked;a']) {
    assert.equal(framing([`Transfer-Encoding: ${bad}`]), undefined, bad);
  }
  assert.equal(readResponseHead('HTTP/1.1 200 OK\r\nA : b\r\n'), undefined);
  assert.equal(readResponseHead('HTTP/2 200 OK\r\nA: b\r\n'), undefined);
});

test('a connection is used again where its server allows it, and for as long as it says, less a second', () => {
  const stays = (minor: number, ...lines: string[]) => head(['Content-Length: 0', ...lines], 200, minor)?.idleMs;
  assert.deepEqual([stays(1), stays(0), stays(0, 'Connection: Keep-Alive')], [4_000, 0, 4_000]);
  assert.deepEqual([stays(1, 'connection: x, close'), stays(1, 'Connection: closed')], [0, 4_000]);
  assert.deepEqual([stays(1, 'Connection: x', 'Connection: close'), stays(1, 'Connection:\tclose\t')], [0, 0]);
  assert.equal(head([])?.idleMs, 0, 'what ends with its connection');
  const timeout = (value: string) => stays(1, `Keep-Alive: ${value}`);
  assert.deepEqual([timeout('timeout=75, max=9'), timeout('max=9,timeout=5')], [74_000, 4_000]);
  assert.deepEqual([timeout('timeout=999999'), timeout('timeout=1'), timeout('timeout=0')], [599_000, 0, 0]);
  assert.deepEqual([timeout('timeout=x'), timeout('xtimeout=9')], [4_000, 4_000]);
});
