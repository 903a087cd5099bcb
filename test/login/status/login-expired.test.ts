import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrlOf } from '../../e2e/stage.js';
import { freePort } from '../../support/free-port.js';
import { walkLogin } from '../../support/product.js';
import { startProgram } from '../../support/program.js';
import { startSandbox } from '../../support/start-sandbox.js';
import { homeWith } from './home-with.js';

test('login --expired makes each login anew that has ended, as it was; one that fails keeps no other from it', async () => {
  await using sandbox = await startSandbox();
  const away = `http://127.0.0.1:${await freePort()}/mcp`;
  await using at = await homeWith(
    { name: 'away', server: away, zone: 'loopback', dead: true },
    { name: 'fine', server: 'https://fine.example/mcp' },
    {
      name: 'box',
      server: sandbox.serverUrl,
      issuer: sandbox.issuer,
      account: 'me',
      preferred: true,
      dead: true,
      askedScopes: ['notes:read'],
    },
  );
  await using program = startProgram(at.home, ['login', '--expired', '--no-browser', '--store', 'file']);
  await walkLogin(await authorizationUrlOf(program));
  const { code, stdout, stderr } = await program.finished;
  assert.equal(code, 6, stderr);
  const lines = stdout.replaceAll(/ {2,}/g, '|').split('\n');
  assert.deepEqual(lines, [
    `box (account me)|logged in|${sandbox.serverUrl}`,
    `away|failed|${away}`,
    'Logged in to 1 server of 2; 1 failed: run the command again to try them once more.',
    '',
  ]);
  const box = await at.named('box');
  assert.deepEqual(
    [box?.dead, box?.account, box?.preferred, box?.askedScopes],
    [undefined, 'me', true, ['notes:read']],
  );
  assert.ok(box?.scopes.includes('notes:read'));
  const wrong = await at.run('login', '--expired', 'box');
  assert.deepEqual([wrong.code, /--expired takes no server/.test(wrong.stderr)], [2, true]);
});

test('login --expired with nothing to do says so', async () => {
  await using at = await homeWith({ name: 'fine' });
  assert.deepEqual([(await at.run('login', '--expired')).stdout], ['No login has to be made again.\n']);
  assert.deepEqual(JSON.parse((await at.run('login', '--expired', '--json')).stdout), { logins: [], failures: [] });
});
