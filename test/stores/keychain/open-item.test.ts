import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openKeyring } from '../../../src/stores/keychain/secret-service-calls.js';
import { found, odd, type Reply, secret, startBus } from './scripted-bus.js';

async function readFrom(replies: Readonly<Record<string, Reply | undefined>>, key: string) {
  await using bus = await startBus(replies);
  using keyring = await openKeyring(bus.env);
  return { read: await keyring?.read(key), asked: bus.asked };
}

test('[A-206] the one open item is read; two of the same name, a locked one, one that is gone and whatever is odd are left to the careful way', async () => {
  const one = found(['/item'], []);
  const cases: Readonly<Record<string, readonly [Readonly<Record<string, Reply>>, unknown]>> = {
    one: [{ SearchItems: one, GetSecret: secret('canary') }, 'canary'],
    two: [{ SearchItems: found(['/item', '/other'], []), GetSecret: secret('canary') }, undefined],
    locked: [{ SearchItems: found([], ['/item']), GetSecret: secret('canary') }, undefined],
    none: [{ SearchItems: found([], []), GetSecret: secret('canary') }, undefined],
    'no session': [{ OpenSession: odd, SearchItems: one, GetSecret: secret('canary') }, undefined],
    'an odd list': [{ SearchItems: odd, GetSecret: secret('canary') }, undefined],
    silence: [{}, undefined],
    'an odd secret': [{ SearchItems: one, GetSecret: odd }, undefined],
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
  assert.deepEqual(read, undefined);
  assert.deepEqual(asked, ['Hello', 'ReadAlias']);
});
