import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Authority, startAuthority } from '../../support/certificates.js';
import { openOwnScene } from '../../support/flows/own-scene.js';
import { openScene } from '../../support/flows/scene.js';
import { startHttp, type TestServer } from '../../support/http-server.js';
import { needs } from '../../support/needs.js';
import type { SandboxOptions } from '../../support/product.js';

describe('a login with a client ID metadata document', { skip: needs('openssl') }, () => {
  let authority: Authority;
  let host: TestServer;
  let clientId: string;
  let options: SandboxOptions;
  let headers: Record<string, string>;
  let redirectUris: readonly string[];

  before(async () => {
    authority = await startAuthority();
    host = await startHttp(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(
          JSON.stringify({
            client_id: clientId,
            client_name: 'postern, from a document',
            redirect_uris: redirectUris,
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: 'none',
          }),
        );
      },
      await authority.issue('DNS:localhost,IP:127.0.0.1'),
    );
    clientId = `${host.origin}/client.json`;
    options = { metadataDocuments: { caFile: authority.caFile, allow: [new URL(host.origin).host] } };
  });

  after(async () => {
    await host[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  const publish = (...uris: readonly string[]) => {
    headers = { 'cache-control': 'max-age=600' };
    redirectUris = uris;
  };

  test('[R-1.8b][R-4.4a][R-4.6a] its address is the client identifier; nothing is registered; it is fetched once for two logins', async () => {
    publish('http://127.0.0.1/callback');
    await using scene = await openScene(options);
    const login = await scene.login({ metadataUrl: clientId });
    assert.deepEqual([login.clientId, login.registration], [clientId, 'metadata']);
    await scene.login({ metadataUrl: clientId });
    const { stats } = scene.sandbox;
    assert.deepEqual([stats.registrations, host.requests.length, stats.tokenRequests], [0, 1, 2]);
    const noted = (await scene.ports.index.read()).registrations;
    assert.deepEqual(
      noted.map(({ way, clientId: id, hasSecret }) => [way, id, hasSecret]),
      [['metadata', clientId, false]],
    );
    const asked = scene.askedAuthorizationServer();
    assert.deepEqual(asked.slice(0, 2), ['/.well-known/oauth-authorization-server', '/authorize']);
  });

  test('[Q-6.9] at another authorization server of the same server it is the same client, and nothing is registered', async () => {
    publish('http://127.0.0.1/callback');
    await using scene = await openScene(options);
    await using another = await openScene(options);
    await using own = await openOwnScene();
    own.server.publish({ authorization_servers: [scene.sandbox.issuer] });
    const wish = { server: own.server.url, metadataUrl: clientId };
    const failure = await scene.loginFails('invalid_target', wish); // neither knows that resource
    assert.match(failure.message, /invalid_target/);
    own.server.publish({ authorization_servers: [another.sandbox.issuer] });
    await scene.loginFails('invalid_target', { ...wish, issuer: another.sandbox.issuer });
    for (const { sandbox } of [scene, another]) {
      const asked = sandbox.requests.find(({ path }) => path === '/authorize');
      assert.equal(new Map(asked?.params).get('client_id'), clientId);
      assert.equal(sandbox.stats.registrations, 0);
    }
  });

  test('[R-2.5d][R-4.4b] a redirect URI without port in the document stands for any port, and for no other path', async () => {
    publish('http://127.0.0.1/callback');
    await using scene = await openScene(options);
    const ports = new Set<string>();
    for (let count = 0; count < 2; count += 1) {
      await scene.login({ metadataUrl: clientId });
      const asked = scene.sandbox.requests.findLast(({ path }) => path === '/authorize');
      const redirectUri = new URL(new Map(asked?.params).get('redirect_uri') ?? '');
      assert.deepEqual([redirectUri.hostname, redirectUri.pathname], ['127.0.0.1', '/callback']);
      ports.add(redirectUri.port);
    }
    assert.ok(!ports.has(''), 'the port of the listener is named');
    publish('http://127.0.0.1/another');
    await using refusing = await openScene(options, { msAfterWalk: 20_000 });
    await refusing.loginFails('login_timed_out', { metadataUrl: clientId });
    const refused = refusing.sandbox.requests.findLast(({ path }) => path === '/authorize');
    assert.equal(refused?.status, 400);
    assert.equal(refusing.sandbox.stats.tokenRequests, 0);
  });

  test('[R-2.2a] without the announcement the document is not used, and dynamic registration is next', async () => {
    publish('http://127.0.0.1/callback');
    await using scene = await openScene({ ...options, metadataDocuments: false });
    const login = await scene.login({ metadataUrl: clientId });
    assert.equal(login.registration, 'dynamic');
    assert.equal(
      scene.sandbox.requests.some(({ params }) => params.some(([, value]) => value === clientId)),
      false,
    );
  });
});

for (const value of [false, 'true', 1, null, ['true'], undefined]) {
  test(`[R-2.2a][A-64] client_id_metadata_document_supported is ${JSON.stringify(value)}: no URL is sent as client identifier`, async () => {
    await using scene = await openScene();
    await using own = await openOwnScene();
    own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: value };
    const wish = { server: own.server.url, metadataUrl: 'https://postern.invalid/client.json' };
    const login = await scene.login(wish);
    assert.equal(login.registration, 'dynamic');
    assert.equal(own.issuer.authorizations[0]?.get('client_id'), 'client-1');
    const failure = await scene.loginFails('registration_way_closed', { ...wish, registration: 'metadata' });
    assert.equal(failure.exit, 2);
  });
}

test('[R-2.2a] client_id_metadata_document_supported is true: the document’s address is sent', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  const metadataUrl = 'https://postern.invalid/client.json';
  await scene.login({ server: own.server.url, metadataUrl });
  assert.equal(own.issuer.authorizations[0]?.get('client_id'), metadataUrl);
  assert.equal(own.issuer.forms[0]?.fields.get('client_id'), metadataUrl);
  assert.deepEqual(own.issuer.registrations, []);
});

test('[R-2.3a] an address that is no client identifier is not sent as one, and no browser is opened for it', async () => {
  await using scene = await openScene();
  await using own = await openOwnScene();
  own.issuer.metadata = { ...own.issuer.metadata, client_id_metadata_document_supported: true };
  for (const metadataUrl of [
    'http://as.example/client.json',
    'https://as.example',
    'https://as.example/a/../client.json',
    'https://as.example/client.json#x',
    'https://user:password@as.example/client.json',
  ]) {
    const wish = { server: own.server.url, metadataUrl };
    const failure = await scene.loginFails('client_metadata_url_refused', wish);
    assert.equal(failure.exit, 2);
    assert.doesNotMatch(failure.message + failure.remedy, /password@/);
  }
  assert.deepEqual(own.issuer.authorizations, []);
});
