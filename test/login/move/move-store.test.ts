import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moveStore } from '../../../src/login/move/move.command.js';
import { loginNamed } from '../../stores/index/sample-login.js';
import { flowPorts } from '../../support/flow-ports.js';
import { createMemoryStore, Failure, Secret, type SecretStore, type StoreKind } from '../../support/product.js';
import { temporaryFolder } from '../../support/temporary.js';

const { signal } = new AbortController();
const registrationKey = 'cd'.repeat(32);

/** Stores in memory by kind; every use of one is counted, and the one with the number `failAt` fails. */
function countingStores() {
  const memory = new Map<StoreKind, SecretStore>();
  const state = { uses: 0, failAt: Number.POSITIVE_INFINITY, after: false };
  const bare = (kind: StoreKind): SecretStore => {
    const store = memory.get(kind) ?? createMemoryStore();
    memory.set(kind, store);
    return store;
  };
  const use = async <T>(act: () => Promise<T>): Promise<T> => {
    state.uses += 1;
    const fails = state.uses === state.failAt;
    const down = () => new Failure({ code: 'store_failed', exit: 7, message: 'down', remedy: '' });
    if (fails && !state.after) throw down();
    const done = await act();
    if (fails) throw down(); // done, and whoever asked never hears of it
    return done;
  };
  const of = (kind: StoreKind): SecretStore => ({
    kind,
    ready: () => Promise.resolve(),
    read: (key) => use(() => bare(kind).read(key)),
    write: (key, value) => use(() => bare(kind).write(key, value)),
    remove: (key) => use(() => bare(kind).remove(key)),
  });
  return { of, bare, state };
}

/** Two logins and a client secret in the keychain. */
async function openMove() {
  const folder = await temporaryFolder();
  const ports = await flowPorts({ folder: folder.path });
  const stores = countingStores();
  const logins = [loginNamed('one'), loginNamed('two')];
  const keys = [...logins.map(({ key }) => key), registrationKey];
  for (const key of keys) await stores.bare('keychain').write(key, new Secret(`secret of ${key}`));
  await ports.index.update((document) => ({
    ...document,
    logins,
    registrations: [
      {
        key: registrationKey,
        issuer: 'https://as.example',
        clientId: 'client',
        way: 'preregistered',
        authMethod: 'client_secret_basic',
        hasSecret: true,
        redirectUri: 'http://127.0.0.1/callback',
        scopes: [],
        secretExpiresAt: null,
      },
    ],
  }));
  const secretIn = async (kind: StoreKind, key: string) => (await stores.bare(kind).read(key))?.reveal();
  return {
    keys,
    stores,
    secretIn,
    index: ports.index,
    move: (to: StoreKind) => moveStore({ ...ports, stores }, { to, signal }),
    /** Every secret is where the index says that it is. */
    assertNothingLost: async (context: string) => {
      const { logins, registrations } = await ports.index.read();
      for (const { key, store = 'keychain' } of [...logins, ...registrations]) {
        assert.equal(await secretIn(store, key), `secret of ${key}`, context);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await ports[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('every credential and client secret is moved, and nothing stays where it was [A-205]', async () => {
  await using at = await openMove();
  assert.deepEqual(await at.move('file'), { moved: 3, failures: [] });
  await at.assertNothingLost('moved');
  const { logins, registrations } = await at.index.read();
  assert.ok([...logins, ...registrations].every(({ store, leftIn }) => store === 'file' && leftIn === undefined));
  for (const key of at.keys) assert.equal(await at.secretIn('keychain', key), undefined);
  assert.deepEqual(await at.move('file'), { moved: 0, failures: [] }, 'nothing is left to do');
  assert.equal((await at.move('keychain')).moved, 3);
  await at.assertNothingLost('moved back');
});

test('a move that fails at any use of a store loses nothing; the next one ends it and leaves nothing [R-5.8b]', async () => {
  for (const after of [false, true]) {
    for (let failAt = 1; failAt <= 12; failAt += 1) {
      await using at = await openMove();
      const context = `use ${failAt}${after ? ', done all the same' : ''}`;
      Object.assign(at.stores.state, { failAt, after });
      const { failures } = await at.move('file');
      assert.equal(failures.length, 1, context);
      assert.match(failures[0]?.item.what ?? '', /^the (?:login |client secret for )/, context);
      await at.assertNothingLost(context);
      assert.equal((await at.move('file')).failures.length, 0, context);
      await at.assertNothingLost(`${context}, ended`);
      for (const key of at.keys) assert.equal(await at.secretIn('keychain', key), undefined, context);
    }
  }
});

test('back again after half a move, no copy is taken for a leftover', async () => {
  for (let failAt = 1; failAt <= 12; failAt += 1) {
    await using at = await openMove();
    Object.assign(at.stores.state, { failAt });
    await at.move('file');
    assert.equal((await at.move('keychain')).failures.length, 0, `use ${failAt}`);
    await at.assertNothingLost(`use ${failAt}`);
    await at.move('helper:x');
    await at.assertNothingLost(`use ${failAt}, elsewhere`);
    for (const kind of ['keychain', 'file'] as const) {
      for (const key of at.keys) {
        assert.equal(await at.secretIn(kind, key), undefined, `use ${failAt}: ${kind}`);
      }
    }
  }
});

test('where the store of a secret does not open, nothing is noted of a copy that was never made', async () => {
  await using at = await openMove();
  const before = await at.index.read();
  at.stores.state.failAt = 1; // the first read
  const { moved, failures } = await at.move('file');
  assert.deepEqual([moved, failures.length], [2, 1]);
  const { logins } = await at.index.read();
  const [kept] = logins;
  assert.deepEqual(kept, before.logins[0]);
});

test('a store that gives back something else than was written is not moved to: each secret is kept, and used, where it was', async () => {
  for (const said of [undefined, new Secret('something else')]) {
    await using at = await openMove();
    const { of } = at.stores;
    at.stores.of = (kind) => ({ ...of(kind), ...(kind === 'file' ? { read: async () => said } : {}) });
    const { moved, failures } = await at.move('file');
    assert.deepEqual([moved, failures.length], [0, 3], 'none counts as moved');
    for (const { failure } of failures) {
      assert.deepEqual([failure.code, failure.exit], ['store_failed', 7]);
      assert.match(failure.message, /stays where it was/);
    }
    const { logins, registrations } = await at.index.read();
    for (const { store = 'keychain' } of [...logins, ...registrations]) assert.equal(store, 'keychain');
    await at.assertNothingLost('not moved');
  }
});
