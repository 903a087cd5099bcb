import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idJagProblem, missingForExchange, missingForIdJag } from '../../../src/oauth/company/id-jag.js';
import type { AuthorizationServer } from '../../../src/oauth/server-metadata.js';
import { Secret } from '../../support/product.js';

const now = 1_800_000_000_000;
const expected = {
  issuer: 'https://idp.example',
  audience: 'https://as.example',
  resource: 'https://example.com/mcp',
  clientId: 'tool',
  now,
};
const good = {
  iss: expected.issuer,
  sub: 'alice',
  aud: expected.audience,
  resource: expected.resource,
  client_id: 'tool',
  exp: now / 1000 + 300,
  jti: '1',
};
const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const jwt = (claims: unknown, header: unknown = { alg: 'RS256', typ: 'oauth-id-jag+jwt' }, signature = 'c2ln') =>
  new Secret(`${encoded(header)}.${encoded(claims)}.${signature}`);
const problem = (claims: unknown, header?: unknown) => idJagProblem(jwt(claims, header), expected);

test('an ID-JAG of this provider for this client, server and authorization server may be sent', () => {
  assert.equal(problem(good), undefined);
  assert.equal(problem({ ...good, aud: [expected.audience], resource: [expected.resource] }), undefined);
  assert.equal(problem(good, { alg: 'ES256', typ: 'application/OAuth-ID-JAG+JWT' }), undefined);
  const unnamed = { ...good, resource: undefined };
  assert.equal(idJagProblem(jwt(unnamed), { ...expected, resource: undefined }), undefined, '--no-resource');
});

test('[A-62] any other audience, server, client, issuer, type or time keeps it here', () => {
  for (const [member, ...values] of [
    ['aud', undefined, 'https://as.example/', ['https://as.example', 'https://b.example'], [], 1],
    ['resource', undefined, null, 'https://example.com', [expected.resource, 'https://b.example'], [], {}],
    ['client_id', undefined, 'Tool', ['tool'], ''],
    ['iss', undefined, 'https://idp.example/', [expected.issuer]],
    ['exp', undefined, now / 1000 - 3600, 'soon'],
    ['nbf', now / 1000 + 3600],
    ['sub', undefined, '', 1],
  ] as const) {
    for (const value of values) {
      const why = problem({ ...good, [member]: value });
      assert.ok(why, `${member} ${JSON.stringify(value)}`);
      assert.ok(!why.includes('b.example'), 'nothing of it is quoted');
    }
  }
  for (const header of [{ alg: 'none', typ: 'oauth-id-jag+jwt' }, { alg: 'RS256' }, { alg: 'RS256', typ: 'JWT' }, {}]) {
    assert.ok(problem(good, header), JSON.stringify(header));
  }
  assert.ok(idJagProblem(new Secret('a.b.c.d.e'), expected), 'an encrypted one cannot be checked');
});

test('no text is taken for an ID-JAG but one with every claim as expected', () => {
  const claim = fc.constantFrom('iss', 'aud', 'resource', 'client_id', 'exp', 'sub');
  fc.assert(
    fc.property(claim, fc.jsonValue(), (name, value) => {
      const same = JSON.stringify((good as Record<string, unknown>)[name]) === JSON.stringify(value);
      const isOther = !same && !(name === 'sub' && typeof value === 'string' && value !== '');
      const isLater = name === 'exp' && typeof value === 'number' && value > now / 1000 - 60;
      const isList = Array.isArray(value) && value.length === 1;
      if (isOther && !isLater && !isList) assert.ok(problem({ ...good, [name]: value }));
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => idJagProblem(new Secret(text), expected) !== undefined));
});

test('what the metadata lists says whether an ID-JAG is issued, or taken; nothing listed may be both', () => {
  const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const server = (members: object) =>
    ({ grantTypes: undefined, grantProfiles: undefined, ...members }) as AuthorizationServer;
  assert.equal(missingForIdJag(server({})), undefined);
  assert.equal(missingForIdJag(server({ grantTypes: [bearer] })), undefined);
  assert.equal(
    missingForIdJag(server({ grantTypes: [], grantProfiles: ['urn:ietf:params:oauth:grant-profile:id-jag'] })),
    undefined,
  );
  assert.ok(missingForIdJag(server({ grantTypes: ['authorization_code'], grantProfiles: [] })));
  assert.equal(missingForExchange(server({})), undefined);
  assert.equal(missingForExchange(server({ exchangedTypes: ['urn:ietf:params:oauth:token-type:id-jag'] })), undefined);
  assert.ok(
    missingForExchange(
      server({ exchangedTypes: ['x'], grantTypes: ['urn:ietf:params:oauth:grant-type:token-exchange'] }),
    ),
  );
  assert.ok(missingForExchange(server({ grantTypes: ['authorization_code'] })));
});
