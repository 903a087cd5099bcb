import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { makeHomeWithKey } from '../support/home.js';
import { runProgram } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';

test('with -v the requests of a refresh in a process of its own are shown, and nothing secret of them', async () => {
  const secret = 'kept-from-every-line-0123456789';
  await using sandbox = await startSandbox({
    accessTokenSeconds: 1,
    clients: [{ client_id: 'ci', client_secret: secret, redirect_uris: [] }],
  });
  await using home = await makeHomeWithKey();
  await writeFile(join(home.path, 'secret'), secret, { mode: 0o600 });
  const client = [
    ...['--client-credentials', '--client-id', 'ci', '--client-secret-file', 'secret', '--store', 'file'],
    ...['--authorization-server', sandbox.issuer],
  ];
  const made = await runProgram(home, ['login', sandbox.serverUrl, '--name', 'work', ...client]);
  assert.equal(made.code, 0, made.stderr);
  const ask = async (...options: string[]) => {
    await later(1_100);
    return runProgram(home, ['credential', 'headers', 'work', '--timeout', '60', ...options]);
  };
  const quiet = await ask();
  assert.deepEqual([quiet.code, quiet.stderr], [0, '']);
  const shown = await ask('-v');
  assert.equal(shown.code, 0);
  assert.match(
    shown.stderr,
    /^request {2}POST http:\S+\/token {2}200 {2}\d+ ms {2}\(refresh\)\n {9}> user-agent: postern/m,
  );
  const json = await ask('-v', '--json');
  const requests = json.stderr
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).request ?? []);
  assert.deepEqual(
    requests.map(({ method, status }) => [method, status]),
    [['POST', 200]],
  );
  for (const { stderr } of [shown, json]) {
    assert.ok(!stderr.includes(secret) && !stderr.includes(Buffer.from(`ci:${secret}`).toString('base64')));
    assert.doesNotMatch(stderr, /eyJ/);
  }
  await sandbox[Symbol.asyncDispose]();
  const failed = await ask('-v');
  assert.equal(failed.code, 6, failed.stderr);
  assert.match(failed.stderr, /^request {2}POST \S+ {2}no response \(network failed\)/m);
  assert.match(failed.stderr, /\[network_failed, exit 6\]\n$/);
});
