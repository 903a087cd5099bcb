import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Keyring, startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { extensions, newerOnOldWire, newerWithConsent, required, type Scenario } from './scenarios.js';
import { driver, play, suiteIsMissing } from './suite.js';

const skip = suiteIsMissing() || needs('gnome-keyring', 'secret-tool');
const table: string[] = [];
let keyring: Keyring | undefined;

before(async () => {
  if (skip === false) keyring = await startKeyring();
});

function declare(scenario: Scenario): void {
  test(`${scenario.name} ${scenario.rules}`.trim(), { skip }, async () => {
    const result = await play(scenario, driver, keyring?.env ?? {});
    const verdict = result.clean ? `clean, ${result.succeeded} checks` : result.complaints.join('; ');
    table.push(`${scenario.name.padEnd(40)} ${verdict}`);
    assert.ok(result.clean, `${result.complaints.join('\n')}\n${result.log}`);
  });
}

describe('official conformance suite, requirements of 2025-11-25', { concurrency: 2 }, () => {
  required.forEach(declare);
});

describe('official conformance suite, newer authorization scenarios on the old wire', { concurrency: 2 }, () => {
  newerOnOldWire.forEach(declare);
  newerWithConsent.forEach(declare);
});

describe('official conformance suite, extensions', { concurrency: 2 }, () => {
  extensions.forEach(declare);
});

test('a client that does nothing passes no scenario: the gates are not blind', { skip }, async () => {
  for (const scenario of required.slice(0, 4)) {
    const result = await play(scenario, 'true', {});
    assert.equal(result.clean, false, scenario.name);
  }
});

after(async () => {
  await keyring?.[Symbol.asyncDispose]();
  process.stdout.write(`\n${table.sort().join('\n')}\n\n`);
});
