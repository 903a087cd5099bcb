import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityIn, idTokenProblem } from '../../src/oauth/id-token.js';
import { makeHomeWithKey } from '../support/home.js';
import { runHere } from '../support/in-process.js';
import { Secret } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';

const now = 1_800_000_000_000;
const expected = { issuer: 'https://as.example', clientId: 'client-1', now };
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: object) => new Secret(`${part({ alg: 'ES256' })}.${part(claims)}.c2ln`);
const good = { iss: 'https://as.example', aud: 'client-1', sub: 'alice', exp: now / 1000 + 60, email: 'a@b.example' };

test('an ID token counts where its issuer, audience, authorized party and time are right, and says who logged in', () => {
  const fine: readonly object[] = [
    {},
    { aud: ['client-1'] },
    { aud: ['client-1', 'other'], azp: 'client-1' },
    { exp: now / 1000 - 200 }, // clocks differ
    { nonce: 'nobody sent one' },
  ];
  for (const change of fine) {
    const identity = identityIn(tokenOf({ ...good, ...change }), expected);
    assert.deepEqual(identity, { subject: 'alice', shown: 'a@b.example', name: undefined, email: 'a@b.example' });
  }
  const broken: readonly (readonly [object, RegExp])[] = [
    [{ iss: 'https://as.example/' }, /another issuer/],
    [{ iss: undefined }, /another issuer/],
    [{ aud: 'client-2' }, /another client/],
    [{ aud: [] }, /another client/],
    [{ aud: ['client-1', 'other'], azp: 'other' }, /another client/],
    [{ exp: now / 1000 - 301 }, /has expired/],
    [{ exp: undefined }, /when it expires/],
    [{ exp: '9999999999' }, /when it expires/],
    [{ sub: '' }, /names nobody/],
    [{ sub: 7 }, /names nobody/],
    [{ sub: 'x'.repeat(256) }, /names nobody/],
  ];
  for (const [change, why] of broken) {
    const token = tokenOf({ ...good, ...change });
    assert.equal(identityIn(token, expected), undefined, JSON.stringify(change));
    assert.match(idTokenProblem(token, expected) ?? '', why);
  }
  const old = tokenOf({ ...good, exp: undefined });
  assert.equal(
    identityIn(old, { ...expected, now: undefined })?.subject,
    'alice',
    'at a refresh the subject alone counts',
  );
  for (const text of ['', 'a.b', 'a.!.c', `a.${Buffer.from('[]').toString('base64url')}.c`]) {
    assert.equal(identityIn(new Secret(text), expected), undefined);
    assert.equal(idTokenProblem(new Secret(text), expected), 'it is no JSON web token');
  }
});

test('who asks for openid is shown whose login it is; a broken ID token is told to who asked, and breaks no login', async () => {
  await using sandbox = await startSandbox({ approve: true });
  await using home = await makeHomeWithKey();
  const words = ['login', sandbox.serverUrl, '--device', '--store', 'file', '--name', 'work', '--force'];
  const named = await runHere(home, [...words, '--scope', 'openid mcp:basic']);
  assert.equal(named.code, 0, named.stderr);
  assert.match(named.stdout, /signed in +as alice@sandbox\.example/);
  assert.doesNotMatch(named.stdout, /note/, 'openid is no scope of an access token');
  const who = await runHere(home, ['whoami', 'work', '--json']);
  const [{ identity, subject, personName, email }] = JSON.parse(who.stdout).logins;
  assert.deepEqual(
    [identity, subject, personName, email],
    ['alice@sandbox.example', 'alice', 'Alice Example', 'alice@sandbox.example'],
  );
  assert.match((await runHere(home, ['status'])).stdout, /alice@sandbox\.example/);

  sandbox.setFaults(['token-extra']);
  const asked = await runHere(home, [...words, '--scope', 'openid mcp:basic']);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /note +who logged in is not known from the ID token: it is of another issuer/);
  assert.doesNotMatch(asked.stdout, /signed in/);
  const unasked = await runHere(home, [...words, '--scope', 'mcp:basic']);
  assert.equal(unasked.code, 0, unasked.stderr);
  assert.doesNotMatch(unasked.stdout, /ID token|signed in/);
});
