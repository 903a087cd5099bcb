import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wantedScope } from '../../src/tokens/step-up.js';

test('[R-5.6a][A-165] only a challenge for a token with insufficient_scope and well-formed names of scope asks for more', () => {
  const wants = wantedScope(['Bearer error="insufficient_scope", scope="a b", error_description="why"']);
  assert.deepEqual(wants, { scopes: ['a', 'b'], said: 'why' });
  for (const challenge of [
    'Basic realm="insufficient_scope"',
    'Bearer scope="a"',
    'Bearer error="invalid_token", scope="a"',
    'Bearer error="insufficient_scope"',
    'Bearer error="insufficient_scope", scope=""',
    'Bearer error="insufficient_scope", scope="a\\"b"',
  ]) {
    assert.equal(wantedScope([challenge]), undefined, challenge);
  }
  assert.equal(wantedScope([]), undefined);
  // Where there is no Bearer challenge, the same stands in that of DPoP (RFC 9449 section 7.1).
  assert.deepEqual(wantedScope(['DPoP error="insufficient_scope", scope="a"']), { scopes: ['a'], said: '' });
  assert.equal(wantedScope(['DPoP error="insufficient_scope", scope="a", Bearer scope="b"']), undefined);
});

test('[R-5.6a] without a Bearer challenge, the scopes that a JSON body calls missing are asked for (mcp-auth sends them so)', () => {
  const wanted = (body: unknown, challenges: readonly string[] = []) =>
    wantedScope(challenges, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  const missing = { error: 'missing_required_scopes', error_description: 'why', missing_scopes: ['a', 'b'] };
  assert.deepEqual(wanted(missing), { scopes: ['a', 'b'], said: 'missing_required_scopes: why' });
  assert.deepEqual(wanted({ missing_scopes: ['a'] }, ['Basic']), { scopes: ['a'], said: '' });
  for (const other of [
    'missing_scopes',
    [missing],
    {},
    { missing_scopes: 'a' },
    { missing_scopes: [] },
    { missing_scopes: ['a"b'] },
    { missing_scopes: [1] },
  ]) {
    assert.equal(wanted(other), undefined, JSON.stringify(other));
  }
  assert.equal(wanted(missing, ['Bearer error="invalid_token"']), undefined, 'the challenge goes before it');
});
