import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRedirectUri } from '../../src/core/configuration/redirect-uri.js';
import { login } from '../../src/login/log-in.js';
import { openScene } from '../support/flows/scene.js';
import { freePort } from '../support/free-port.js';
import { failureOf } from '../support/http.js';
import { startInsistingProvider } from '../support/insisting-provider.js';
import { Secret } from '../support/product.js';

function chosen(text: string) {
  const read = readRedirectUri(text);
  assert.ok(read.ok, text);
  return read.value;
}

test('oidc-provider that registers localhost alone: the failure names the option, and with it the login works', async () => {
  await using provider = await startInsistingProvider();
  await using scene = await openScene();
  const { serverUrl: server } = provider;
  const refused = await failureOf(login(scene.ports, scene.request({ server })), 'redirect_uri_refused');
  const [, uri = ''] = /: postern login \S+ --redirect-uri (\S+)$/.exec(refused.remedy) ?? [];
  assert.equal(uri, 'http://localhost/callback');
  await login(scene.ports, scene.request({ server, redirectUri: chosen(uri) }));
  await login(scene.ports, scene.request({ server }));
  assert.equal(provider.asked.length, 2);
  for (const asked of provider.asked) assert.match(asked, /^http:\/\/localhost:\d+\/callback$/);
});

test('oidc-provider with a client on localhost: its error page sends nothing back, and the time-out names the option', async () => {
  const redirectUri = `http://localhost:${await freePort()}/callback`;
  await using provider = await startInsistingProvider([{ client_id: 'by-hand', redirect_uris: [redirectUri] }]);
  await using scene = await openScene();
  const { serverUrl: server } = provider;
  const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };
  const asked = scene.request({ server, client, timeoutMs: 500 });
  const refused = await failureOf(login(scene.ports, asked), 'login_timed_out');
  assert.match(refused.remedy, /or --redirect-uri with the whole redirect address/);
  await login(scene.ports, scene.request({ server, client, redirectUri: chosen(redirectUri) }));
  await login(scene.ports, scene.request({ server }));
  assert.deepEqual(provider.asked.slice(1), [redirectUri, redirectUri]);
});

test('no client, and another redirect address chosen: the command that follows has that address', async () => {
  await using scene = await openScene({ registration: false, metadataDocuments: false });
  const redirectUri = chosen('http://localhost/oauth/back');
  const needed = await scene.loginFails('client_identifier_needed', { redirectUri });
  assert.match(needed.remedy, / --client-id ID --redirect-uri http:\/\/localhost:\d+\/oauth\/back$/);
  assert.equal(needed.remedy.match(/http:\/\/localhost:\d+\/oauth\/back/g)?.length, 2);
});

test('oidc-provider that knows no such resource: the command that the failure names has the client and the address given', async () => {
  const redirectUri = `http://localhost:${await freePort()}/callback`;
  const clients = [{ client_id: 'by-hand', redirect_uris: [redirectUri] }];
  await using provider = await startInsistingProvider(clients, { resource: 'refused' });
  await using scene = await openScene();
  const { serverUrl: server } = provider;
  // As the command line gives it.
  const client = { clientId: 'by-hand', secret: undefined, issuer: undefined, redirectUri: undefined };
  const asked = { server, client, redirectUri: chosen(redirectUri), scopes: ['openid'] };
  const refused = await failureOf(login(scene.ports, scene.request(asked)), 'invalid_target');
  assert.ok(
    refused.remedy.endsWith(
      `: postern login ${server} --scope openid --client-id by-hand --redirect-uri ${redirectUri} --no-resource`,
    ),
    refused.remedy,
  );
  const made = await login(scene.ports, scene.request({ ...asked, resource: null }));
  assert.equal(made.requestedResource, null);
  const secret = { ...client, secret: new Secret('s3cret'), issuer: provider.issuer };
  const other = await failureOf(
    login(scene.ports, scene.request({ ...asked, client: secret, resource: server })),
    'invalid_target',
  );
  assert.match(other.remedy, / --client-id by-hand --client-secret-stdin --redirect-uri /);
  assert.doesNotMatch(other.remedy, /s3cret/);
});
