import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool, listTools } from '../support/flows/calls.js';
import { openScene } from '../support/flows/scene.js';
import { failureOf } from '../support/http.js';

/** What `call` fails with: its code, its exit code, and what of the server it names. */
const refused: Readonly<Record<string, readonly [code: string, exit: number, named: string]>> = {
  'newer-no-common-revision': ['revision_unknown', 5, '2031-01-01'],
  'newer-refuses-its-own': ['call_failed', 8, 'Unsupported protocol version'],
  'newer-odd-result-type': ['protocol_broken', 5, '"maybe"'],
  'newer-asks-forever': ['protocol_broken', 5, '11'],
  'newer-asks-nothing': ['protocol_broken', 5, ''],
  'newer-asks-unoffered': ['protocol_broken', 5, 'sampling/createMessage'],
  'newer-header-mismatch-always': ['call_failed', 8, 'Header mismatch'],
  'newer-method-missing': ['call_failed', 8, 'Method not found'],
  'newer-capability-missing': ['call_failed', 8, 'Missing client capability'],
};

test('[Q-1.4][Q-3.1][Q-4.1] a call at a server of the newer era that breaks its rules fails, and says how', async () => {
  await using scene = await openScene({ eras: 'newer' });
  const login = await scene.login();
  for (const [fault, [code, exit, named]] of Object.entries(refused)) {
    scene.sandbox.setFaults([fault]);
    const failure = await failureOf(callTool(scene, login, 'whoami'), code);
    assert.equal(failure.exit, exit, fault);
    assert.ok(failure.message.includes(named), `${fault}: ${failure.message}`);
    assert.ok(failure.remedy.length > 10, failure.remedy);
  }
});

test('[Q-3.1][Q-2.10] results without a type, and a header that is missed once, are taken', async () => {
  await using scene = await openScene({ eras: 'newer' });
  const login = await scene.login();
  for (const fault of ['newer-no-result-type', 'newer-header-mismatch-once']) {
    scene.sandbox.setFaults([fault]);
    const result = await callTool(scene, login, 'whoami');
    assert.match(JSON.stringify(result), /alice/, fault);
  }
});

test('[Q-2.9][Q-4.1] lists: a tool with broken marks is left out and named, a list that asks breaks the protocol', async () => {
  await using scene = await openScene({ faults: ['newer-broken-marks'], eras: 'newer' });
  const login = await scene.login();
  assert.doesNotMatch(JSON.stringify(await listTools(scene, login)), /"broken"/);
  assert.ok(
    scene.ports.told.some((line) => line.includes('"broken"')),
    scene.ports.told.join('\n'),
  );
  scene.sandbox.setFaults(['newer-asks-for-list']);
  const failure = await failureOf(listTools(scene, login), 'protocol_broken');
  assert.match(failure.message, /"input_required".*tools\/list/);
});
