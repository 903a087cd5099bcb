import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemOf, letExpire, writeItem } from '../endurance/expiry.js';
import { keysOf } from '../support/at-stage.js';
import { startTcp } from '../support/http-server.js';
import { needs } from '../support/needs.js';
import type { Finished } from '../support/program.js';
import { runProgram, startProgram } from '../support/program.js';
import { findSecrets } from '../support/secrets-search.js';
import { startSandbox } from '../support/start-sandbox.js';
import {
  askedOfProvider,
  clients,
  companyOptions,
  companySecret,
  idJagsOf,
  loginInBrowser,
  providerOf,
  toolSecret,
} from './company.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

const processes = 9;

/** Three servers whose logins hang on one provider. */
async function openCompany() {
  const stage = await openStage({ clients });
  const companyIssuer = providerOf(stage);
  const others = [await startSandbox({ clients, companyIssuer }), await startSandbox({ clients, companyIssuer })];
  const sandboxes = [stage.sandbox, ...others];
  for (const [at, sandbox] of sandboxes.entries()) {
    const words = [sandbox.serverUrl, '--name', `s${at}`, ...(await companyOptions(stage, sandbox))];
    const login = at === 0 ? await loginInBrowser(stage, words) : await stage.run('login', ...words);
    assert.equal(login.code, 0, login.stderr);
  }
  return {
    stage,
    sandboxes,
    [Symbol.asyncDispose]: async () => {
      for (const one of others) await one.close();
      await stage[Symbol.asyncDispose]();
    },
  };
}

/** All at once, each for one of the servers. */
async function askAll(stage: Stage): Promise<readonly Finished[]> {
  const runs = await Promise.all(Array.from({ length: processes }, (_, at) => stage.run('token', `s${at % 3}`)));
  for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
  return runs;
}

const refreshesIn = (asked: readonly string[]) => asked.filter((grant) => grant === 'refresh_token').length;

test(`[A-134] of ${processes} processes for three servers at the end of all tokens one refreshes at the provider, and one asks for each server`, {
  skip,
}, async () => {
  await using company = await openCompany();
  const { stage, sandboxes } = company;
  for (let round = 1; round <= 2; round += 1) {
    for (const key of Object.values(keysOf(stage)).flat()) await letExpire(stage, key, 0);
    const before = askedOfProvider(stage).length;
    const runs = await askAll(stage);
    const asked = askedOfProvider(stage).slice(before);
    assert.deepEqual([refreshesIn(asked), asked.length], [1, 4], `round ${round}: ${asked}`);
    assert.equal(new Set(runs.map(({ stdout }) => stdout)).size, 3, 'one token for each server');
  }
  const shown = sandboxes.flatMap((sandbox) => idJagsOf({ sandbox }));
  assert.equal(new Set(shown).size, shown.length, 'no ID-JAG is sent twice');
});

test(`an ID token that the provider takes no longer, though it seems to live: of ${processes} processes one refreshes`, {
  skip,
}, async () => {
  await using company = await openCompany();
  const { stage } = company;
  const { logins, providers } = keysOf(stage);
  for (const key of logins) await letExpire(stage, key, 0);
  const [key = ''] = providers;
  const item = await itemOf(stage, key);
  // As after a change of the keys that it signs with.
  await writeItem(stage, key, { ...item, accessToken: item.accessToken.replace(/[^.]*$/, 'A'.repeat(86)) });
  const before = askedOfProvider(stage).length;
  await askAll(stage);
  const asked = askedOfProvider(stage).slice(before);
  assert.equal(refreshesIn(asked), 1, asked.join(' '));
  assert.ok(asked.length <= 1 + 2 * 3, `each server’s ID-JAG is asked for twice at most: ${asked}`);
});

test('a login by a provider is kept in no store that machines share: neither engine nor server is asked, and the command that is named works', {
  skip,
}, async () => {
  await using stage = await openStage({ clients });
  await using engine = await startTcp((socket) => socket.destroy());
  const { host } = new URL(engine.origin);
  const stores = [`redis:redis://${host}`];
  const words = [stage.sandbox.serverUrl, '--name', 'one', ...(await companyOptions(stage))];
  let remedy = '';
  for (const store of stores) {
    const refused = await stage.run('login', ...words, '--store', store, '--json');
    const { error } = JSON.parse(refused.stderr);
    assert.deepEqual([refused.code, error.code], [2, 'store_refused'], refused.stderr);
    assert.match(error.message, /one person’s/);
    assert.ok(error.message.includes(store));
    remedy = error.remedy;
  }
  const home = { ...stage.home, env: { ...stage.home.env, POSTERN_STORE: stores[0] ?? '' } };
  const bySetting = await runProgram(home, ['login', ...words]);
  assert.equal(bySetting.code, 2, bySetting.stderr);
  assert.deepEqual([engine.connections.opened, stage.sandbox.requests], [0, []]);
  const [, command = ''] = /: postern login (.*)$/.exec(remedy) ?? [];
  const login = await loginInBrowser({ ...stage, start: (...args) => startProgram(home, args) }, command.split(' '));
  assert.equal(login.code, 0, login.stderr);
  const again = await stage.run('login', 'one', '--store', stores[0] ?? '');
  assert.equal(again.code, 2, again.stderr);
  assert.match(again.stderr, /postern login one --store keychain/);
  assert.equal(engine.connections.opened, 0);
});

test('a credential helper at the end of all tokens has them refreshed by a process of its own, and says what to run once the provider’s login has ended', {
  skip,
}, async () => {
  await using stage = await openStage({ clients });
  const { serverUrl } = stage.sandbox;
  const login = await loginInBrowser(stage, [serverUrl, '--name', 'one', ...(await companyOptions(stage))]);
  assert.equal(login.code, 0, login.stderr);
  const asked = async () => {
    for (const key of Object.values(keysOf(stage)).flat()) await letExpire(stage, key, 0);
    return await stage.run('credential', 'headers', serverUrl);
  };
  const helped = await asked();
  assert.equal(helped.code, 0, helped.stderr);
  assert.equal(refreshesIn(askedOfProvider(stage)), 1);
  assert.deepEqual(
    await findSecrets({ toolSecret, companySecret }, { folders: [`${stage.home.path}/state`], texts: {} }),
    [],
  );
  stage.sandbox.setFaults(['company-session-ended']);
  const ended = await asked();
  assert.equal(ended.code, 3, ended.stderr);
  assert.match(ended.stderr, /postern login one/);
});
