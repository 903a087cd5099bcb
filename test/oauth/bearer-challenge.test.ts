import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bearerChallenge } from '../../src/oauth/challenge.js';
import { anyText } from '../support/arbitraries.js';

test('the parameters of the one Bearer challenge, beside other schemes [R-2.4a] [A-12]', () => {
  const lines = [
    'DPoP algs="ES256", Basic realm="not this", scope="nor this"',
    'bearer Realm="r", Error="insufficient_scope", error_description="why", scope="a b", other=1, resource_metadata="https://h/m"',
  ];
  assert.deepEqual(bearerChallenge(lines), {
    kind: 'bearer',
    realm: 'r',
    error: 'insufficient_scope',
    errorDescription: 'why',
    scope: 'a b',
    resourceMetadata: 'https://h/m',
  });
  assert.deepEqual(bearerChallenge(['Bearer']), { kind: 'bearer' });
});

test('no Bearer challenge is none, whatever others say [A-10] [A-168]', () => {
  assert.deepEqual(bearerChallenge([]), { kind: 'none' });
  assert.deepEqual(bearerChallenge(['Basic realm="x, Bearer resource_metadata=https://evil/"', 'Negotiate']), {
    kind: 'none',
  });
});

test('two Bearer challenges that differ are ambiguous, in whatever order and line [A-11]', () => {
  const one = 'Bearer resource_metadata="https://h/1"';
  for (const other of ['Bearer resource_metadata="https://h/2"', 'Bearer', 'Bearer abc', `${one}, realm=x`]) {
    for (const lines of [[one, other], [other, one], [`${one}, ${other}`]]) {
      assert.equal(bearerChallenge(lines).kind, 'ambiguous', lines.join(' | '));
    }
  }
});

test('two Bearer challenges that say the same are one [R-2.4a]', () => {
  const lines = ['Bearer scope="a", realm=b', 'BEARER realm="b" , Scope=a'];
  assert.deepEqual(bearerChallenge(lines), { kind: 'bearer', scope: 'a', realm: 'b' });
});

test('a parameter twice is ambiguous, even with the same value [A-11]', () => {
  assert.equal(bearerChallenge(['Bearer scope=a, scope=b']).kind, 'ambiguous');
  assert.equal(bearerChallenge(['Bearer scope=a, SCOPE="a"']).kind, 'ambiguous');
  assert.equal(bearerChallenge(['Bearer scope=a', 'scope=b']).kind, 'ambiguous');
});

test('what is too large is unreadable, not absent [A-13]', () => {
  assert.deepEqual(bearerChallenge([`Bearer realm="${'x'.repeat(9000)}"`]), {
    kind: 'unreadable',
    why: 'it is too large',
  });
  assert.deepEqual(bearerChallenge([`${'x,'.repeat(20)} Bearer`]), { kind: 'unreadable', why: 'it is too many' });
});

test('any input gives one of the four kinds [R-2.4a]', () => {
  const kinds = ['none', 'bearer', 'ambiguous', 'unreadable'];
  fc.assert(
    fc.property(fc.array(anyText().map((text) => `Bearer ${text}`)), (lines) => {
      assert.ok(kinds.includes(bearerChallenge(lines).kind));
    }),
  );
});
