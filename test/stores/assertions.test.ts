import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isKeptAssertion, readCommand, sourceInWords } from '../../src/stores/assertions.js';

const skip = process.platform === 'win32' && 'POSIX paths';

test('a command is an absolute path and arguments, as words or as a JSON list', { skip }, () => {
  assert.deepEqual(readCommand('/usr/bin/a  b --c=d?e&f'), { ok: true, words: ['/usr/bin/a', 'b', '--c=d?e&f'] });
  assert.deepEqual(readCommand('["/usr/bin/a b", "c \\"d\\"", ""]'), {
    ok: true,
    words: ['/usr/bin/a b', 'c "d"', ''],
  });
  for (const text of [
    ...['', ' ', 'a b', './a', '../a', '~/a', '[]', '["a"]', '["/a", 1]', '{"a": 1}', '["/a"'],
    ...['/a "b c"', "/a 'b'", '/a $B', '/a | b', '/a; b', '/a > b', '/a && b', '/a `b`', '/a\nb', '["/a\\u0000"]'],
    `/a ${'b'.repeat(9000)}`,
  ]) {
    assert.equal(readCommand(text).ok, false, text);
  }
});

test('whatever text: a command is read or refused, and what is read may be kept', { skip }, () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `/${text}`),
        fc.array(fc.string()).map((words) => JSON.stringify(words)),
      ),
      (text) => {
        const read = readCommand(text);
        if (!read.ok) return;
        assert.ok(read.words[0]?.startsWith('/'));
        const source = { from: 'command', words: [...read.words] };
        assert.ok(isKeptAssertion({ source, audience: 'https://as.example', use: 'grant' }));
      },
    ),
  );
});

test('what is kept and changed by somebody is no source', { skip }, () => {
  const good = { source: { from: 'file', path: '/a' }, audience: 'x', use: 'client' };
  assert.ok(isKeptAssertion(good));
  for (const change of [
    { use: 'both' },
    { audience: '' },
    { audience: undefined },
    { source: { from: 'file', path: 'a' } },
    { source: { from: 'command', words: ['sh', '-c', 'x'] } },
    { source: { from: 'command', words: ['/bin/sh', 1] } },
    { source: { from: 'variable', name: 'A B' } },
    { source: { from: 'url' } },
    { source: null },
  ]) {
    assert.equal(isKeptAssertion(JSON.parse(JSON.stringify({ ...good, ...change }))), false, JSON.stringify(change));
  }
});

test('arguments of a command are not shown: one may be a secret', () => {
  assert.equal(sourceInWords({ from: 'command', words: ['/bin/a', '--secret=s3cret'] }), 'the command "/bin/a"');
});
