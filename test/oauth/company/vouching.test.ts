import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHttp } from '../../support/http-server.js';
import { openMachine } from '../../support/machine.js';
import { startSandbox } from '../../support/start-sandbox.js';

const type = 'urn:ietf:params:oauth:token-type:id-jag';
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const jwt = (typ: string, claims: object) => `${encoded({ alg: 'ES256', typ })}.${encoded(claims)}.c2ln`;

/** A company's provider that issues one ID-JAG, whatever it is shown. */
async function startProvider(claims: () => object) {
  let exchanges = 0;
  const server = await startHttp((request, response) => {
    const { origin: issuer } = server;
    const isToken = request.method === 'POST';
    if (isToken) exchanges += 1;
    const idJag = { iss: issuer, sub: 'alice', client_id: 'tool', exp: Date.now() / 1000 + 300, jti: '1', ...claims() };
    const issued = { access_token: jwt('oauth-id-jag+jwt', idJag), issued_token_type: type, token_type: 'N_A' };
    const metadata = {
      issuer,
      token_endpoint: `${issuer}/token`,
      authorization_endpoint: `${issuer}/authorize`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      identity_chaining_requested_token_types_supported: [type],
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isToken ? { ...issued, expires_in: 300 } : metadata));
  });
  return {
    issuer: server.origin,
    exchanges: () => exchanges,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('[A-62] an ID-JAG for two servers is not sent on, and an ID token whose authorized party (azp) is another client is not shown', async () => {
  let target: object = {};
  await using provider = await startProvider(() => target);
  const client = { client_id: 'tool', client_secret: 'secret-of-the-tool', company: 'company-tool', redirect_uris: [] };
  await using sandbox = await startSandbox({ clients: [client], companyIssuer: provider.issuer });
  await using machine = await openMachine();
  const file = async (name: string, text: string) => {
    const path = join(machine.home.path, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const idToken = { iss: provider.issuer, sub: 'alice', aud: ['company-tool'], exp: Date.now() / 1000 + 300 };
  const logIn = async (claims: object) => {
    const { code, stderr } = await machine.run([
      ...['login', sandbox.serverUrl, '--json', '--idp', provider.issuer, '--idp-client-id', 'company-tool'],
      ...['--idp-token-file', await file('id-token', jwt('JWT', { ...idToken, ...claims }))],
      ...['--client-id', 'tool', '--client-secret-file', await file('secret', client.client_secret)],
      ...['--authorization-server', sandbox.issuer],
    ]);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    const sent = sandbox.requests.filter(({ params }) => new Map(params).has('assertion')).length;
    return [code, error.code, provider.exchanges(), sent];
  };
  const { serverUrl, issuer: aud } = sandbox;
  target = { aud, resource: [serverUrl, 'https://another.example/mcp'] };
  assert.deepEqual(await logIn({ azp: 'company-tool' }), [5, 'id_jag_unusable', 1, 0]);
  assert.deepEqual(await logIn({ azp: 'another' }), [3, 'assertion_unusable', 1, 0]);
  target = { aud, resource: [serverUrl] };
  assert.deepEqual((await logIn({ azp: 'company-tool' })).slice(2), [2, 1], 'one for this server alone is sent on');
});
