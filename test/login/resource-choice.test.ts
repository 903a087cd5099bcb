import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLook } from '../../src/core/text/look.js';
import { createPages } from '../../src/login/browser/page.js';
import { deviceLogin } from '../../src/login/device/device-login.js';
import { loginJson, loginLines, loginStatus } from '../../src/login/status/login-status.js';
import { proveAddress } from '../../src/tokens/credential-target.js';
import { readCredential } from '../../src/tokens/read-credential.js';
import { refreshedToken } from '../../src/tokens/valid-token.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';
import type { LoginRecord } from '../support/product.js';

/** The resource of each request to the authorization server that could name one, in order. */
function sent(scene: Scene): readonly string[] {
  return scene.sandbox.requests
    .filter(
      ({ at, path }) => at === 'authorization' && /\/(?:authorize|token|pushed|device\/authorization)$/.test(path),
    )
    .map(({ path, params }) => {
      const resource = params.find(([name]) => name === 'resource')?.[1] ?? '-';
      return `${path.split('/').at(-1)} ${resource}`;
    });
}

async function refresh(scene: Scene, login: LoginRecord): Promise<void> {
  const { accessToken: rejected } = await readCredential(scene.ports, login);
  await refreshedToken(scene.ports, { login, rejected, signal: new AbortController().signal });
}

test('resource refused, in Entra’s words: the failure names the option and what it costs; with it all works, and is kept', async () => {
  await using scene = await openScene({ faults: ['resource-refused'] });
  const refused = await scene.loginFails('invalid_target');
  assert.match(refused.message, /AADSTS9010010/);
  assert.match(refused.remedy, /valid at other services .*: postern login http\S+ --no-resource$/);
  assert.match(refused.remedy, /--resource AS_SPELLED/);
  const before = sent(scene).length;
  const login = await scene.login({ resource: null });
  assert.equal(login.requestedResource, null);
  assert.match(String(login.warnings), /\(--no-resource\): it may be valid at other services/);
  assert.match(scene.ports.told.join('\n'), /Note: the token is asked for without naming this server/);
  await refresh(scene, login);
  await scene.login({ heldScopes: login.scopes, scopes: ['notes:read'] });
  assert.deepEqual([...new Set(sent(scene).slice(before))].toSorted(), ['authorize -', 'token -']);
});

test('a login without a resource says so in status, and the server’s own spelling ends it', async () => {
  await using scene = await openScene({ faults: ['resource-refused'] });
  const login = await scene.login({ resource: null });
  const status = loginStatus(login, Date.now());
  assert.match(loginLines(status, Date.now(), plainLook).join('\n'), /resource +none is asked for \(--no-resource\)/);
  assert.deepEqual(
    [loginJson(status)['resource'], loginJson(status)['requestedResource']],
    [scene.sandbox.serverUrl, null],
  );
  scene.sandbox.setFaults([]);
  const again = await scene.login({ resource: scene.sandbox.serverUrl });
  assert.equal(again.requestedResource, undefined);
  assert.equal(again.warnings?.some((one) => one.includes('--')) ?? false, false);
});

test('another spelling is asked for, kept and shown', async () => {
  await using scene = await openScene({ faults: ['resource-renamed'] });
  await scene.loginFails('invalid_target');
  const none = await scene.loginFails('invalid_target', { resource: null });
  assert.match(none.remedy, /: postern login http\S+ --resource AS_SPELLED$/);
  const before = sent(scene).length;
  const resource = 'api://postern-sandbox';
  const login = await scene.login({ resource });
  await refresh(scene, login);
  await scene.login();
  const named = new Set(sent(scene).slice(before));
  assert.deepEqual([...named].toSorted(), [`authorize ${resource}`, `token ${resource}`]);
  assert.match(String(login.warnings), /asked for api:\/\/postern-sandbox \(--resource\)/);
});

test('it is never left out by itself: the refused login is not tried again without', async () => {
  await using scene = await openScene({ faults: ['resource-refused'] });
  await scene.loginFails('invalid_target');
  assert.deepEqual(
    sent(scene).filter((one) => one.endsWith('-')),
    [],
  );
});

test('a login by a code leaves it out, too, and a pushed request', async () => {
  await using scene = await openScene({ faults: ['resource-refused'], approve: true, pushedRequests: 'required' });
  const request = scene.request({ scopes: ['mcp:basic'] });
  const refused = await failureOf(deviceLogin(scene.ports, request), 'invalid_target');
  assert.match(refused.remedy, /--no-resource/);
  const login = await deviceLogin(scene.ports, { ...request, resource: null });
  assert.equal(login.requestedResource, null);
});

test('[A-158] the binding keeps the server’s own resource: the token goes to that server, and nowhere else', async () => {
  await using scene = await openScene({ faults: ['resource-refused'] });
  const login = await scene.login({ resource: null });
  const item = await readCredential(scene.ports, login);
  assert.equal(item.binding.resource, scene.sandbox.serverUrl);
  assert.equal(item.requestedResource, null);
  proveAddress(item.binding, scene.sandbox.serverUrl);
  assert.throws(() => proveAddress(item.binding, scene.sandbox.issuer), { code: 'token_not_for_url' });
  // What another program writes into the index changes no refresh.
  const changed = { ...login, requestedResource: 'https://evil.example/' };
  const before = sent(scene).length;
  await refresh(scene, changed);
  assert.deepEqual(sent(scene).slice(before), ['token -']);
});

test('a program that chooses what the token is for has the person asked on a page that says so', async () => {
  await using scene = await openScene({ faults: ['resource-refused'] });
  await scene.login({ resource: null, name: 'known' });
  const pages = createPages();
  const about = { program: 'agent', server: 'https://a.example/mcp', issuer: 'https://as.example' };
  assert.match(pages.consent({ ...about, requestedResource: null }, '/agreed/x').html, /this server is not named/);
  assert.match(pages.consent({ ...about, requestedResource: 'api://<b>' }, '/agreed/x').html, /&lt;b&gt;/);
  assert.doesNotMatch(pages.consent(about, '/agreed/x').html, /Access to/);
});
