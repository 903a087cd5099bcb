import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startHttp } from '../support/http-server.js';

const run = promisify(execFile);

test('passing messages on loads no HTTP client beside our own: a bridge starts the sooner for it', async () => {
  await using server = await startHttp((_, response) => void response.end('ok'));
  const program = fileURLToPath(new URL('./relay-wire-alone.js', import.meta.url));
  const { stdout } = await run(process.execPath, [program, server.origin]);
  const { body, loaded } = JSON.parse(stdout) as { readonly body: string; readonly loaded: readonly string[] };
  assert.equal(body, 'ok');
  assert.deepEqual(
    loaded.filter((file) => file.includes('undici')),
    [],
  );
});
