import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTopic } from '../../src/app/help/topics.js';
import { examineMachine, type MachineWorld, nodeLines } from '../../src/doctor/examine-machine.js';
import { openScene, type Scene } from '../support/flows/scene.js';
import { Failure, Secret } from '../support/product.js';

const newest = nodeLines[0].secure;
const on = (version: string) => ({
  self: () => ({ runtime: `linux x64, Node.js ${version}`, program: ['/node', '/p'] }),
});

function machine(scene: Scene, change: Partial<MachineWorld> = {}): MachineWorld {
  return {
    ...scene.ports,
    env: {},
    files: { read: async function* () {} },
    ...on(newest),
    configuration: async () => ({}),
    findingsPage: async () => readTopic('findings').text,
    availability: () => 'desktop',
    canListen: async () => 1234,
    brokenLogins: async () => [],
    checkPrograms: async () => [],
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
    ['program', 'configuration', 'network', 'state', 'store', 'browser', 'callback', 'clock', 'logins', 'programs'],
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

test('doctor alone: a Node.js that gets no fixes, or lacks the newest ones, is a warning with the version to install', async () => {
  await using scene = await openScene();
  const clock = { ...scene.ports.clock, now: () => Date.parse('2026-12-01') };
  const found = async (change: Partial<MachineWorld>) => {
    const { findings } = await examineMachine(machine(scene, { clock, ...change }));
    return findings.filter(({ id }) => id?.startsWith('node-')).map(({ id, level, remedy }) => [id, level, remedy]);
  };
  const install = `Install Node.js ${newest} or newer.`;
  for (const version of ['20.20.2', '20.99.0', '21.7.3', '23.11.1', '25.9.0']) {
    assert.deepEqual(await found(on(version)), [['node-ended', 'warning', install]], version);
  }
  for (const { secure } of nodeLines.slice(0, -1)) {
    const [line = '', minor = ''] = secure.split('.');
    const older = `${line}.${Number(minor) - 1}.9`;
    assert.deepEqual(await found(on(older)), [['node-insecure', 'warning', `Install Node.js ${secure} or newer.`]]);
    for (const version of [secure, `${line}.${Number(minor) + 1}.0`]) assert.deepEqual(await found(on(version)), []);
  }
  assert.deepEqual(await found(on('27.0.0')), [], 'a newer line is not known');
  const later = { ...clock, now: () => Date.parse('2027-06-01') };
  assert.equal((await found({ ...on('22.23.4'), clock: later }))[0]?.[0], 'node-ended');
  const executable = () => ({ runtime: 'linux x64, Node.js 20.20.2', program: ['/bin/postern'] });
  assert.deepEqual(await found({ self: executable }), [
    ['node-ended', 'warning', 'Install the newest postern: this executable brings its own Node.js.'],
  ]);
});

test('doctor alone: a proxy that is set is noted, and not passed as none', async () => {
  await using scene = await openScene();
  const { findings } = await examineMachine(machine(scene, { env: { HTTPS_PROXY: 'http://proxy.example:3128' } }));
  const network = findings.filter(({ step }) => step === 'network').map(({ id, level }) => id ?? level);
  assert.deepEqual(network, ['environment-noted']);
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
  ];
  for (const [change, id] of cases) {
    const { firstCause } = await examineMachine(machine(scene, change));
    assert.equal(firstCause?.id, id);
    assert.equal(firstCause?.kind?.who, 'you');
  }
});
