import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlessAborted } from '../../src/core/time.js';
import { type FindingId, findings } from '../../src/doctor/findings.js';
import type { Report } from '../../src/doctor/report.js';
import { listFaults } from '../../src/sandbox/faults/table.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { type Clock, defaultLimits, walkLogin } from '../support/product.js';
import { examineWhole, inBrowser } from './doctor-world.js';
import { foundByExchange, foundByLogin, foundOfCompany, foundPassively, harmless, unseen } from './faults.js';

/** What is slow by a fault has to be waited for; nothing else is to run out of time on a busy machine. */
const shortLimits = { ...defaultLimits, tokenSeconds: 2, metadataSeconds: 2, revocationSeconds: 2 };

const timeoutMs = 60_000;

const login = { ...inBrowser, scope: ['mcp:basic', 'notes:read'], timeoutMs };

test('[A-298] doctor: every fault of the sandbox is found, or it is said why not', () => {
  const known = [foundPassively, foundOfCompany, foundByExchange, foundByLogin, harmless, unseen].flatMap((table) =>
    Object.keys(table),
  );
  const names = listFaults().map(({ name }) => name);
  assert.deepEqual([...new Set(known)].toSorted(), names.toSorted());
});

test('doctor: each fault that shows without a login is the first cause, and who can fix it is named', async () => {
  await using scene = await openScene();
  for (const [name, id] of Object.entries(foundPassively)) {
    scene.sandbox.setFaults([name]);
    check(name, id, (await examineWhole(scene, { login: undefined })).report);
  }
});

/** @param id Undefined: nothing above a note. */
function check(name: string, id: FindingId | undefined, { firstCause }: Report): void {
  const who = id && findings[id].who;
  assert.deepEqual([name, firstCause?.id, firstCause?.kind?.who], [name, id, who], firstCause?.evidence);
}

/** Each before a sandbox that is as these faults need it, with a login; those that are slow apart from the others. */
async function examineEach(table: Readonly<Record<string, FindingId | undefined>>): Promise<void> {
  for (const isSlow of [false, true]) {
    const names = Object.keys(table).filter((name) => name.endsWith('-slow') === isSlow);
    if (names.length === 0) continue;
    const pushed = names.some((name) => name.startsWith('pushed-'));
    const dpop = names.every((name) => name.startsWith('dpop-')) ? 'required' : 'off';
    let walked = Promise.resolve<unknown>(undefined);
    const browse = (url: string) => {
      walked = walkLogin(url);
      return walked;
    };
    const flow = { interactive: true, limits: isSlow ? shortLimits : defaultLimits, browse };
    await using opened = await openScene({ pushedRequests: pushed ? 'required' : 'offered', dpop }, flow);
    const scene = impatient(opened, () => walked);
    for (const name of names) {
      scene.sandbox.setFaults([name]);
      check(name, table[name], (await examineWhole(scene, { login })).report);
    }
  }
}

/** The same, where a person is waited for until the browser has come to the end of its way, and no longer. */
function impatient(scene: Scene, walked: () => Promise<unknown>): Scene {
  const { clock } = scene.ports;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (ms !== timeoutMs) return await clock.sleep(ms, signal);
    await clock.sleep(100, signal); // the browser is opened meanwhile
    await unlessAborted(walked(), signal);
  };
  return { ...scene, ports: { ...scene.ports, clock: { ...clock, sleep } } };
}

for (const group of new Set(Object.keys(foundByLogin).map((name) => name.split('-', 1)[0]))) {
  test(`[A-298] doctor --login: each fault ${group}-… is the first cause, and who can fix it is named`, async () => {
    const rows = Object.entries(foundByLogin).filter(([name]) => name.startsWith(`${group}-`));
    await examineEach(Object.fromEntries(rows));
  });
}

test('doctor --login: what is harmless is nothing above a note', async () => {
  for (const isBound of [true, false]) {
    const names = Object.keys(harmless).filter((name) => name.startsWith('dpop-') === isBound);
    await examineEach(Object.fromEntries(names.map((name) => [name, undefined])));
  }
});
