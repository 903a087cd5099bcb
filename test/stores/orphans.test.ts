import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logout, logoutOfAll } from '../../src/login/logout/logout.js';
import { removeOrphans } from '../../src/stores/orphans.js';
import { validToken } from '../../src/tokens/valid-token.js';
import { openShelf } from '../support/flows/shelf.js';
import { status } from '../support/flows/status.js';
import { failureOf } from '../support/http.js';
import { Failure, type LoginRecord, Secret } from '../support/product.js';

const { signal } = new AbortController();

const everything = () => true;

test('[A-136][A-205] a login killed before its record is written leaves an item that is known, and taken away', async () => {
  await using shelf = await openShelf();
  const [{ key }] = [await shelf.logIn()];
  await logout(shelf.ports, { login: (await shelf.ports.index.read()).logins[0] as LoginRecord, force: false, signal });
  await assert.rejects(shelf.logIn({}, shelf.dyingAt(2)), /killed/);
  assert.ok(await shelf.stores.bare('keychain').read(key), 'the item was written');
  assert.deepEqual(await status(shelf.ports), [], 'and no login is shown');
  assert.deepEqual(await removeOrphans(shelf.ports, everything, signal), []);
  assert.equal(await shelf.stores.bare('keychain').read(key), undefined);
  assert.equal((await shelf.ports.index.read()).orphans, undefined);
});

test('[A-136][A-205] a logout killed before the item is gone: no login is shown, and the item goes at the next look', async () => {
  await using shelf = await openShelf();
  const record = await shelf.logIn();
  const remove = () => Promise.reject(new Error('killed'));
  const dying = { ...shelf.dyingAt(3), stores: { of: () => ({ ...shelf.stores.of('keychain'), remove }) } };
  await assert.rejects(logout(dying, { login: record, force: false, signal }), /killed/);
  assert.deepEqual(await status(shelf.ports), []);
  assert.ok(await shelf.stores.bare('keychain').read(record.key));
  await removeOrphans(shelf.ports, everything, signal);
  assert.equal(await shelf.stores.bare('keychain').read(record.key), undefined);
});

test('[A-205] what another process is just writing is not taken away', async () => {
  await using shelf = await openShelf();
  const key = 'ab'.repeat(32);
  await shelf.ports.index.update((document) => ({ ...document, orphans: [{ key, store: 'file' }] }));
  await shelf.stores.bare('file').write(key, new Secret('half a login'));
  {
    await using _lock = await shelf.ports.locks.acquire(key, { waitMs: 0, signal });
    assert.deepEqual(await removeOrphans(shelf.ports, everything, signal), []);
    assert.ok(await shelf.stores.bare('file').read(key));
  }
  await removeOrphans(shelf.ports, everything, signal);
  assert.equal(await shelf.stores.bare('file').read(key), undefined);
});

test('[A-205] a login that ends between the list of such items and the lock keeps its item', async () => {
  await using shelf = await openShelf();
  const record = await shelf.logIn();
  const { key, store } = record;
  const item = { key, store };
  await shelf.ports.index.update((document) => ({ ...document, logins: [], orphans: [item] }));
  const { locks, index } = shelf.ports;
  // Its record comes while the item is on the list of those to be removed.
  const acquire: typeof locks.acquire = async (name, options) => {
    if (name === key) await index.update((document) => ({ ...document, logins: [record] }));
    return locks.acquire(name, options);
  };
  assert.deepEqual(await removeOrphans({ ...shelf.ports, locks: { acquire } }, everything, signal), []);
  assert.ok(await shelf.stores.bare(store).read(key), 'the login that has just ended has lost its item');
  const { logins, orphans } = await index.read();
  assert.deepEqual([logins.length, orphans], [1, undefined]);
});

test('[A-205] a store that cannot be reached keeps its login from being ended, and no other; what it holds is known', async () => {
  await using shelf = await openShelf();
  const inKeychain = await shelf.logIn({ account: 'one' });
  await shelf.logIn({ account: 'two', store: 'file' });
  shelf.stores.down.add('keychain');
  const failure = await failureOf(
    logout(shelf.ports, { login: inKeychain, force: false, signal }),
    'store_unavailable',
  );
  assert.equal(failure.exit, 7);
  const all = await logoutOfAll(shelf.ports, { force: false, signal });
  assert.deepEqual(
    [all.done.map(({ login }) => login.account), all.failures.map(({ item }) => item.account)],
    [['two'], ['one']],
  );
  assert.deepEqual(
    (await status(shelf.ports)).map(({ login: { account } }) => account),
    ['one'],
    'it is still there, as it was',
  );
  const { registrations: kept } = await shelf.ports.index.read();
  assert.ok(
    kept.some(({ clientId }) => clientId === inKeychain.clientId),
    'and so is its client',
  );
  shelf.stores.down.clear();
  assert.deepEqual((await logoutOfAll(shelf.ports, { force: false, signal })).failures, []);
  assert.equal(await shelf.stores.bare('keychain').read(inKeychain.key), undefined);
  const index = await shelf.ports.index.read();
  assert.deepEqual([index.logins, index.registrations, index.orphans], [[], [], undefined]);
});

