import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestLine, readResponseHead } from '../../src/relay/heads.js';

test('request and status lines are read exactly or not at all [A-217]', () => {
  assert.deepEqual(readRequestLine('GET /a?b HTTP/1.1'), { method: 'GET', target: '/a?b', minor: 1 });
  const noRequest = ['GET  / HTTP/1.1', 'GET /  HTTP/1.1', 'GET / HTTP/2.0', 'GET / http/1.1', ' GET / HTTP/1.1'];
  for (const line of [
    ...noRequest,
    'GET /a b HTTP/1.1',
    'GET / HTTP/1.1 ',
    'G(T / HTTP/1.1',
    'GET /',
    'GET\t/ HTTP/1.1',
  ]) {
    assert.equal(readRequestLine(line), undefined, line);
  }
  const statusOf = (line: string) => readResponseHead(`${line}\r\ncontent-length: 0\r\n`);
  assert.equal(statusOf('HTTP/1.1 200 OK')?.status, 200);
  assert.notEqual(statusOf('HTTP/1.1 200 OK')?.idleMs, 0);
  assert.equal(statusOf('HTTP/1.0 401')?.status, 401);
  assert.equal(statusOf('HTTP/1.0 401')?.idleMs, 0);
  for (const line of [
    'HTTP/1.1  200 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 099 X',
    'HTTP/1.1 600 X',
    'HTTP/2 200',
    'ICY 200 OK',
  ]) {
    assert.equal(statusOf(line), undefined, line);
  }
});

const head = (lines: readonly string[], status = 200, minor = 1) =>
  readResponseHead(`HTTP/1.${minor} ${status} Some reason\r\n${lines.map((line) => `${line}\r\n`).join('')}`);

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
