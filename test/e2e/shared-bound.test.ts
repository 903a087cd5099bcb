import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refreshTokensSent } from '../support/at-stage.js';
import { type RunningEngine, startRedis } from '../support/engines.js';
import { logInOn, openFleet } from '../support/fleet.js';
import { needs } from '../support/needs.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';

const skip = needs('redis', 'openssl', 'unshare', 'root');

/** Names and values, as the engine has them. */
async function contentOf(engine: RunningEngine): Promise<string> {
  const names = (await engine.tool('--raw', 'keys', '*')).split('\n').filter(Boolean);
  return [...names, ...(await Promise.all(names.map((name) => engine.tool('--raw', 'get', name))))].join('\n');
}

describe('a login that is bound to a key, shared by machines', { skip }, () => {
  test(`[A-194] each machine proves with the same key, one that only reads, too; a refresh keeps it, the engine has it sealed`, async () => {
    await using engine = await startRedis({ hasUsers: true });
    await using sandbox = await startSandbox({ approve: true, dpop: 'required', dpopNonce: true });
    const reading = { POSTERN_STORE_READ_ONLY: '1', POSTERN_STORE_REFRESH_KEY_FILE: '' };
    const envOf = (number: number) => (number === 2 ? reading : {});
    await using fleet = await openFleet({ address: engine.address(), count: 3, hasUsers: true, envOf });
    const [first, second, runner] = fleet.machines;
    assert.ok(first && second && runner);
    await logInOn(first, sandbox);
    const key = fleet.keyOf(first);
    const before: object = await fleet.item(key);
    assert.ok('dpopKey' in before && typeof before.dpopKey === 'string');
    for (const machine of [first, second, runner]) {
      const called = await machine.run('call', 'work', 'whoami');
      assert.equal(called.code, 0, called.stderr);
      assert.match(called.stdout, /^alice /);
    }
    await fleet.letExpire(key, -1_000);
    const renewed = await second.run('call', 'work', 'whoami');
    assert.equal(renewed.code, 0, renewed.stderr);
    const sent = refreshTokensSent({ sandbox });
    assert.equal(new Set(sent).size, 1);
    assert.ok(sent.length <= 2, 'at most once more, with the nonce that was asked for');
    const after: object = await fleet.item(key);
    assert.ok('dpopKey' in after);
    assert.equal(after.dpopKey, before.dpopKey);
    assert.equal((await runner.run('call', 'work', 'whoami')).code, 0);
    const helper = await runner.run('token', 'work');
    assert.equal(helper.code, 2);
    assert.match(helper.stderr, /dpop_bound/);
    const text = await contentOf(engine);
    assert.ok(text.length > 1_000, 'there is something to search');
    const inKey: unknown = JSON.parse(before.dpopKey);
    const secrets = { key: before.dpopKey, d: partOf(inKey), server: sandbox.serverUrl };
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { text } }), []);
  });
});

/** The private part of a JSON web key. */
function partOf(key: unknown): string {
  assert.ok(typeof key === 'object' && key !== null && 'd' in key && typeof key.d === 'string');
  return key.d;
}
