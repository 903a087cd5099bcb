import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Keyring, startKeyring } from '../support/keyring.js';
import { needs } from '../support/needs.js';
import { notPlayed, notYet, rulesShown, type Way, type Wire } from './scenarios.js';
import { drivers, type ListedScenario, listScenarios, type Play, play, suiteIsMissing } from './suite.js';

export const skip = suiteIsMissing() || needs('gnome-keyring', 'secret-tool');

const wires = ['2025-11-25', '2026-07-28'] as const;

/** Everything there is to play of a scenario, in that way. */
export function playsOf({ name, revisions }: ListedScenario, way: Way): readonly Play[] {
  if (notPlayed.some(({ scenario }) => scenario === name)) return [];
  const one = { name, way };
  if (revisions.includes('extension')) return [{ ...one, wire: '2025-11-25', isForced: true }];
  if (revisions.every((revision) => revision === '2025-03-26'))
    return [{ ...one, wire: '2025-03-26', isForced: false }];
  // What authorization wants in the newer revision costs nothing on the older wire.
  const isOnBoth = name.startsWith('auth/');
  return wires
    .filter((wire) => revisions.includes(wire) || isOnBoth)
    .map((wire) => ({ ...one, wire, isForced: !revisions.includes(wire) }));
}

/** A test for each scenario that the suite has, on each wire. @param onlyOn The wires to play on; all by default. */
export function gate(way: Way, onlyOn: readonly Wire[] = ['2025-03-26', ...wires]): void {
  const clean: string[] = [];
  const expected: string[] = [];
  let keyring: Keyring | undefined;
  before(async () => {
    if (skip === false) keyring = await startKeyring();
  });
  const plays = listScenarios().flatMap((scenario) => playsOf(scenario, way));
  for (const wire of onlyOn) {
    describe(`official conformance suite, by way of ${way}, on the wire of ${wire}`, { concurrency: 2, skip }, () => {
      for (const one of plays.filter((play) => play.wire === wire)) {
        test(`${one.name} ${rulesShown[one.name] ?? ''}`.trim(), async () => {
          const result = await play(one, drivers[way], keyring?.env ?? {});
          const excuse = notYet.find((not) => not.scenario === one.name && not.way === way && not.wire === wire);
          if (excuse === undefined) {
            assert.ok(result.clean, `${result.complaints.join('\n')}\n${result.log}`);
            clean.push(one.name);
          } else {
            assert.ok(!result.clean, 'it passes by now: take it from the list of those not yet');
            expected.push(`${one.name} (since ${excuse.since})`);
          }
        });
      }
    });
  }
  after(async () => {
    await keyring?.[Symbol.asyncDispose]();
    const not = expected.length === 0 ? '' : `; expected to fail, and did: ${expected.sort().join(', ')}`;
    if (skip === false)
      process.stdout.write(`Official suite by way of ${way}: ${clean.length} plays are clean${not}\n`);
  });
}
