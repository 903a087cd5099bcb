import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fieldOf } from '../../src/app/write-stream.js';
import { Failure } from '../support/product.js';

const result = { logins: [{ server: 'https://a.example', expiresAt: null }], 'a.b': 1, none: {}, empty: [] };

test('a field is found by names and places; a missing one is named with those that are there', () => {
  assert.equal(fieldOf(result, 'logins.0.server'), 'https://a.example');
  assert.equal(fieldOf(result, 'logins.0.expiresAt'), null);
  assert.equal(fieldOf(result, 'a\\.b'), 1);
  assert.equal(fieldOf(result, 'logins[0].server'), 'https://a.example');
  assert.equal(fieldOf({ grid: [[1, 2]], 'a[0]': 3, a: [4] }, 'grid[0][1]'), 2);
  assert.equal(fieldOf({ grid: [], 'a[0]': 3, a: [4] }, 'a[0]'), 3);
  const missing: readonly (readonly [string, RegExp])[] = [
    ['login', /there is: logins, a\.b, none, empty;/],
    ['logins.3', /a list of 1, counted from 0/],
    ['logins[3]', /a list of 1, counted from 0/],
    ['login[0]', /there is: logins,/],
    ['logins.length', /a list of 1, counted from 0/],
    ['empty.0', /a list of 0/],
    ['none.x', /no members/],
    ['logins.0.server.x', /no members/],
    ['', /there is: logins/],
    ['constructor', /there is: logins/],
    ['__proto__', /there is: logins/],
  ];
  for (const [path, remedy] of missing) {
    assert.throws(
      () => fieldOf(result, path),
      (error) => error instanceof Failure && error.exit === 2 && remedy.test(error.remedy),
      path,
    );
  }
});

test('every value of a result has a path, whatever its names are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1 }), (object) => {
      for (const [name, value] of Object.entries(object)) {
        if (name.includes('\\')) continue;
        assert.deepEqual(fieldOf(object, name.replaceAll('.', '\\.')), value);
      }
    }),
  );
});
