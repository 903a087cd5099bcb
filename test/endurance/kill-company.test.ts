import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { askedOfProvider, clients, companyOptions, loginInBrowser } from '../e2e/company.js';
import { openStage, type Stage } from '../e2e/stage.js';
import { keysOf } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import { type Finished, startProgram } from '../support/program.js';
import { itemOf, letExpire, rounds } from './expiry.js';

const skip = needs('gnome-keyring', 'secret-tool');
const kills = rounds('POSTERN_ENDURANCE_REFRESH_KILLS', 3, 200);

/** A login by a company's provider, whose tokens have ended, there as well. */
async function openEnded(): Promise<{ readonly stage: Stage; readonly provider: string }> {
  const stage = await openStage({ clients });
  const login = await logIn(stage);
  assert.equal(login.code, 0, login.stderr);
  return { stage, provider: await letAllEnd(stage) };
}

async function logIn(stage: Stage) {
  return await loginInBrowser(stage, [stage.sandbox.serverUrl, '--name', 'one', ...(await companyOptions(stage))]);
}

/** @returns the key of the provider's item */
async function letAllEnd(stage: Stage): Promise<string> {
  const { logins, providers } = keysOf(stage);
  for (const key of [...logins, ...providers]) await letExpire(stage, key, 0);
  const [provider] = providers;
  assert.ok(provider !== undefined);
  return provider;
}

const refreshes = (stage: Stage): number => askedOfProvider(stage).filter((grant) => grant === 'refresh_token').length;

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!isSo()) {
    assert.ok(performance.now() < end, what);
    await wait(2);
  }
}

/** Once more where gnome-keyring has ended by itself in the middle of it: that is no fault of what is tested. */
async function unlessKeyringEnds(stage: Stage, use: () => Promise<Finished>): Promise<Finished> {
  const ended = await use();
  return ended.code !== 0 && (await stage.keyring.revive()) ? await use() : ended;
}

const recoveryOf = ({ home }: Stage): string => `${home.path}/state/postern/recovery`;

/** What is left of refreshes. */
const left = (stage: Stage): readonly string[] => (existsSync(recoveryOf(stage)) ? readdirSync(recoveryOf(stage)) : []);

describe('SIGKILL in the middle of a refresh at a company’s provider', { skip }, () => {
  for (const [what, faults] of [
    ['an ID token', []],
    ['another refresh token alone', ['company-no-id-token']],
  ] as const) {
    test(`[A-136][R-5.8b] the response has ${what}, and the keychain hangs: it is sealed before, and the next command goes on with it`, async () => {
      const { stage, provider } = await openEnded();
      await using _stage = stage;
      const before = await itemOf(stage, provider);
      const asked = refreshes(stage);
      stage.sandbox.setFaults(['company-slow', ...faults]);
      const home = { ...stage.home, env: { ...stage.home.env, POSTERN_STORE_SECONDS: '60' } };
      await using killed = startProgram(home, ['token', 'one']);
      await until('the provider was not asked', () => refreshes(stage) > asked);
      stage.keyring.pause();
      await until('nothing was sealed', () => existsSync(`${recoveryOf(stage)}/${provider}.sealed`));
      killed.kill('SIGKILL');
      assert.equal((await killed.finished).code, null);
      stage.keyring.resume();
      stage.sandbox.setFaults([]);
      const next = await stage.run('token', 'one');
      assert.deepEqual([next.code, next.stderr], [0, '']);
      assert.equal(refreshes(stage), asked + 1, 'the provider was asked for no other one');
      const now = await itemOf(stage, provider);
      assert.notEqual(now.refreshToken, before.refreshToken, 'the new one is in the keychain');
      assert.deepEqual(left(stage), []);
      await letAllEnd(stage);
      const later = await stage.run('token', 'one');
      assert.equal(later.code, 0, `the login goes on: ${later.stderr}`);
    });
  }

  test('the provider had not responded: its token is spent, and the next command says which login to make', async () => {
    const { stage } = await openEnded();
    await using _stage = stage;
    const asked = refreshes(stage);
    stage.sandbox.setFaults(['company-slow']);
    await using killed = startProgram(stage.home, ['token', 'one']);
    await until('the provider was not asked', () => refreshes(stage) > asked);
    killed.kill('SIGKILL');
    await killed.finished;
    stage.sandbox.setFaults([]);
    const next = await stage.run('token', 'one');
    assert.equal(next.code, 3, next.stderr);
    assert.match(next.stderr, /no longer good.*once for all its servers: postern login one/s);
    const again = await stage.run('token', 'one');
    assert.equal(again.code, 3);
    assert.equal(refreshes(stage), asked + 2, 'what was refused is not sent again');
    assert.equal((await loginInBrowser(stage, ['one'])).code, 0);
    assert.equal((await stage.run('token', 'one')).code, 0);
    assert.deepEqual(left(stage), []);
  });

  test(`at ${kills} random moments: the login goes on, but for those where the provider had the token and nobody its response`, async (context) => {
    const { stage, provider } = await openEnded();
    await using _stage = stage;
    const began = performance.now();
    assert.equal((await stage.run('token', 'one')).code, 0);
    const usualMs = performance.now() - began;
    let lost = 0;
    for (let round = 1; round <= kills; round += 1) {
      await letAllEnd(stage);
      await using running = startProgram(stage.home, ['token', 'one']);
      void wait(Math.random() * usualMs).then(() => running.kill('SIGKILL'));
      await running.finished;
      if (await stage.keyring.revive()) continue;
      const { code, stderr } = await unlessKeyringEnds(stage, () => stage.run('token', 'one'));
      if (code === 3) {
        lost += 1;
        const again = await unlessKeyringEnds(stage, () => loginInBrowser(stage, ['one']));
        assert.equal(again.code, 0, again.stderr);
        continue;
      }
      assert.deepEqual([code, stderr], [0, ''], `round ${round}`);
      // The room for a server's token, which nothing was spent for, may stay until its next refresh.
      const ofProvider = left(stage).filter((name) => name.startsWith(provider));
      assert.deepEqual(ofProvider, [], `round ${round}: something is left`);
    }
    context.diagnostic(`lost ${lost} of ${kills}, all of it takes ${Math.round(usualMs)} ms`);
    assert.ok(lost <= 1 + kills / 10, `${lost} of ${kills} kills lost the login`);
  });
});
