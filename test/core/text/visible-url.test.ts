import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visibleUrl } from '../../../src/core/resource.js';

test('query, fragment, user name and password are left out', () => {
  assert.equal(visibleUrl('https://h.example/a/b'), 'https://h.example/a/b');
  assert.equal(visibleUrl('https://h.example/a?code=1#x'), 'https://h.example/a?…');
  assert.equal(visibleUrl('https://h.example/a#token=1'), 'https://h.example/a#…');
  assert.equal(visibleUrl('https://u:p@h.example/@scope/x'), 'https://***@h.example/@scope/x');
  assert.equal(visibleUrl('https:u:p@h.example'), 'https:***@h.example');
  assert.equal(visibleUrl('https://u:p\\@h.example/'), 'https://***@h.example/');
  assert.equal(visibleUrl('u:p@h.example'), 'u:***@h.example');
  assert.equal(visibleUrl(''), '');
});

test('a password before the host or a value in the query is never shown', () => {
  const scheme = fc.constantFrom('https://', 'http:', 'HTTPS:/', 'https:\\\\', 'https:\\/');
  const filler = fc.stringMatching(/^[a-z.:@]{0,8}$/);
  fc.assert(
    fc.property(scheme, filler, filler, (start, before, after) => {
      assert.doesNotMatch(visibleUrl(`${start}${before}CANARY@${after}/p?q=1`), /CANARY/);
      assert.doesNotMatch(visibleUrl(`${start}h.example/${before}?${after}=CANARY`), /CANARY/);
    }),
  );
});
