import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientCredentialsLogin } from '../../../src/login/client/client-credentials.js';
import { deviceLogin } from '../../../src/login/device/device-login.js';

import { readCredential } from '../../../src/tokens/read-credential.js';

import { callTool, freshToken, stepUp } from '../../support/flows/calls.js';
import { hurried } from '../../support/flows/hurried.js';
import { openScene, type Scene } from '../../support/flows/scene.js';
import { type SandboxOptions, Secret, walkLogin } from '../../support/product.js';

const required: SandboxOptions = { dpop: 'required', dpopNonce: true };

/** The token requests whose proofs had a nonce, and those whose had none. */
function proven({ sandbox }: Scene): readonly boolean[] {
  return sandbox.requests
    .filter(({ path }) => path === '/token')
    .map(({ headers }) => {
      const [, claims = ''] = String(headers['dpop']).split('.');
      return 'nonce' in JSON.parse(Buffer.from(claims, 'base64url').toString());
    });
}

test('a code that is typed elsewhere: each question has a proof, and the nonce of the first holds for the rest', async () => {
  await using scene = await openScene(required);
  const { ports } = hurried(scene.ports, async (pause) => {
    const told = scene.ports.told.join('\n');
    const [address = '', userCode = ''] = [/^ {2}(http\S+)$/m, /code there: {2}(\S+)/].map(
      (one) => one.exec(told)?.[1],
    );
    if (pause === 2) await walkLogin(address, { userCode });
  });
  const login = await deviceLogin(ports, scene.request({ timeoutMs: 900_000 }));
  await callTool(scene, login, 'echo', { text: 'x' });
  assert.deepEqual(proven(scene), [false, true, true]);
});

test('a client’s own login by a secret, its next token, and more scope', async () => {
  const secret = 'a-secret-of-the-client';
  const clients = [{ client_id: 'known', client_secret: secret, redirect_uris: [] }];
  await using scene = await openScene({ ...required, clients, accessTokenSeconds: 30 });
  const { issuer } = scene.sandbox;
  const client = { clientId: 'known', secret: new Secret(secret), issuer, redirectUri: undefined };
  const login = await clientCredentialsLogin(scene.ports, scene.request({ client, scopes: ['mcp:basic'] }));
  const first = await readCredential(scene.ports, login);
  const next = await freshToken(scene, login);
  assert.notEqual(next.accessToken.reveal(), first.accessToken.reveal());
  assert.equal(next.dpopKey?.reveal(), first.dpopKey?.reveal());
  await callTool(scene, login, 'note_add', { text: 'x' });
  const wider = await readCredential(scene.ports, login);
  assert.ok(wider.scopes.includes('notes:write') && wider.dpopKey !== undefined);
});

test('a login by a platform’s token, by which the grant is asked for', async () => {
  const clients = [{ client_id: 'job', workload: 'repo:acme/app', redirect_uris: [] }];
  await using scene = await openScene({ ...required, clients });
  const path = join(scene.folder, 'token');
  await writeFile(path, await (await fetch(`${scene.sandbox.issuer}/workload/token`)).text());
  const assertion = { source: { from: 'file', path }, audience: undefined, use: undefined } as const;
  const client = { clientId: 'job', secret: undefined, assertion, issuer: undefined, redirectUri: undefined };
  const login = await clientCredentialsLogin(scene.ports, scene.request({ client }));
  assert.equal(login.dpop, 'bound');
  await callTool(scene, login, 'echo', { text: 'x' });
});

test('a step-up binds the new token to a new key, and calls go on', async () => {
  await using scene = await openScene(required);
  const login = await scene.login();
  const before = await readCredential(scene.ports, login);
  const relogin = stepUp(scene);
  await callTool(scene, login, 'note_add', { text: 'x' }, { relogin });
  assert.equal(relogin.count, 1);
  const after = await readCredential(scene.ports, login);
  assert.ok(after.dpopKey !== undefined && after.dpopKey.reveal() !== before.dpopKey?.reveal());
});

test('what is pushed names the key, too', async () => {
  await using scene = await openScene({ ...required, pushedRequests: 'required' });
  await callTool(scene, await scene.login(), 'echo', { text: 'x' });
  const pushed = scene.sandbox.requests.find(({ path }) => path === '/pushed');
  assert.match(new Map(pushed?.params).get('dpop_jkt') ?? '', /^[\w-]{43}$/);
});
