import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { walkLogin } from '../../../support/product.js';
import { startSandbox } from '../../../support/start-sandbox.js';
import { observe } from '../../observe.js';
import { Tab } from '../../tab.js';
import { askProvider, authorizationUrl, clients, exchange, jsonOf, logIn, redeem } from './flow.js';

test('the provider logs in, refreshes with rotation, exchanges, and its ID-JAG works once', async () => {
  await using sandbox = await startSandbox({ clients, approve: true });
  const first = await logIn(sandbox);
  assert.equal(decodeJwt(first['id_token'] ?? '').sub, 'alice');
  const next = jsonOf(
    await askProvider(sandbox, { grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '' }),
  );
  assert.notEqual(next['refresh_token'], first['refresh_token']);
  const issued = jsonOf(await exchange(sandbox, next['id_token'] ?? ''));
  const idJag = issued['access_token'] ?? '';
  const { aud, resource, client_id } = decodeJwt(idJag);
  assert.deepEqual([aud, resource, client_id], [sandbox.issuer, sandbox.serverUrl, 'tool']);
  const token = jsonOf(await redeem(sandbox, idJag));
  assert.equal(decodeJwt(token['access_token'] ?? '').sub, 'alice');
  assert.equal(jsonOf(await redeem(sandbox, idJag))['error'], 'invalid_grant', 'a second time');
  const metadata = jsonOf(await observe(`${sandbox.issuer}/.well-known/oauth-authorization-server`));
  assert.deepEqual(metadata['authorization_grant_profiles_supported'], ['urn:ietf:params:oauth:grant-profile:id-jag']);
  // A spent refresh token ends the login.
  const spent = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] ?? '' };
  assert.equal(jsonOf(await askProvider(sandbox, spent))['error'], 'invalid_grant');
  const living = { grant_type: 'refresh_token', refresh_token: next['refresh_token'] ?? '' };
  assert.equal(jsonOf(await askProvider(sandbox, living))['error'], 'invalid_grant');
});

test('[A-62] whatever else is shown for an ID-JAG is refused: forged, of another client, for another server, type or time', async () => {
  await using sandbox = await startSandbox({ clients, approve: true });
  const { issuer, serverUrl } = sandbox;
  const { id_token: idToken = '' } = await logIn(sandbox);
  const { privateKey } = await generateKeyPair('ES256');
  const forged = await new SignJWT({ client_id: 'tool', resource: serverUrl })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
    .setIssuer(`${issuer}/company`)
    .setSubject('alice')
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime('5m')
    .setJti('1')
    .sign(privateKey);
  const elsewhere = jsonOf(await exchange(sandbox, idToken, { audience: 'http://127.0.0.1:9' }))['access_token'] ?? '';
  const other =
    jsonOf(await exchange(sandbox, idToken, { resource: 'https://other.example/mcp' }))['access_token'] ?? '';
  for (const assertion of ['', 'x', forged, elsewhere, other, idToken]) {
    assert.notEqual((await redeem(sandbox, assertion)).status, 200, assertion);
  }
  const good = jsonOf(await exchange(sandbox, idToken))['access_token'] ?? '';
  const asOther = { client_id: 'other', client_secret: 'x'.repeat(32) };
  assert.notEqual((await redeem(sandbox, good, asOther)).status, 200, 'another client');
  assert.equal(jsonOf(await exchange(sandbox, good))['error'], 'invalid_grant', 'an ID-JAG is no ID token');
  const asAnother = { authorization: `Basic ${Buffer.from('another:y').toString('base64')}` };
  assert.equal(jsonOf(await exchange(sandbox, idToken, { client_id: 'another' }, asAnother))['error'], 'invalid_grant');
  assert.equal(jsonOf(await exchange(sandbox, idToken, { client_id: 'another' }))['error'], 'invalid_client');
  assert.equal(jsonOf(await exchange(sandbox, idToken, { audience: 'https://as.example' }))['error'], 'invalid_target');
});

test('the provider’s page asks who one is; a request that is not whole, or leads off this computer, gets no code', async () => {
  await using sandbox = await startSandbox({ clients });
  const arrival = await walkLogin(authorizationUrl(sandbox), { account: 'bob', stopBefore: '/callback' });
  assert.match(arrival.finalUrl, /[?&]code=.+&iss=/);
  const tab = new Tab();
  await tab.open(authorizationUrl(sandbox));
  assert.match(tab.html, /Who are you today/);
  const policy = tab.headers.get('content-security-policy') ?? '';
  assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:9\b/, 'else a browser stops here');
  for (const given of [{ client_id: 'nobody' }, { redirect_uri: 'https://evil.example/callback' }]) {
    assert.equal((await observe(authorizationUrl(sandbox, given))).status, 400, JSON.stringify(given));
  }
  for (const given of [{ code_challenge_method: 'plain' }, { response_type: 'token' }]) {
    const [location = ''] = (await observe(authorizationUrl(sandbox, given))).header('location');
    assert.match(location, /error=/);
  }
});
