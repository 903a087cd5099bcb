import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readMessageHead, readRequestLine, readResponseHead } from '../../src/relay/heads.js';

test('names and values of a head come out as they went in, without the blanks around them [A-217]', () => {
  const name = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/);
  const value = fc.stringMatching(/^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,8}[\x21-\x7e\x80-\xff])?)?$/);
  const blank = fc.constantFrom('', ' ', '\t', '  \t');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, blank, value, blank), { maxLength: 8 }), (lines) => {
      const text = lines.map(([key, before, content, after]) => `${key}:${before}${content}${after}\r\n`);
      const head = readMessageHead(`GET / HTTP/1.1\r\n${text.join('')}`, 8);
      const expected = lines.flatMap(([key, , content]) => [key, content]);
      assert.deepEqual(head, { start: 'GET / HTTP/1.1', lines: expected });
      const fewer = readMessageHead(`GET / HTTP/1.1\r\n${text.join('')}`, 3);
      assert.equal(fewer === undefined, lines.length > 3);
    }),
  );
});

test('a line that parsers read differently makes no head [A-217]', () => {
  const lines = [
    ...['A : b\r\n', ' A: b\r\n', 'A: b\r\n c\r\n', 'A: b\n', 'A: b\rC: d\r\n', 'A: b\0\r\n', 'A\r\n', ': b\r\n'],
    ...['A: b\r\n\r\n', 'A: \x7f\r\n', 'A\xe9: b\r\n', 'A: b\r\nC', '\r\n'],
  ];
  for (const line of lines) {
    assert.equal(readMessageHead(`GET / HTTP/1.1\r\n${line}`, 10), undefined, JSON.stringify(line));
  }
  for (const start of ['', '\r\nGET / HTTP/1.1', 'GET /\0 HTTP/1.1', 'GET / HTTP/1.1\rX']) {
    assert.equal(readMessageHead(`${start}\r\nA: b\r\n`, 10), undefined, JSON.stringify(start));
  }
});

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
