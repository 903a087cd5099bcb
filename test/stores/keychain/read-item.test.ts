import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { ItemAccess, keychainLimits } from '../../../src/stores/keychain/item-access.js';
import {
  type FastRead,
  type OpenKeychain,
  readSecret,
  readSecretFast,
} from '../../../src/stores/keychain/read-item.js';
import { SessionBus } from '../../../src/stores/keychain/session-bus.js';
import { defaultLimits } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';
import { realClock } from '../state/real-clock.js';
import { Body, found, odd, type Reply, secret, startBus } from './scripted-bus.js';

async function readFrom(replies: Readonly<Record<string, Reply | undefined>>, key: string | undefined) {
  await using bus = await startBus(replies);
  const read = await readSecretFast(
    () => key,
    bus.env,
    () => undefined,
  );
  return { read, asked: bus.asked };
}

test('one connection does for all that is asked one after another, two at a time have their own, and one that has ended is made anew', async () => {
  await using bus = await startBus({ SearchItems: found(['/item'], []), GetSecret: secret('text') });
  const kept = new SessionBus(bus.env);
  const read = { ok: true, value: 'text' };
  for (let times = 0; times < 3; times += 1) assert.deepEqual(await readSecret(kept, 'key'), read);
  assert.equal(bus.sockets.length, 1);
  assert.deepEqual(await Promise.all([readSecret(kept, 'key'), readSecret(kept, 'key')]), [read, read]);
  assert.equal(bus.sockets.length, 2);
  assert.deepEqual(await readSecret(kept, 'key'), read);
  assert.equal(bus.sockets.length, 2);
  for (const socket of bus.sockets) socket.destroy();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.deepEqual(await readSecret(kept, 'key'), read);
  assert.equal(bus.sockets.length, 3);
});

test('a session that is open serves all that is asked on its connection; one that was of no use is not used again', async () => {
  const search = ['SearchItems', 'GetSecret'];
  const anew = ['ReadAlias', 'OpenSession', ...search];
  const cases: readonly (readonly [Reply, FastRead, readonly string[]])[] = [
    [secret('text'), { ok: true, value: 'text' }, ['Hello', ...anew, ...search]],
    [odd, { ok: false, why: 'not readable' }, ['Hello', ...anew, ...anew]],
  ];
  for (const [reply, read, asked] of cases) {
    await using bus = await startBus({ SearchItems: found(['/item'], []), GetSecret: reply });
    const kept = new SessionBus(bus.env);
    assert.deepEqual([await readSecret(kept, 'key'), await readSecret(kept, 'key')], [read, read]);
    assert.deepEqual(bus.asked, asked);
  }
});

test('what was read here is written over without a look at the keyring, and looked for anew', async () => {
  const nothing: Reply = { signature: '', body: new Body() };
  const replies = { SearchItems: found(['/item'], []), GetSecret: secret('text'), SetSecret: nothing };
  await using bus = await startBus({ ...replies, GetNameOwner: odd });
  const items = new ItemAccess({
    ...{ platform: 'linux', env: bus.env, clock: realClock, interactive: false, notify: () => undefined },
    limits: keychainLimits('linux', defaultLimits),
    open: await openedBy(bus.env),
  });
  bus.asked.length = 0;
  await items.set('key', 'newer');
  assert.deepEqual(bus.asked, ['SearchItems', 'GetNameOwner', 'GetNameOwner', 'SetSecret']);
});

test('an item that another program has made anew meanwhile is read where it lies now; one that is gone is not found', async () => {
  let paths = ['/item'];
  const SearchItems = () => found(paths, []);
  await using bus = await startBus({ SearchItems, '/item': secret('older'), '/another': secret('newer') });
  const kept = new SessionBus(bus.env);
  assert.deepEqual(await readSecret(kept, 'key'), { ok: true, value: 'older' });
  paths = ['/another'];
  assert.deepEqual(await readSecret(kept, 'key'), { ok: true, value: 'newer' });
  paths = [];
  assert.deepEqual(await readSecret(kept, 'key'), { ok: false, why: 'not found' });
  paths = ['/item'];
  assert.deepEqual(await readSecret(kept, 'another key'), { ok: true, value: 'older' });
});

/** What the hot path leaves. */
async function openedBy(env: Readonly<Record<string, string>>): Promise<OpenKeychain | undefined> {
  const left: OpenKeychain[] = [];
  await readSecretFast(
    () => 'key',
    env,
    (open) => void left.push(open),
  );
  return left.at(-1);
}

