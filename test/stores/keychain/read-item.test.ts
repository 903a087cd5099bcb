import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openKeyring, readSecret } from '../../../src/stores/keychain/read-item.js';
import { SessionBus } from '../../../src/stores/keychain/session-bus.js';
import { found, odd, type Reply, secret, startBus } from './scripted-bus.js';

async function readFrom(replies: Readonly<Record<string, Reply | undefined>>, key: string) {
  await using bus = await startBus(replies);
  using keyring = await openKeyring(bus.env);
  return { read: await keyring?.read(key), asked: bus.asked };
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

test('without a bus there is no keyring to read from', async () => {
  assert.equal(await openKeyring({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' }), undefined);
});

test('gnome-keyring ends at an OpenSession of somebody it does not know yet: nothing else is asked before its first answer', async () => {
  const { read, asked } = await readFrom({ ReadAlias: undefined, SearchItems: found(['/item'], []) }, 'key');
  assert.deepEqual(read, { ok: false, why: 'hung' });
  assert.deepEqual(asked, ['Hello', 'ReadAlias']);
});
