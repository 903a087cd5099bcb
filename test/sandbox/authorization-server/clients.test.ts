import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CompactEncrypt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { readClients } from '../../../src/sandbox/read-clients.js';
import { startHttp } from '../../support/http-server.js';
import { type Sandbox, startSandbox } from '../../support/start-sandbox.js';
import {
  type Callback,
  claimsOf,
  type Json,
  listenForCallback,
  loggedIn,
  register,
  registerNative,
  tokenRequest,
} from '../client.js';

const { privateKey, publicKey } = await generateKeyPair('ES256');
const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] };
const redirect_uris = ['http://127.0.0.1/callback'];
const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
let sandbox: Sandbox;
let callback: Callback;

before(async () => {
  sandbox = await startSandbox({
    clients: [
      { client_id: 'public', redirect_uris },
      { client_id: 'basic', client_secret: 's3cret:/+&% ~', redirect_uris },
      { client_id: 'post', client_secret: 'p0st', redirect_uris, token_endpoint_auth_method: 'client_secret_post' },
      { client_id: 'key', jwks, redirect_uris },
      { client_id: 'job', workload: 'a', redirect_uris: [] },
      { client_id: 'other', workload: 'b', redirect_uris: [] },
    ],
  });
  callback = await listenForCallback();
});

after(async () => {
  await sandbox.close();
  await callback[Symbol.asyncDispose]();
});

const basic = (id: string, secret: string): Record<string, string> => {
  const part = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
  return { authorization: `Basic ${btoa(`${part(id)}:${part(secret)}`)}` };
};

/** What the header and the claims of a signed JWT say instead of what an honest one does; `key`: another signs it. */
interface Wrong {
  readonly claims?: JWTPayload;
  readonly header?: object;
  readonly key?: typeof privateKey;
}

const sign = (claims: JWTPayload, header: object, { key = privateKey, ...wrong }: Wrong): Promise<string> =>
  new SignJWT({
    jti: crypto.randomUUID(),
    exp: Date.now() / 1000 + 60,
    iat: Date.now() / 1000,
    ...claims,
    ...wrong.claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', ...header, ...wrong.header })
    .sign(key);

const asAssertion = (client_assertion: string): Record<string, string> => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion,
});

/** A client assertion (RFC 7523). */
const assertion = async (wrong: Wrong = {}) =>
  asAssertion(await sign({ iss: 'key', sub: 'key', aud: sandbox.issuer }, {}, wrong));

test('[R-1.8a] pre-registered clients log in: public, with secret (Basic and form), with key', async () => {
  for (const [id, form, headers] of [
    ['public', {}, {}],
    ['basic', { client_id: null }, basic('basic', 's3cret:/+&% ~')],
    ['post', { client_secret: 'p0st' }, {}],
    ['key', await assertion(), {}],
  ] as const) {
    const { redemption } = await loggedIn(sandbox, callback, id);
    const { status, json } = await tokenRequest(sandbox, { ...redemption, ...form }, headers);
    assert.equal(status, 200, `${id} ${JSON.stringify(json)}`);
    assert.equal(typeof json['refresh_token'], 'string', id);
  }
});

test('[R-1.8a] [A-291] a confidential client without its secret, with a wrong one, or with it twice is refused', async () => {
  const { redemption } = await loggedIn(sandbox, callback, 'basic');
  const anonymous = { ...redemption, client_id: null };
  for (const [form, headers] of [
    [redemption, {}],
    [anonymous, basic('basic', 'wrong')],
    [anonymous, { authorization: 'Basic !!!' }],
    [{ ...anonymous, client_secret: 's3cret:/+&% ~' }, basic('basic', 's3cret:/+&% ~')],
  ] as const)
    assert.match(String((await tokenRequest(sandbox, form, headers)).json['error']), /^invalid_(client|request)$/);
});

