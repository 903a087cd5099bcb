import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { startCanaries } from './canary.js';
import { findSecrets } from './secrets-search.js';
import { temporaryFolder } from './temporary.js';

test('a secret is found in any form and at any place of a text', async () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9._~+/=%&"-]{16,40}$/);
  await fc.assert(
    fc.asyncProperty(secret, fc.string(), fc.string(), async (value, before, after) => {
      const around = (text: string): string => `${before}${text}${after}`;
      const texts = {
        plain: around(value),
        url: around(encodeURIComponent(value)),
        json: JSON.stringify({ [before]: value }),
        base64: Buffer.from(around(value)).toString('base64'),
        base64url: Buffer.from(around(value)).toString('base64url'),
      };
      const leaks = await findSecrets({ value }, { folders: [], texts });
      assert.deepEqual(leaks.map((leak) => leak.where).sort(), Object.keys(texts).sort());
    }),
  );
});

test('a secret is found in files, file names and link targets of a folder tree, and only there', async () => {
  await using folder = await temporaryFolder();
  const value = 'canary-0123456789';
  await mkdir(join(folder.path, 'deep', value), { recursive: true });
  await writeFile(join(folder.path, 'deep', value, 'name'), 'harmless');
  await writeFile(join(folder.path, 'deep', 'content'), `\0\xff${value}`);
  await writeFile(join(folder.path, 'clean'), 'canary-9876543210');
  await symlink(`/nowhere/${value}`, join(folder.path, 'link'));
  const leaks = await findSecrets({ value }, { folders: [folder.path], texts: { text: 'clean' } });
  assert.deepEqual(leaks.map((leak) => leak.where.replace(folder.path, '')).sort(), [
    '/deep/content',
    '/link',
    `name of ${'/deep/'}${value}/name`,
  ]);
});

test('a canary records every connection and byte on three loopback addresses', async () => {
  await using canaries = await startCanaries();
  for (const [host, port] of Object.entries(canaries.ports)) {
    const socket = connect({ host, port });
    await once(socket, 'connect');
    socket.end(`hello from ${host}`);
    await once(socket.resume(), 'close');
  }
  assert.deepEqual(
    canaries.visits.map(({ bytes }) => bytes),
    Object.keys(canaries.ports).map((host) => `hello from ${host}`),
  );
});

test('a missing need is a reason and a note, and an error where nothing may be left out', async () => {
  await using folder = await temporaryFolder();
  const notes = join(folder.path, 'notes');
  const needsFile = pathToFileURL(join(import.meta.dirname, 'needs.js')).href;
  const run = (extra: Record<string, string>) =>
    spawnSync(
      process.execPath,
      ['-e', `import('${needsFile}').then(({ needs }) => console.log(needs('openssl', 'git')))`],
      { env: { PATH: folder.path, POSTERN_SKIPS: notes, ...extra }, encoding: 'utf8' },
    );
  assert.match(run({}).stdout, /not on this machine: openssl, git/);
  const noted = (await readFile(notes, 'utf8')).trim().split('\n');
  assert.deepEqual(
    noted.map((line) => JSON.parse(line).need),
    ['openssl', 'git'],
  );
  assert.notEqual(run({ POSTERN_REQUIRE_ALL: '1' }).status, 0);
});
