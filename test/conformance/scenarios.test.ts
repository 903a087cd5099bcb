import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playsOf, skip } from './gate.js';
import { notPlayed, notYet, rulesShown, type Way, type Wire } from './scenarios.js';
import { drivers, listScenarios, play } from './suite.js';

const ways = Object.keys(drivers) as readonly Way[];
const listed = listScenarios();

test('no scenario of the suite is left out without a word, and no word is about one that it does not have', {
  skip,
}, () => {
  const names = listed.map(({ name }) => name);
  for (const scenario of listed) {
    const excuse = notPlayed.find((not) => not.scenario === scenario.name);
    assert.equal(playsOf(scenario, 'call').length === 0, excuse !== undefined, scenario.name);
  }
  for (const name of [...Object.keys(rulesShown), ...[...notPlayed, ...notYet].map(({ scenario }) => scenario)]) {
    assert.ok(names.includes(name), name);
  }
});

test('what a revision requires is played on its wire in every way', { skip }, () => {
  for (const [wire, count] of [
    ['2025-11-25', 18],
    ['2026-07-28', 32],
  ] as const) {
    const required = listScenarios(wire).map(({ name }) => name);
    assert.equal(required.length, count);
    for (const way of ways) {
      const played = listed.flatMap((scenario) => playsOf(scenario, way)).filter((one) => one.wire === wire);
      const missing = required.filter((name) => !played.some((one) => one.name === name));
      assert.deepEqual(missing, [], `${way}, ${wire}`);
    }
  }
});

test('each exception says since when and why', () => {
  for (const { scenario, since, reason } of [...notPlayed, ...notYet]) {
    assert.match(since, /^20[0-9]{2}-[01][0-9]-[0-3][0-9]$/, scenario);
    assert.ok(reason.length >= 20, scenario);
  }
});

test('a client that does nothing passes no scenario: the gates are not blind', { skip }, async () => {
  const wires: readonly Wire[] = ['2025-11-25', '2026-07-28'];
  for (const wire of wires) {
    for (const { name } of listScenarios(wire).slice(0, 2)) {
      const result = await play({ name, wire, isForced: false }, 'true', {});
      assert.equal(result.clean, false, name);
    }
  }
});