test('[A-205] --force forgets a login whose store is out of reach; what is left there is known, and goes once it works', async () => {
  await using shelf = await openShelf();
  const login = await shelf.logIn();
  shelf.stores.down.add('keychain');
  const kept = await failureOf(logout(shelf.ports, { login, force: false, signal }), 'store_unavailable');
  assert.match(kept.remedy, /--force/);
  const { revocation } = await logout(shelf.ports, { login, force: true, signal });
  assert.equal(revocation.done, false);
  assert.deepEqual(await status(shelf.ports), []);
  const [left] = await removeOrphans(shelf.ports, everything, signal);
  assert.equal(left?.failure.code, 'store_unavailable');
  shelf.stores.down.clear();
  assert.deepEqual(await removeOrphans(shelf.ports, everything, signal), []);
  assert.equal(await shelf.stores.bare('keychain').read(login.key), undefined);
  assert.equal((await shelf.ports.index.read()).orphans, undefined);
});

test('[A-193] a dead keychain with the old login and its client’s secret does not keep from --store file; what it holds goes later', async () => {
  await using shelf = await openShelf();
  const { issuer, server } = shelf.own;
  const { onRegistration } = issuer;
  issuer.onRegistration = (asked) => {
    const [status, body] = onRegistration(asked);
    const secret = { client_secret: 'registered', token_endpoint_auth_method: 'client_secret_basic' };
    return [status, { ...body, ...secret, client_secret_expires_at: 0 }];
  };
  const before = await shelf.logIn({ server: server.url });
  const [registration] = (await shelf.ports.index.read()).registrations;
  assert.ok(registration?.hasSecret);
  shelf.stores.down.add('keychain');
  const after = await shelf.logIn({ server: server.url, store: 'file' });
  assert.equal(after.store, 'file');
  assert.match(shelf.scene.ports.told.join('\n'), /earlier credential is still in the store keychain/);
  const left = await removeOrphans(shelf.ports, everything, signal);
  assert.deepEqual(
    left.map(({ item, failure }) => `${item.store} ${failure.code}`),
    ['keychain store_unavailable', 'keychain store_unavailable'],
  );
  shelf.stores.down.clear();
  assert.deepEqual(await removeOrphans(shelf.ports, everything, signal), []);
  for (const { key } of [before, registration]) {
    assert.equal(await shelf.stores.bare('keychain').read(key), undefined);
  }
  const valid = { login: after, minLifeMs: 0, rejected: undefined, signal };
  assert.match((await validToken(shelf.ports, valid)).accessToken.reveal(), /^access-/);
});

test('a secret that a person gave, kept in a dead keychain: exit 7 says to give it again; given again, it is a login', async () => {
  await using shelf = await openShelf();
  const { server, issuer } = shelf.own;
  const client = { clientId: 'by-hand', secret: new Secret('typed'), issuer: issuer.issuer, redirectUri: undefined };
  await shelf.logIn({ server: server.url, client });
  shelf.stores.down.add('keychain');
  const lost = shelf.logIn({ server: server.url, store: 'file' });
  const failure = await failureOf(lost, 'client_secret_lost');
  assert.equal(failure.exit, 7);
  assert.match(failure.remedy, /--client-secret-stdin --authorization-server /);
  const again = { server: server.url, store: 'file', client } as const;
  assert.equal((await shelf.logIn(again)).store, 'file');
  assert.equal(issuer.forms.length, 2);
});

test('an item that somebody else has removed: exit 3, and the login is no longer shown as a healthy one', async () => {
  await using shelf = await openShelf();
  const record = await shelf.logIn();
  await shelf.stores.bare('keychain').remove(record.key);
  const valid = { login: record, minLifeMs: 0, rejected: undefined, signal };
  assert.equal((await failureOf(validToken(shelf.ports, valid), 'login_needed')).exit, 3);
  const [shown] = await status(shelf.ports);
  assert.deepEqual([shown?.state, shown?.problem], ['dead', 'its secret is no longer in its store']);
  await shelf.logIn();
  assert.equal((await status(shelf.ports))[0]?.state, 'valid');
});

test('[A-205] a logout that fails does not bring its login back beside one that was made meanwhile', async () => {
  await using shelf = await openShelf();
  const login = await shelf.logIn();
  const remove = async () => {
    await shelf.ports.index.update((document) => ({
      ...document,
      logins: [{ ...login, key: 'cd'.repeat(32), clientId: 'another' }],
    }));
    throw new Failure({ code: 'store_failed', exit: 7, message: 'down', remedy: '' });
  };
  const failing = { ...shelf.ports, stores: { of: () => ({ ...shelf.stores.of('keychain'), remove }) } };
  await failureOf(logout(failing, { login, force: false, signal }), 'store_failed');
  const { logins, orphans } = await shelf.ports.index.read();
  assert.deepEqual(
    logins.map(({ clientId }) => clientId),
    ['another'],
  );
  assert.deepEqual(
    orphans?.map(({ key }) => key === login.key),
    [true, false],
    'its item, and the one that it was to be revoked by, are known, and go later',
  );
});
