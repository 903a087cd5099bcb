import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/core/failure.js';
import { Secret } from '../../src/core/secret.js';
import { examineMachine, type MachineWorld } from '../../src/doctor/examine-machine.js';
import { openScene, type Scene } from '../support/flows/scene.js';

function machine(scene: Scene, change: Partial<MachineWorld> = {}): MachineWorld {
  return {
    ...scene.ports,
    env: {},
    files: { read: async function* () {} },
    self: () => ({ runtime: 'linux x64, Node.js 20.19.0' }),
    configuration: async () => ({}),
    availability: () => 'desktop',
    canListen: async () => 1234,
    brokenLogins: async () => [],
    checkPrograms: async () => [],
    proxyServices: { check: async () => [] },
    signal: new AbortController().signal,
    ...change,
  };
}

test('doctor alone: a machine that is well has nothing above a note, and its stores are left as they were', async () => {
  await using scene = await openScene();
  const login = await scene.login();
  const item = (await scene.ports.store.read(login.key))?.reveal();
  const report = await examineMachine(machine(scene));
  assert.equal(report.firstCause, undefined, report.firstCause?.evidence);
  assert.deepEqual(
    report.findings.map(({ step }) => step),
    [
      'program',
      'configuration',
      'network',
      'state',
      'store',
      'browser',
      'callback',
      'clock',
      'logins',
      'programs',
      'services',
    ],
  );
  assert.equal((await scene.ports.store.read(login.key))?.reveal(), item);
});

test('doctor alone: a store that is locked, that loses, or that changes what it is given', async () => {
  await using scene = await openScene();
  const locked = new Failure({ code: 'store_locked', exit: 7, message: 'It is locked.', remedy: 'Unlock it.' });
  const items = new Map<string, Secret>();
  const store = { ...scene.ports.store, kind: 'keychain' as const, ready: async () => undefined };
  const of = (change: Partial<typeof store>) => ({ stores: { of: () => ({ ...store, ...change }) } });
  const found = async (change: Partial<typeof store>) => {
    const { firstCause } = await examineMachine(machine(scene, of(change)));
    return [firstCause?.id, firstCause?.kind?.exit];
  };
  const throws = async () => {
    throw locked;
  };
  assert.deepEqual(await found({ ready: throws }), ['store-broken', 7]);
  const write = async (key: string, value: Secret) => void items.set(key, value);
  const remove = async (key: string) => items.delete(key);
  assert.deepEqual(await found({ write, remove, read: async () => undefined }), ['store-loses-items', 7]);
  assert.deepEqual(await found({ write, remove, read: async () => new Secret('x') }), ['store-loses-items', 7]);
  assert.equal(items.size, 0, 'the test item is removed');
});

test('doctor alone: what is wrong is the first cause, in the order of what needs what', async () => {
  await using scene = await openScene();
  const broken = new Failure({ code: 'configuration_unusable', exit: 2, message: 'No.', remedy: 'Do.' });
  const cases: readonly (readonly [change: Partial<MachineWorld>, id: string])[] = [
    [{ configuration: () => Promise.reject(broken) }, 'configuration-unusable'],
    [{ env: { NODE_EXTRA_CA_CERTS: '/nowhere' } }, 'authorities-unreadable'],
    [{ env: { NODE_DEBUG: 'http' } }, 'debug-prints-secrets'],
    [{ canListen: () => Promise.reject(new Error('EPERM')) }, 'callback-refused'],
    [
      { brokenLogins: async () => [{ name: 'work', problem: 'it expired', remedy: 'postern login work' }] },
      'login-broken',
    ],
    [
      { checkPrograms: async () => [{ title: 'Claude Code', server: 'https://a.example', exit: 2, lines: ['No.'] }] },
      'program-not-served',
    ],
    ...(['service-not-installed', 'service-not-running', 'service-port-taken'] as const).map(
      (finding) => [{ proxyServices: { check: async () => [{ finding, seen: 'work' }] } }, finding] as const,
    ),
  ];
  for (const [change, id] of cases) {
    const { firstCause } = await examineMachine(machine(scene, change));
    assert.equal(firstCause?.id, id);
    assert.equal(firstCause?.kind?.who, 'you');
  }
});
