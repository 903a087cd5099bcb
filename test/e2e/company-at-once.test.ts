import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemOf, letExpire, writeItem } from '../endurance/expiry.js';
import { keysOf } from '../support/at-stage.js';
import { needs } from '../support/needs.js';
import type { Finished } from '../support/program.js';
import { startSandbox } from '../support/start-sandbox.js';
import { askedOfProvider, clients, companyOptions, idJagsOf, loginInBrowser, providerOf } from './company.js';
import { openStage, type Stage } from './stage.js';

const skip = needs('gnome-keyring', 'secret-tool');

const processes = 24;

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
  for (let round = 1; round <= 3; round += 1) {
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
