import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTaken, refreshTokensSent } from '../support/at-stage.js';
import { startAuthority } from '../support/certificates.js';
import { startRedis } from '../support/engines.js';
import { logInOn, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import { startSandbox } from '../support/start-sandbox.js';
import { rounds } from './expiry.js';

const skip = needs('redis', 'openssl', 'unshare', 'root');
const processes = rounds('POSTERN_ENDURANCE_FLEET_PROCESSES', 4, 25);
const machines = processes > 4 ? 8 : 3;
const marginMs = 60_000;

describe('a login that machines share, at the moment of its expiry', { skip }, () => {
  test(`[R-5.8a] Redis with TLS and users: ${machines} machines with ${processes} processes each get one refresh, and valid tokens`, async (context) => {
    await using authority = await startAuthority();
    await using engine = await startRedis({ authority, hasUsers: true });
    await using sandbox = await startSandbox({ approve: true });
    const env = {
      POSTERN_STORE_SECONDS: '60',
      POSTERN_LEASE_SECONDS: '60',
      POSTERN_CONNECT_SECONDS: '60',
      POSTERN_TOKEN_SECONDS: '120',
    };
    const address = engine.address();
    await using fleet = await openFleet({ address, count: machines, caFile: authority.caFile, hasUsers: true, env });
    const [first] = fleet.machines;
    assert.ok(first);
    await logInOn(first, sandbox);
    const key = fleet.keyOf(first);
    // Each finds the login in the store by its name before.
    for (const machine of fleet.machines) {
      const { code, stderr } = await machine.run('token', 'work');
      assert.deepEqual([code, stderr], [0, '']);
    }
    const old = await fleet.letExpire(key, marginMs);
    const began = performance.now();
    const all = await Promise.all(
      fleet.machines.flatMap((machine) => Array.from({ length: processes }, () => machine.run('token', 'work'))),
    );
    context.diagnostic(`${all.length} processes took ${Math.round(performance.now() - began)} ms`);
    context.diagnostic(
      `refreshes: ${refreshTokensSent({ sandbox }).map((one) => one.slice(0, 6))}; ${JSON.stringify([...new Set(all.map(({ code, stderr }) => `${code} ${stderr}`))])}`,
    );
    for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(refreshTokensSent({ sandbox }), [old.refreshToken], 'one refresh');
    const printed = new Set(all.map(({ stdout }) => stdout.trim()));
    // Until it ends the old one is used by who does not wait for the refresh.
    printed.delete(old.accessToken);
    assert.deepEqual([...printed], [(await fleet.item(key)).accessToken]);
    for (const token of printed) assert.ok(await isTaken({ sandbox }, token));
  });
});
