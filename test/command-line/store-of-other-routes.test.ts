import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';
import { movableClock } from '../support/movable-clock.js';
import { walkLogin } from '../support/product.js';
import { startSandbox } from '../support/start-sandbox.js';

test('the store that is chosen holds for a device login and for a client’s own, too, without a keychain [A-194]', async () => {
  const machine = { client_id: 'machine', client_secret: 'secret-of-the-machine', redirect_uris: [] };
  await using sandbox = await startSandbox({ clients: [machine] });
  await using bare = await makeHome();
  const keyFile = join(bare.path, 'key');
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const home = { ...bare, env: { ...bare.env, POSTERN_STORE_KEY_FILE: keyFile } };

  const clock = movableClock();
  await using device = startHere(home, ['login', sandbox.serverUrl, '--device', '--store', 'file'], { own: { clock } });
  const shown = /^ {2}(http\S+)\n.*code there: {2}(\S+)\n/m;
  const [, address = '', userCode = ''] = await device.waitForStderr(shown);
  await walkLogin(address, { userCode });
  clock.advance(5_000);
  const { code, stderr } = await device.finished;
  assert.equal(code, 0, stderr);

  const words = ['login', sandbox.serverUrl, '--account', 'robot', '--store', 'file', '--client-credentials'];
  const own = [...words, '--client-id', 'machine', '--client-secret-stdin', '--authorization-server', sandbox.issuer];
  const robot = await runHere(home, own, 'secret-of-the-machine\n');
  assert.equal(robot.code, 0, robot.stderr);

  const status = JSON.parse((await runHere(home, ['status', '--json'])).stdout);
  assert.deepEqual(
    status.logins.map(({ store }: { store: string }) => store),
    ['file', 'file'],
  );
});