test('[A-62] [A-263] an assertion that has ended, is for others too, encrypted or of another algorithm is refused', async () => {
  const { redemption } = await loggedIn(sandbox, callback, 'key');
  const encrypted = await new CompactEncrypt(Buffer.from('{}'))
    .setProtectedHeader({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM' })
    .setKeyManagementParameters({ p2c: 1000 })
    .encrypt(Buffer.from('password'));
  const header = (members: object) => Buffer.from(JSON.stringify(members)).toString('base64url');
  const million = header({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2s: 'c2FsdHNhbHQ', p2c: 1_000_000 });
  const [, claims] = (await assertion())['client_assertion']?.split('.') ?? [];
  for (const wrong of [
    await assertion({ claims: { exp: Date.now() / 1000 - 2 } }),
    await assertion({ claims: { aud: [sandbox.issuer, 'https://evil.invalid'] } }),
    await assertion({ claims: { aud: `${sandbox.issuer}/token` } }),
    asAssertion([million, ...encrypted.split('.').slice(1)].join('.')),
    ...['none', 'HS256', 'RS512'].map((alg) => asAssertion(`${header({ alg, kid: 'k' })}.${claims}.c2ln`)),
  ]) {
    const { json } = await tokenRequest(sandbox, { ...redemption, ...wrong });
    assert.match(String(json['error']), /^invalid_(client|request)$/, wrong['client_assertion']);
  }
  assert.equal((await tokenRequest(sandbox, { ...redemption, ...(await assertion()) })).status, 200);
});

test('[A-263] the sandbox takes no client whose keys cost too much, registered or by its file', async () => {
  const { n: _, ...rsa } = await exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey);
  const modulusOf = (bits: number) => Buffer.alloc(bits / 8, 0xff).toString('base64url');
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...rsa, n: modulusOf(4096), kid: `${at}` }));
  const metadata = (keys: readonly object[]) => ({
    ...{ redirect_uris, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } },
  });
  for (const [keys, why] of [
    [[{ ...rsa, n: modulusOf(4104) }], /more than 4096 bits/],
    [[{ ...rsa, n: modulusOf(2048), e: modulusOf(2048) }], /exponent/],
    [many(21), /more than 20 keys/],
    [[{ kty: 'oct', k: 'c2VjcmV0' }], /shared key/],
    [[], /without keys/],
  ] as const) {
    const { status, json } = await register(sandbox, metadata(keys));
    assert.equal(status, 400);
    assert.match(String(json['error_description']), why);
    const file = Buffer.from(JSON.stringify({ client_id: 'c', jwks: { keys } }));
    assert.throws(() => readClients(file), { name: 'RangeError', message: why });
  }
  assert.equal((await register(sandbox, metadata(many(20)))).status, 201);
});

test('[R-1.8a] a machine gets a token for itself, for a named resource only', async () => {
  const request = { grant_type: 'client_credentials', scope: 'mcp:basic', client_id: 'post', client_secret: 'p0st' };
  const { json } = await tokenRequest(sandbox, request);
  assert.equal(json['refresh_token'], undefined);
  const claims = claimsOf(json['access_token']);
  assert.deepEqual([claims['sub'], claims['aud'], claims['scope']], ['post', sandbox.serverUrl, 'mcp:basic']);
  assert.equal((await tokenRequest(sandbox, { ...request, resource: null })).json['error'], 'invalid_target');
});

