import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { needs } from '../support/needs.js';
import { walkLogin } from '../support/product.js';
import { programCommand, startCommand } from '../support/program.js';
import { openStage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

test('login --client-secret-stdin takes the secret from a file on stdin', { skip }, async () => {
  const secret = 'canary-of-a-client-secret-0123456789';
  const redirect_uris = ['http://127.0.0.1/callback'];
  const clients = [{ client_id: 'confidential', client_secret: secret, redirect_uris }];
  await using stage = await openStage({ registration: false, metadataDocuments: false, clients });
  const file = join(stage.home.path, 'secret.txt');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const { serverUrl, issuer } = stage.sandbox;
  const words = programCommand(['login', serverUrl, '--client-id', 'confidential', '--authorization-server', issuer]);
  await using program = startCommand('sh', ['-c', '"$@" --client-secret-stdin < "$0"', file, ...words], stage.home);
  await walkLogin(await stage.browser.opened());
  const { code, stderr } = await program.finished;
  assert.equal(code, 0, stderr);
});
