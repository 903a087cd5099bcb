import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgeOn } from '../bridge/host.js';
import { authorizationUrlOf, keysOf } from '../support/at-stage.js';
import { walkLogin } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { endTokens, openStage, type Stage } from '../support/stage-here.js';

const clientInfo = { name: 'host', version: '1.0.0' };
const initialize = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } };

async function logIn(stage: Stage, ...args: string[]): Promise<void> {
  await using login = stage.start('login', stage.sandbox.serverUrl, '--name', 'box', '--no-browser', '-v', ...args);
  await walkLogin(await authorizationUrlOf(login));
  const { code, stderr } = await login.finished;
  assert.equal(code, 0, stderr);
}

/** The proofs of all requests that the protected server was sent with a token. */
function proofs({ sandbox }: Stage): readonly { readonly jti: string; readonly nonce?: string }[] {
  const bound = sandbox.requests.filter(({ at, headers }) => at === 'server' && headers['authorization'] !== undefined);
  return bound.map(({ headers }) => {
    assert.match(String(headers['authorization']), /^DPoP /);
    return JSON.parse(Buffer.from(String(headers['dpop']).split('.')[1] ?? '', 'base64url').toString());
  });
}

test('a login that is bound to a key: call, request, bridge and proxy carry proofs, helpers say so, the key is in the keychain alone', async () => {
  await using stage = await openStage({ dpop: 'required', dpopNonce: true });
  const { serverUrl } = stage.sandbox;
  await logIn(stage);
  assert.match((await stage.run('call', 'box', 'whoami', '-v')).stdout, /^alice/);
  await endTokens(stage, keysOf(stage).logins);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...initialize });
  const accept = ['-H', 'content-type: application/json', '-H', 'accept: application/json, text/event-stream'];
  const request = await stage.run('request', serverUrl, '-v', '-d', body, ...accept);
  assert.match(request.stdout, /"protocolVersion"/, request.stderr);
  assert.ok(stage.sandbox.stats.refreshes > 0);

  await using bridge = bridgeOn(stage, 'box');
  bridge.send({ id: 1, ...initialize });
  assert.equal((await bridge.next()).error, undefined);
  bridge.send({ method: 'notifications/initialized' });
  for (let id = 2; id < 34; id += 1) {
    bridge.send({ id, method: 'tools/call', params: { name: 'echo', arguments: { text: `${id}` } } });
  }
  for (let id = 2; id < 34; id += 1) assert.equal((await bridge.next()).error, undefined);

  await using proxy = stage.start('proxy', 'box');
  const [url] = await proxy.waitForStdout(/^http:\S+(?=\n)/m);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', dpop: 'own' };
  const posted = Array.from({ length: 16 }, async () => (await fetch(url, { method: 'POST', headers, body })).status);
  assert.deepEqual(new Set(await Promise.all(posted)), new Set([200]));
  proxy.kill('SIGTERM');
  await proxy.finished;

  const ids = proofs(stage).map(({ jti }) => jti);
  assert.ok(ids.length > 50);
  assert.equal(new Set(ids).size, ids.length, 'each request has a proof of its own');

  for (const command of [
    ['token', 'box'],
    ['token', 'box', '--refresh', '--json'],
    ['credential', 'headers', serverUrl],
    ['exec', 'box', '--', 'env'],
    ['setup', 'claude', 'box'],
    ['setup', 'git', 'box'],
  ]) {
    const { code, stdout, stderr } = await stage.run(...command);
    assert.deepEqual([code, stdout], [2, ''], command.join(' '));
    assert.match(stderr, /dpop_bound/);
    assert.match(stderr, /postern proxy box/);
  }
  assert.match((await stage.run('status', 'box', '-l')).stdout, /bound to a key/);
  assert.match((await stage.run('status', '--json')).stdout, /"tokenType":\s*"DPoP"/);
  const entry = await stage.run('setup', 'cursor', 'box');
  assert.equal(entry.code, 0, entry.stderr);

  const [item] = (await stage.items()).filter(({ secret }) => secret.includes('dpopKey'));
  const { dpopKey, accessToken } = JSON.parse(item?.secret ?? '{}');
  const secrets = { key: dpopKey, d: JSON.parse(dpopKey).d, accessToken };
  const texts = {
    ...stage.printed,
    requests: JSON.stringify(stage.sandbox.requests.map(({ headers: sent, params }) => [sent['dpop'], params])),
  };
  const { accessToken: _, ...keys } = secrets;
  assert.deepEqual(await findSecrets(keys, { folders: [stage.home.path], texts }), []);
  assert.deepEqual(await findSecrets({ accessToken }, { folders: [stage.home.path], texts: stage.printed }), []);

  assert.equal((await stage.run('logout', 'box')).code, 0);
  assert.deepEqual(await stage.items(), []);
});

test('--dpop where nothing is announced is refused before anybody logs in; a Bearer login is as ever', async () => {
  await using stage = await openStage();
  const refused = await stage.run('login', stage.sandbox.serverUrl, '--dpop', '--no-browser');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /dpop_not_offered/);
  assert.ok(stage.sandbox.requests.every(({ path }) => path !== '/register' && path !== '/authorize'));
  await logIn(stage);
  assert.match(await stage.token('box'), /^\S{20,}$/);
  assert.match((await stage.run('token', 'box', '--header')).stdout, /^Authorization: Bearer \S+\n$/);
  assert.doesNotMatch((await stage.run('status', 'box', '-l')).stdout, /bound to a key/);
  assert.ok(stage.sandbox.requests.every(({ headers }) => headers['dpop'] === undefined));
});