test('[R-1.8c] [A-290] a registration says what it registered; a hostile one is refused', async () => {
  const good: Json = { redirect_uris, token_endpoint_auth_method: 'none', client_name: 'x' };
  const { status, json } = await register(sandbox, { ...good, 'client_name#de': 'y' });
  assert.deepEqual([status, json['redirect_uris'], json['application_type']], [201, redirect_uris, 'native']);
  assert.equal(json['registration_access_token'], undefined, 'nobody changes a registration later');
  const many = Array.from({ length: 21 }, (_, at) => `https://a.invalid/${at}`);
  for (const uris of [
    ['javascript:alert(1)'],
    ['http://evil.invalid/cb'],
    ['com.example:/cb'],
    ['https://a.invalid/#'],
    ['https://u@a.invalid/'],
    [`https://a.invalid/${'x'.repeat(2_048)}`],
    [7],
    'https://a.invalid/',
    many,
  ]) {
    for (const application_type of ['native', 'web']) {
      const refused = await register(sandbox, { ...good, application_type, redirect_uris: uris });
      assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_redirect_uri'], String(uris));
    }
  }
  for (const body of [
    { ...good, jwks_uri: 'https://10.0.0.1/x' },
    { ...good, sector_identifier_uri: 'https://10.0.0.1/x' },
    { ...good, grant_types: ['authorization_code', 'client_credentials'] },
    JSON.parse('[]'),
    JSON.parse('7'),
  ]) {
    const refused = await register(sandbox, body);
    assert.deepEqual([refused.status, refused.json['error']], [400, 'invalid_client_metadata'], JSON.stringify(body));
  }
  assert.equal((await register(sandbox, { ...good, client_name: 'x'.repeat(1_048_576) })).status, 413);
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  await registerNative(sandbox, { grant_types: [device], response_types: [], redirect_uris: [] });
});

test('[A-62] a platform’s token is exchanged, or authenticates its client; one of another issuer, subject or audience is refused', async () => {
  const { issuer } = sandbox;
  const platform = async (query: Record<string, string> = {}) =>
    (await (await fetch(`${issuer}/workload/token?${new URLSearchParams(query)}`)).text()).trim();
  const exchanged = async (assertion: string, client_id = 'job') =>
    (await tokenRequest(sandbox, { grant_type: bearer, client_id, assertion })).json['error'];
  const good = await platform();
  assert.equal(await exchanged(good), undefined);
  const proof = { client_id: 'job', ...asAssertion(good) };
  assert.equal((await tokenRequest(sandbox, { grant_type: 'client_credentials', ...proof })).status, 200);
  const both = await tokenRequest(sandbox, { grant_type: bearer, assertion: good, ...proof });
  assert.equal(both.json['error'], 'invalid_request', 'never both');
  for (const token of [
    'x',
    await sign({ iss: `${issuer}/workload`, sub: 'a', aud: issuer }, {}, {}),
    await platform({ subject: 'b' }),
    await platform({ audience: sandbox.serverUrl }),
  ])
    assert.equal(await exchanged(token), 'invalid_grant', token);
  assert.equal(await exchanged(good, 'other'), 'invalid_grant');
});

test('an ID-JAG is taken once, and none that is forged, for another audience or client, expired, or no ID-JAG', async () => {
  await using company = await startHttp((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(jwks));
  });
  const companyIssuer = `${company.origin}/company`;
  await using trusting = await startSandbox({
    companyIssuer,
    clients: [{ client_id: 'c', client_secret: 's', company: 'c-there', redirect_uris: [] }],
  });
  const { issuer: aud, serverUrl: resource } = trusting;
  const claims = { iss: companyIssuer, sub: 'alice', aud, client_id: 'c', resource, scope: 'mcp:basic' };
  const exchange = async (wrong: Wrong = {}, token = sign(claims, { typ: 'oauth-id-jag+jwt' }, wrong)) => {
    const form = { grant_type: bearer, assertion: await token };
    return (await tokenRequest(trusting, form, basic('c', 's'))).json;
  };
  const once = sign(claims, { typ: 'oauth-id-jag+jwt' }, {});
  assert.equal(claimsOf((await exchange({}, once))['access_token'])['sub'], 'alice');
  assert.equal((await exchange({}, once))['error'], 'invalid_grant', 'used before');
  for (const wrong of [
    { key: (await generateKeyPair('ES256')).privateKey },
    { claims: { aud: 'https://another.example' } },
    { claims: { aud: [aud, 'https://another.example'] } },
    { claims: { iss: `${aud}/company` } },
    { claims: { client_id: 'd' } },
    { claims: { exp: Date.now() / 1000 - 60 } },
    { claims: { sub: 'nobody' } },
    { header: { typ: 'JWT' } },
  ] satisfies readonly Wrong[])
    assert.equal((await exchange(wrong))['error'], 'invalid_grant', JSON.stringify(wrong));
});
