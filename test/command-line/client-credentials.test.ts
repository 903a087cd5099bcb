import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SandboxClient } from '../support/product.js';
import { findSecrets } from '../support/secrets-search.js';
import { openStage } from '../support/stage-here.js';

test('[R-2.3c][R-5.8b] a key logs a client in without a person; its file may go; it renews itself; nothing leaks', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }) }] };
  const clients: readonly SandboxClient[] = [{ client_id: 'robot', jwks, redirect_uris: [] }];
  await using stage = await openStage({ clients, accessTokenSeconds: 2 });
  const { serverUrl } = stage.sandbox;
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const file = join(stage.home.path, 'robot.pem');
  await writeFile(file, pem, { mode: 0o600 });

  const options = ['--client-credentials', '--client-id', 'robot', '--client-key-file', file];
  const login = await stage.run('login', serverUrl, '--name', 'robot', '--non-interactive', '-v', ...options);
  assert.equal(login.code, 0, login.stderr);
  assert.doesNotMatch(login.stderr, /chmod/);
  await chmod(file, 0o644);
  const open = await stage.run('login', serverUrl, '--name', 'robot', '--non-interactive', ...options);
  assert.match(open.stderr, /other users of this machine may read .*robot\.pem.*chmod 600 \S+robot\.pem/s);
  await rm(file);
  const first = await stage.token('robot');
  const who = await stage.run('call', 'robot', 'whoami', '--verbose');
  assert.match(who.stdout, /robot/, who.stderr);
  const second = await stage.token('robot');
  assert.notEqual(first, second, 'two seconds of life are renewed each time');

  const body = pem.split('\n')[1] ?? '';
  const secrets = { 'the key': body, 'the first token': first, 'the second token': second };
  assert.deepEqual(await findSecrets(secrets, { folders: [stage.home.path], texts: stage.printed }), []);
  assert.equal((await stage.run('logout', 'robot')).code, 0);
  assert.deepEqual(await stage.items(), []);
});

test('[R-5.6c] a scope that is missing: asked for once, without a person; what the client may not have ends the call at once', async () => {
  const clients: readonly SandboxClient[] = [
    { client_id: 'machine', client_secret: 'a-secret-of-its-own', redirect_uris: [] },
    { client_id: 'narrow', client_secret: 'a-secret-of-its-own', redirect_uris: [], scope: 'mcp:basic' },
  ];
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const asked = () =>
    stage.sandbox.requests
      .filter(({ path }) => path.endsWith('/token'))
      .map(({ params }) => new Map(params).get('scope') ?? '');
  for (const name of ['machine', 'narrow']) {
    const client = ['--client-credentials', '--client-id', name, '--client-secret-stdin'];
    client.push('--authorization-server', stage.sandbox.issuer);
    const login = await stage.runWith(
      'a-secret-of-its-own',
      'login',
      serverUrl,
      '--name',
      name,
      '--account',
      name,
      ...client,
    );
    assert.equal(login.code, 0, login.stderr);
  }
  const add = (name: string) => stage.run('call', name, 'note_add', 'text=hello');
  const added = await add('machine');
  assert.equal(added.code, 0, added.stderr);
  assert.deepEqual(new Set(asked()[2]?.split(' ')), new Set(['mcp:basic', 'notes:write']));
  assert.equal(asked().length, 3);
  const token = await stage.token('narrow');
  const refused = await add('narrow');
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /notes:write[\s\S]*scope_not_for_client/);
  assert.deepEqual([asked().length, await stage.token('narrow')], [4, token]);
  stage.sandbox.setFaults(['server-403-treadmill']);
  const treadmill = await stage.run('call', 'machine', 'echo', 'text=x');
  assert.equal(treadmill.code, 4, treadmill.stderr);
  assert.ok(asked().length <= 5, 'a server that is never content gets one widening, no more');
  assert.deepEqual(stage.browser.all, []);
});