test('what the hot path leaves open is used, and its item once: by the second time it may be another', async () => {
  await using bus = await startBus({ SearchItems: found(['/item'], []), GetSecret: secret('newer') });
  const left: OpenKeychain[] = [];
  const read = await readSecretFast(
    () => 'key',
    bus.env,
    (open) => void left.push(open),
  );
  assert.deepEqual(read, { ok: true, value: 'newer' });
  const open = left.at(-1);
  assert.deepEqual(open?.item, { account: 'key', text: 'newer' });
  const older = open && { ...open, item: { account: 'key', text: 'older' } };
  const items = new ItemAccess({
    ...{ platform: 'linux', env: bus.env, clock: realClock, interactive: false, notify: () => undefined },
    limits: keychainLimits('linux', defaultLimits),
    open: older,
  });
  assert.deepEqual([await items.get('key'), await items.get('key')], ['older', 'newer']);
  assert.equal(bus.sockets.length, 1);
});

test('[A-206] the one open item is read; two of the same name, a locked one, one that is gone and whatever is odd are left to the careful way', async () => {
  const one = found(['/item'], []);
  const cases: Readonly<Record<string, readonly [Readonly<Record<string, Reply>>, unknown]>> = {
    one: [
      { SearchItems: one, GetSecret: secret('canary') },
      { ok: true, value: 'canary' },
    ],
    two: [
      { SearchItems: found(['/item', '/other'], []), GetSecret: secret('canary') },
      { ok: false, why: 'not found' },
    ],
    locked: [
      { SearchItems: found([], ['/item']), GetSecret: secret('canary') },
      { ok: false, why: 'locked' },
    ],
    none: [
      { SearchItems: found([], []), GetSecret: secret('canary') },
      { ok: false, why: 'not found' },
    ],
    'no session': [
      { OpenSession: odd, SearchItems: one, GetSecret: secret('canary') },
      { ok: false, why: 'not found' },
    ],
    'an odd list': [
      { SearchItems: odd, GetSecret: secret('canary') },
      { ok: false, why: 'not found' },
    ],
    silence: [{}, { ok: false, why: 'hung' }],
    'an odd secret': [
      { SearchItems: one, GetSecret: odd },
      { ok: false, why: 'not readable' },
    ],
  };
  for (const [name, [replies, expected]] of Object.entries(cases)) {
    assert.deepEqual((await readFrom(replies, 'key')).read, expected, name);
  }
});

test('what the hot path has read is of no worth once something was changed', async () => {
  await using bus = await startBus({ SearchItems: found(['/item'], []), GetSecret: secret('text') });
  const open = await openedBy(bus.env);
  open?.bus[Symbol.dispose]();
  const items = new ItemAccess({
    ...{ platform: 'linux', env: {}, clock: realClock, interactive: false, notify: () => undefined },
    limits: keychainLimits('linux', defaultLimits),
    open,
  });
  await assert.rejects(items.delete('key'), { code: 'store_unavailable' });
  await assert.rejects(items.get('key'), { code: 'store_unavailable' });
});

test('a hot path that leaves the keychain to another holds no process up by it', async () => {
  await using bus = await startBus({});
  await using folder = await temporaryFolder();
  const script = `
    const { hotPath } = await import(process.argv[1]);
    const { done, keychain } = await hotPath(['token', 'nobody']);
    console.log(JSON.stringify({ done, isOpen: keychain !== undefined, held: process.getActiveResourcesInfo() }));
    process.exit();`;
  const hotPath = new URL('../../../src/hot-path.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, hotPath], {
    env: { ...bus.env, POSTERN_STATE_DIR: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  const { held, ...rest } = JSON.parse(said) as { readonly held: readonly string[] };
  assert.deepEqual(rest, { done: false, isOpen: true });
  assert.deepEqual(
    held.filter((name) => /^(?:Pipe(?!ConnectWrap)|Timeout)/.test(name)),
    [],
  );
});

test('without a bus nothing is read, and nothing is kept open', async () => {
  const opened: OpenKeychain[] = [];
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' };
  assert.deepEqual(
    await readSecretFast(
      () => 'key',
      env,
      (open) => void opened.push(open),
    ),
    { ok: false, why: 'no_bus' },
  );
  assert.deepEqual(opened, []);
});

test('where no item is named nothing is searched', async () => {
  const { read, asked } = await readFrom({ SearchItems: found(['/item'], []) }, undefined);
  assert.deepEqual(read, { ok: false, why: 'no item named' });
  assert.ok(!asked.includes('SearchItems'));
});

test('gnome-keyring ends at an OpenSession of somebody it does not know yet: nothing else is asked before its first answer', async () => {
  const { read, asked } = await readFrom({ ReadAlias: undefined, SearchItems: found(['/item'], []) }, 'key');
  assert.deepEqual(read, { ok: false, why: 'hung' });
  assert.deepEqual(asked, ['Hello', 'ReadAlias']);
});
