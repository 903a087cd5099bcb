import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  credentialKey,
  decodeCredential,
  encodeCredential,
  registrationKey,
  type StoredCredential,
} from '../../src/stores/credential-item.js';
import { anyText } from '../support/arbitraries.js';
import { Secret } from '../support/product.js';

const binding = {
  server: 'https://mcp.example/mcp?project=alpha',
  resource: 'https://mcp.example/mcp',
  issuer: 'https://as.example',
  clientId: 'client',
  account: 'default',
};
const credential: StoredCredential = {
  version: 2,
  binding,
  tokenEndpoint: 'https://as.example/token',
  revocationEndpoint: 'https://as.example/revoke',
  authMethod: 'client_secret_basic',
  accessToken: new Secret('access-token'),
  refreshToken: new Secret('refresh-token'),
  clientSecret: new Secret('sécret'),
  expiresAt: 1_900_000_000_000,
  obtainedAt: 1_800_000_000_000,
  scopes: ['a', 'b'],
  generation: 3,
};

const assertion = {
  source: { from: 'command', words: ['/usr/bin/a', 'b'] },
  audience: 'https://as.example',
  use: 'grant',
} as const;

/** The text with one member changed; undefined takes it away. */
const changed = (name: string, value: unknown): string =>
  JSON.stringify({ ...JSON.parse(encodeCredential(credential).reveal()), [name]: value });

test('a credential comes back as it was stored, with and without what is optional', () => {
  const { refreshToken: _, clientSecret: __, revocationEndpoint: ___, ...least } = credential;
  for (const stored of [credential, { ...least, expiresAt: null, scopes: [] }, { ...least, assertion }]) {
    const text = encodeCredential(stored).reveal();
    const decoded = decodeCredential(text, binding);
    assert.ok(decoded.ok);
    assert.deepEqual(Object.keys(decoded.credential).sort(), Object.keys(stored).sort());
    assert.deepEqual(JSON.parse(encodeCredential(decoded.credential).reveal()), JSON.parse(text));
    assert.equal(decoded.credential.accessToken.reveal(), 'access-token');
  }
});

test('[A-169] [A-200] [A-57] an item of another server (its query counts), resource, issuer, client or account is not used', () => {
  const text = encodeCredential(credential).reveal();
  for (const part of ['server', 'resource', 'issuer', 'clientId', 'account'] as const) {
    const other = { ...binding, [part]: `${binding[part]}x` };
    assert.deepEqual(decodeCredential(text, other), { ok: false, problem: 'binding' }, part);
  }
});

test('[A-197] an item of a later version is told apart, whatever else it holds', () => {
  for (const text of [changed('version', 3), '{"version":99}']) {
    assert.deepEqual(decodeCredential(text, binding), { ok: false, problem: 'newer' });
  }
});

test('[A-196] cut, wrong types, binary, __proto__, members twice: corrupt, never a throw', () => {
  const whole = encodeCredential(credential).reveal();
  const wrong: [string, unknown][] = [
    ['version', '1'],
    ['version', 0],
    ['version', 1.5],
    ['binding', null],
    ['binding', { ...binding, issuer: 1 }],
    ['accessToken', undefined],
    ['accessToken', 'two\r\nlines'],
    ['accessToken', ''],
    ['refreshToken', null],
    ['clientSecret', {}],
    ['tokenEndpoint', 7],
    ['authMethod', 'private'],
    ['expiresAt', '1'],
    ['expiresAt', -1],
    ['expiresAt', 1e300],
    ['obtainedAt', null],
    ['scopes', 'a b'],
    ['scopes', [1]],
    ['generation', undefined],
  ];
  const texts = [
    ...wrong.map(([name, value]) => changed(name, value)),
    ...Array.from({ length: whole.length }, (_, length) => whole.slice(0, length)),
    whole.replace('"version":2', '"version":2,"version":2'),
    changed('binding', { ...binding, server: undefined }),
    '{"__proto__":{"version":1}}',
    '[]',
    'null',
    '\u0000\ufffd',
  ];
  for (const text of texts) {
    assert.deepEqual(decodeCredential(text, binding), { ok: false, problem: 'corrupt' }, text);
  }
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.json()), (text) => {
      assert.equal(decodeCredential(text, binding).ok, false);
    }),
  );
});

test('[A-199] no two bindings have the same key, however their parts are cut; a key is 64 hex digits', async () => {
  const crafted = [
    ['a', 'b', 'c', 'd', 'e'],
    ['ab', '', 'c', 'd', 'e'],
    ['', 'ab', 'c', 'd', 'e'],
    ['a|b', 'c', 'd', '', ''],
    ['a', 'b|c', 'd', '', ''],
    ['a\0b', 'c', 'd', '', ''],
    ['a', 'b\0c', 'd', '', ''],
    ['\ud800', '', '', '', ''],
    ['\udfff', '', '', '', ''],
    ['\ufffd', '', '', '', ''],
    ['../../x', '', '', '', ''],
    [`https://a.example/${'x'.repeat(10_000)}`, '', '', '', ''],
  ] as const;
  const keyOf = ([server, resource, issuer, clientId, account]: readonly [string, string, string, string, string]) =>
    credentialKey({ server, resource, issuer, clientId, account });
  const keys = await Promise.all(crafted.map(keyOf));
  assert.equal(new Set(keys).size, crafted.length);
  assert.ok(keys.every((key) => /^[0-9a-f]{64}$/.test(key)));
  const text = anyText({ maxLength: 3 });
  const parts = fc.tuple(text, text, text, text, text);
  await fc.assert(
    fc.asyncProperty(parts, parts, async (one, other) => {
      assert.equal(
        (await keyOf(one)) === (await keyOf(other)),
        one.every((part, at) => part === other[at]),
      );
    }),
  );
});

test('[A-57] [A-199] a client of one issuer is not found at another', async () => {
  const keys = [
    await registrationKey('https://a.example', 'client'),
    await registrationKey('https://b.example', 'client'),
    await registrationKey('https://a.examplec', 'lient'),
    await credentialKey({ ...binding, resource: 'https://a.example', issuer: 'client' }),
    await credentialKey({ ...binding, server: 'https://a.example', resource: 'client' }),
  ];
  assert.equal(new Set(keys).size, keys.length);
});

test('a login by a company’s provider has its parts again, and wrong ones are corrupt', () => {
  const provider = { issuer: 'https://idp.example', clientId: 'desktop', subject: 'alice' };
  const file = {
    path: '/run/id-token',
    tokenEndpoint: 'https://idp.example/t',
    authMethod: 'none',
    zone: 'public',
  } as const;
  for (const members of [
    { provider, grant: 'id_jag' },
    { provider: { ...provider, file }, grant: 'id_jag', providerSecret: new Secret('s') },
    { holds: 'id_token' },
  ] as const) {
    const text = encodeCredential({ ...credential, ...members }).reveal();
    const decoded = decodeCredential(text, binding);
    assert.ok(decoded.ok);
    assert.deepEqual(JSON.parse(encodeCredential(decoded.credential).reveal()), JSON.parse(text));
  }
  const whole = { ...JSON.parse(encodeCredential({ ...credential, provider, grant: 'id_jag' }).reveal()) };
  for (const wrong of [
    { provider: null },
    { provider: {} },
    { provider: { ...provider, file: { ...file, path: 'id-token' } } },
    { holds: 'x' },
  ]) {
    const decoded = decodeCredential(JSON.stringify({ ...whole, ...wrong }), binding);
    assert.deepEqual(decoded, { ok: false, problem: 'corrupt' }, JSON.stringify(wrong));
  }
});
