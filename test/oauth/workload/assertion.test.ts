import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertionUse, checkAssertion, jwtBearerGrant } from '../../../src/oauth/workload/assertion.js';
import { Secret } from '../../support/product.js';

const audience = 'https://as.example';
const now = 1_800_000_000_000;
const seconds = now / 1000;
const encoded = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const jwt = (claims: unknown, header: unknown = { alg: 'RS256' }, signature = 'c2ln') =>
  `${encoded(header)}.${encoded(claims)}.${signature}`;
const good = { iss: 'https://platform.example', sub: 'job', aud: audience, exp: seconds + 300 };
const check = (text: string) => checkAssertion(new Secret(text), { audience, now });
const problemOf = (text: string) => {
  const checked = check(text);
  return checked.ok ? undefined : checked.problem;
};

test('a signed JWT for this audience alone, valid now, may be sent', () => {
  assert.deepEqual(check(jwt(good)), { ok: true, claims: { issuer: 'https://platform.example', subject: 'job' } });
  assert.equal(problemOf(jwt({ ...good, aud: [audience] })), undefined);
  assert.equal(problemOf(jwt({ ...good, nbf: seconds })), undefined);
});

test('[A-62] any other audience, and any beside it, keeps it here', () => {
  for (const aud of [
    undefined,
    null,
    '',
    [],
    [audience, 'https://other.example'],
    [audience, audience],
    ['https://other.example', audience],
    [[audience]],
    { 0: audience, length: 1 },
    `${audience}/`,
    `${audience}.evil.example`,
    audience.toUpperCase(),
    audience.slice(0, -1),
    ` ${audience}`,
    `${audience} https://other.example`,
    1,
    'https://kubernetes.default.svc.cluster.local',
  ]) {
    assert.equal(problemOf(jwt({ ...good, aud })), 'audience', JSON.stringify(aud));
  }
  const twice = `{"aud":"https://other.example","aud":"${audience}","exp":${seconds + 300}}`;
  assert.equal(problemOf(jwt(twice)), 'form', 'two readers would read two audiences');
});

test('times are compared with a minute’s leeway', () => {
  for (const [change, problem] of [
    [{ exp: seconds - 59 }, undefined],
    [{ exp: seconds - 60 }, 'time'],
    [{ exp: undefined }, 'time'],
    [{ exp: String(seconds + 300) }, 'time'],
    [{ nbf: seconds + 60 }, undefined],
    [{ nbf: seconds + 61 }, 'time'],
    [{ nbf: 'soon' }, 'time'],
  ] as const) {
    assert.equal(problemOf(jwt({ ...good, ...change })), problem, JSON.stringify(change));
  }
});

test('what is not signed, or no JWT, is refused', () => {
  for (const text of [
    jwt(good, { alg: 'none' }),
    jwt(good, { alg: 'NoNe' }),
    jwt(good, { alg: 'RS256' }, ''),
    jwt(good, {}),
    jwt(good, { alg: ['RS256'] }),
    jwt([good]),
    jwt('null'),
    `${jwt(good)}.more`,
    `${jwt(good)}.a.b`,
    jwt(good).replace('.', '..'),
    'ghs_0123456789',
    '',
  ]) {
    assert.equal(problemOf(text), 'form', text);
  }
});

test('whatever text or claims: checked, never thrown, and sent only for the very audience', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.jsonValue().map((claims) => jwt(claims)),
    fc.record({ aud: fc.jsonValue() }).map((claims) => jwt({ ...good, ...claims })),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const checked = check(text);
      if (!checked.ok) return;
      const { aud } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());
      assert.deepEqual([aud].flat(), [audience]);
    }),
  );
});

test('what it is used for: a person’s choice, else the grant where it is listed, else to authenticate; else nothing', () => {
  const grantTypes = [jwtBearerGrant];
  const tokenAuthMethods = ['private_key_jwt'];
  const none = { grantTypes: undefined, tokenAuthMethods: undefined };
  assert.equal(assertionUse({ grantTypes, tokenAuthMethods }, undefined), 'grant');
  assert.equal(assertionUse({ ...none, tokenAuthMethods }, undefined), 'client');
  assert.equal(assertionUse(none, undefined), undefined);
  assert.equal(assertionUse({ grantTypes, tokenAuthMethods }, 'client'), 'client');
  assert.equal(assertionUse(none, 'grant'), 'grant');
});
