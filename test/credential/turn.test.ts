import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { grantToken } from '../../src/credential/grant-token.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { openScene } from '../support/flows/scene.js';

const { signal } = new AbortController();

test('[A-134] whoever may wait longer than usual waits for another one’s refresh as long as that', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  scene.ports.advance(301_000);
  const others = createLocks({ directory: join(scene.folder, 'state'), clock: scene.ports.clock });
  const turn = await others.acquire(`${login.key}-renewal`, { waitMs: 0, signal });
  const acquire: typeof others.acquire = async (name, options) => {
    const asked = scene.ports.locks.acquire(name, options);
    scene.ports.advance(12_000);
    return asked;
  };
  const asked = grantToken({ ...scene.ports, locks: { acquire } }, { login, minLifeMs: undefined, signal });
  await wait(100); // gives it every chance to lose patience
  await turn[Symbol.asyncDispose]();
  assert.ok((await asked).obtainedAt > login.obtainedAt);
});
