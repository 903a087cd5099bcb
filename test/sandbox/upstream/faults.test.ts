import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from '../../support/start-sandbox.js';
import { listenForCallback } from '../client.js';
import { Tab } from '../tab.js';
import { codeAt, preparedTrap, profileFor, program, willing } from './deputy.js';

/** Which attacks get through to the upstream: of a link that a stranger opens, that a customer does, and of a trap. */
async function attacksWith(fault?: string) {
  await using sandbox = await startSandbox();
  await using honestCallback = await listenForCallback();
  await using evilCallback = await listenForCallback();
  const honest = await program(sandbox, honestCallback, 'Honest program');
  const evil = await program(sandbox, evilCallback, 'Evil program');
  const alice = await willing(honest.link, 'alice');
  sandbox.setFaults(fault === undefined ? [] : [fault]);
  await alice.open(evil.link);
  const customer = codeAt(evil) !== null && (await profileFor(sandbox, evil)).includes('Robin');
  const bob = await program(sandbox, evilCallback, 'Another');
  const tab = new Tab({ roams: true });
  await tab.open(bob.link);
  await tab.press('account', 'bob');
  const stranger = tab.url.origin === sandbox.upstreamUrl;
  const prepared = await preparedTrap(bob);
  await alice.open(prepared.trap);
  await prepared.tab.open(prepared.login);
  const location = prepared.tab.headers.get('location');
  const reached = location?.startsWith(evilCallback.redirectUri) ? location : undefined;
  if (reached !== undefined) await fetch(reached);
  return { stranger, customer, trapped: reached !== undefined && (await profileFor(sandbox, bob)).includes('Robin') };
}

test('[R-5.8j] [A-298] each way of being a confused deputy lets one attack through, and without a fault none gets through', async () => {
  const none = { stranger: false, customer: false, trapped: false };
  assert.deepEqual(await attacksWith(), none);
  assert.deepEqual(await attacksWith('upstream-no-consent'), { ...none, stranger: true, customer: true });
  assert.deepEqual(await attacksWith('upstream-consent-for-all'), { ...none, customer: true });
  assert.deepEqual(await attacksWith('upstream-state-unbound'), { ...none, trapped: true });
});
