import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { SandboxClient } from '../../support/product.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import { type Callback, claimsOf, type Json, listenForCallback, loggedIn, register, tokenRequest } from '../client.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const redirect_uris = ['http://127.0.0.1/callback'];
const clients: readonly SandboxClient[] = [
  { client_id: 'public', redirect_uris },
  { client_id: 'basic', client_secret: 's3cret:/+&% ~', redirect_uris },
  { client_id: 'post', client_secret: 'p0st', redirect_uris, token_endpoint_auth_method: 'client_secret_post' },
  { client_id: 'key', jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] }, redirect_uris },
  { client_id: 'machine', client_secret: 'm', redirect_uris: [] },
];
let sandbox: Sandbox;
let callback: Callback;

before(async () => {
  sandbox = await startSandbox({ clients });
  callback = await listenForCallback();
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

function basic(id: string, secret: string): Record<string, string> {
  const part = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
  return { authorization: `Basic ${Buffer.from(`${part(id)}:${part(secret)}`).toString('base64')}` };
}

/** A client assertion (RFC 7523). */
function assertion(audience: unknown, seconds = 60): Record<string, string> {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'key', sub: 'key', aud: audience, jti: randomUUID(), iat: now, exp: now + seconds };
  const signed = `${encode({ alg: 'ES256', kid: 'k' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${signed}.${signature.toString('base64url')}`,
  };
}

test('[R-1.8a] pre-registered clients log in: public, with secret (Basic and form), with key', async () => {
  const ways: readonly (readonly [string, Record<string, string>, Record<string, string>])[] = [
    ['public', {}, {}],
    ['basic', {}, basic('basic', 's3cret:/+&% ~')],
    ['post', { client_secret: 'p0st' }, {}],
    ['key', assertion(sandbox.issuer), {}],
  ];
  for (const [id, form, headers] of ways) {
    const { redemption } = await loggedIn(sandbox, callback, id);
    const { client_id, ...rest } = redemption;
    const named = id === 'basic' ? rest : { client_id: client_id ?? null, ...rest };
    const { status, json } = await tokenRequest(sandbox, { ...named, ...form }, headers);
    assert.equal(status, 200, `${id} ${JSON.stringify(json)}`);
    assert.equal(typeof json['refresh_token'], 'string', id);
  }
});

test('[R-1.8a] [A-291] a confidential client without its secret, with a wrong one, or with it twice is refused', async () => {
  const { redemption } = await loggedIn(sandbox, callback, 'basic');
  const { client_id: _, ...anonymous } = redemption;
  const refused = [
    await tokenRequest(sandbox, redemption),
    await tokenRequest(sandbox, anonymous, basic('basic', 'wrong')),
    await tokenRequest(sandbox, anonymous, { authorization: 'Basic !!!' }),
    await tokenRequest(sandbox, { ...anonymous, client_secret: 's3cret:/+&% ~' }, basic('basic', 's3cret:/+&% ~')),
  ];
  for (const { status, json } of refused) {
    assert.ok(status === 400 || status === 401);
    assert.match(String(json['error']), /^invalid_(client|request)$/);
  }
});

test('[A-62] an assertion is for this issuer alone', async () => {
  for (const audience of [
    [sandbox.issuer, 'https://evil.invalid'],
    `${sandbox.issuer}/token`,
    'https://evil.invalid',
  ]) {
    const { status, json } = await tokenRequest(sandbox, { grant_type: 'client_credentials', ...assertion(audience) });
    assert.deepEqual([status, json['error']], [401, 'invalid_client']);
  }
});

test('[A-62] an assertion that has ended is refused, however short a time ago', async () => {
  const { redemption } = await loggedIn(sandbox, callback, 'key');
  const late = await tokenRequest(sandbox, { ...redemption, ...assertion(sandbox.issuer, -2) });
  assert.deepEqual([late.status, late.json['error']], [401, 'invalid_client']);
  assert.equal((await tokenRequest(sandbox, { ...redemption, ...assertion(sandbox.issuer) })).status, 200);
});

