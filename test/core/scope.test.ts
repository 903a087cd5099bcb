import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseScope, scopesMissing, unionScopes } from '../../src/core/scope.js';

test('scopes keep their order, and each counts once [A-24]', () => {
  assert.deepEqual(parseScope('mcp:write read  write read '), { ok: true, scopes: ['mcp:write', 'read', 'write'] });
  assert.deepEqual(parseScope(''), { ok: true, scopes: [] });
  assert.deepEqual(parseScope(' '), { ok: true, scopes: [] });
});

test('characters that no scope has are refused [A-24]', () => {
  for (const text of ['a"b', 'a\\b', 'a\tb', 'a\nb', 'a\x7f', 'é', 'a\u00a0b', 'x\x00']) {
    assert.deepEqual(parseScope(text), { ok: false, problem: 'has a forbidden character' }, JSON.stringify(text));
  }
  assert.deepEqual(parseScope('a&resource=https://evil'), { ok: true, scopes: ['a&resource=https://evil'] });
});

test('a hundred scopes and four kilobytes are the most [A-24]', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`).join(' ');
  assert.equal(parseScope(many(100)).ok, true);
  assert.deepEqual(parseScope(many(101)), { ok: false, problem: 'has more than 100 scopes' });
  assert.deepEqual(parseScope(many(10_000)), { ok: false, problem: 'is longer than 4096 characters' });
  assert.equal(parseScope('x'.repeat(4096)).ok, true);
  assert.deepEqual(parseScope('x'.repeat(4097)), { ok: false, problem: 'is longer than 4096 characters' });
});

const scope = fc.string({ unit: fc.constantFrom(...'abcz!#[]~:./&=%'), minLength: 1, maxLength: 6 });
const scopes = fc.uniqueArray(scope, { maxLength: 12 });

test('scopes with a space between them are read as they stand', () => {
  fc.assert(
    fc.property(scopes, (list) => {
      assert.deepEqual(parseScope(list.join(' ')), { ok: true, scopes: list });
    }),
  );
});

test('a union lacks nothing of either side and has nothing else', () => {
  fc.assert(
    fc.property(scopes, scopes, (one, other) => {
      const both = unionScopes(one, other);
      assert.deepEqual(scopesMissing(both, [...one, ...other]), []);
      assert.deepEqual(scopesMissing([...one, ...other], both), []);
      assert.deepEqual(both.slice(0, one.length), one);
      assert.equal(new Set(both).size, both.length);
    }),
  );
});

test('missing scopes are those wanted and not held, in their order', () => {
  assert.deepEqual(scopesMissing(['a', 'c'], ['d', 'a', 'b']), ['d', 'b']);
  assert.deepEqual(scopesMissing([], []), []);
});
