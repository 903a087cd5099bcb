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