test('[R-1.8a] a machine gets a token for itself, for a named resource only', async () => {
  const request = { grant_type: 'client_credentials', scope: 'mcp:basic' };
  const { status, json } = await tokenRequest(sandbox, request, basic('machine', 'm'));
  assert.equal(status, 200);
  assert.equal(json['refresh_token'], undefined);
  const claims = claimsOf(json['access_token']);
  assert.deepEqual([claims['sub'], claims['aud'], claims['scope']], ['machine', sandbox.serverUrl, 'mcp:basic']);
  const aimless = await tokenRequest(sandbox, { ...request, resource: null }, basic('machine', 'm'));
  assert.equal(aimless.json['error'], 'invalid_target');
  const anybody = await tokenRequest(sandbox, { ...request, client_id: 'public' });
  assert.equal(anybody.json['error'], 'invalid_request');
});

test('[R-1.8c] [A-290] a registration says what it registered; a hostile one is refused', async () => {
  const good: Json = { redirect_uris, token_endpoint_auth_method: 'none', client_name: 'x' };
  const { status, json } = await register(sandbox, { ...good, __proto__: { polluted: 1 }, 'client_name#de': 'y' });
  assert.equal(status, 201);
  assert.deepEqual([json['redirect_uris'], json['application_type']], [redirect_uris, 'native']);
  assert.equal(json['registration_access_token'], undefined, 'nobody changes a registration later');
  for (const uri of [
    'javascript:alert(1)',
    'data:text/html,x',
    'http://evil.invalid/cb',
    'com.example:/cb',
    'https://a.invalid/#f',
    'https://u@a.invalid/',
    'https://:p@a.invalid/',
    'https://a.invalid/#',
    `https://a.invalid/${'x'.repeat(2_048)}`,
    'no address',
    7,
  ]) {
    const refused = await register(sandbox, { ...good, redirect_uris: [uri] });
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_redirect_uri'], String(uri));
    const web = await register(sandbox, { ...good, application_type: 'web', redirect_uris: [uri] });
    assert.equal(web.status, 400, String(uri));
  }
  for (const uris of ['https://a.invalid/', {}, Array.from({ length: 21 }, (_, at) => `https://a.invalid/${at}`)]) {
    const refused = await register(sandbox, { ...good, redirect_uris: uris as Json['x'] });
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_redirect_uri']);
    assert.match(String(refused.json['error_description']), /https, or http on a loopback address/);
  }
  for (const reference of ['jwks_uri', 'sector_identifier_uri']) {
    const refused = await register(sandbox, { ...good, [reference]: 'https://10.0.0.1/x' });
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_client_metadata'], reference);
  }
  const machine = await register(sandbox, { ...good, grant_types: ['authorization_code', 'client_credentials'] });
  assert.deepEqual([machine.status, machine.json['error']], [400, 'invalid_client_metadata']);
  const large = await register(sandbox, { ...good, client_name: 'x'.repeat(1_048_576) });
  assert.equal(large.status, 413);
  for (const body of ['[]', 'null', '"text"', '7']) {
    const refused = await register(sandbox, JSON.parse(body));
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_client_metadata'], body);
    assert.match(String(refused.json['error_description']), /not a JSON object/, body);
  }
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  const keyboardless = { token_endpoint_auth_method: 'none', grant_types: [device], response_types: [] };
  const { status: taken, json: registered } = await register(sandbox, keyboardless);
  assert.deepEqual([taken, registered['grant_types']], [201, [device]], 'who has no redirect URI needs none');
});

test('[A-289] no page of another origin reads what the token endpoint says', async () => {
  const redemption = { grant_type: 'authorization_code', client_id: 'public', code: 'x' };
  const { headers } = await tokenRequest(sandbox, redemption, { origin: 'https://evil.example' });
  const cors = [...headers.keys()].filter((name) => name.startsWith('access-control-allow'));
  assert.deepEqual(cors, []);
});
