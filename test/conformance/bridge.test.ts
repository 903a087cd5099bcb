import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Keyring, startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { newerOnOldWire, newerWithConsent, required, type Scenario } from './scenarios.js';
import { bridgeDriver, play, suiteIsMissing } from './suite.js';

const skip = suiteIsMissing() || needs('gnome-keyring', 'secret-tool');
const table: string[] = [];
let keyring: Keyring | undefined;

before(async () => {
  if (skip === false) keyring = await startKeyring();
});

function declare({ name, ...scenario }: Scenario): void {
  test(`${name}, by way of postern bridge`, { skip }, async () => {
    const result = await play({ name, ...scenario }, bridgeDriver, keyring?.env ?? {});
    const verdict = result.clean ? `clean, ${result.succeeded} checks` : result.complaints.join('; ');
    table.push(`bridge ${name.padEnd(40)} ${verdict}`);
    assert.ok(result.clean, `${result.complaints.join('\n')}\n${result.log}`);
  });
}

describe('official conformance suite through the bridge, requirements of 2025-11-25', { concurrency: 2 }, () => {
  required.forEach(declare);
});

describe('official conformance suite through the bridge, newer authorization scenarios on the old wire', {
  concurrency: 2,
}, () => {
  newerOnOldWire.forEach(declare);
  newerWithConsent.forEach(declare);
});

after(async () => {
  await keyring?.[Symbol.asyncDispose]();
  process.stdout.write(`\n${table.sort().join('\n')}\n\n`);
});
