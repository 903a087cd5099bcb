import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redact } from '../../../src/core/secret.js';
import type { SharedEngine } from '../../../src/fleet/engine/redis.js';
import { startAuthority } from '../../support/certificates.js';
import { redisRules, startForwarder, startRedis, users } from '../../support/engines.js';
import { freePort } from '../../support/free-port.js';
import { needs } from '../../support/needs.js';
import { isFailure } from '../../support/product.js';
import { always, bytes, openAs, texts } from './open.js';

const key = 'postern/default/access/{h1}/item';
const put = (engine: SharedEngine, text: string, signal = always) =>
  engine.commit({ onlyIf: [{ key, revision: undefined }], puts: [{ key, value: bytes(text) }], removes: [] }, signal);

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.fail('it was done'),
    (error: unknown) => error,
  );

function setUnchecked(value: string | undefined): void {
  if (value === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = value;
}

describe('Redis in trouble', { skip: needs('redis', 'openssl') }, () => {
  it('a response that is cut off is unknown, though it was written; a look after it shows which', async () => {
    await using running = await startRedis();
    await using forwarder = await startForwarder(running.port);
    await using engine = await openAs(running.address(forwarder.port));
    assert.deepEqual(await engine.read([key], always), [undefined]);
    forwarder.cutNextResponse();
    const result = await put(engine, 'written');
    assert.equal(result.outcome, 'unknown');
    assert.ok(result.outcome === 'unknown' && isFailure(result.cause, 'store_unavailable'));
    assert.match(
      String(result.cause),
      new RegExp(`Redis at 127\\.0\\.0\\.1:${forwarder.port} cannot be used: it (?:broke off|closed) the connection`),
    );
    assert.deepEqual(texts(await engine.read([key], always)), ['written']);
    assert.equal((await put(engine, 'again')).outcome, 'conflict');
  });

  it('an engine that says nothing is waited for as long as is set, and no longer', async () => {
    await using running = await startRedis();
    await using forwarder = await startForwarder(running.port);
    await using engine = await openAs(running.address(forwarder.port));
    await engine.read([key], always);
    forwarder.swallow(true);
    const result = await put(engine, 'late');
    assert.equal(result.outcome, 'unknown');
    assert.match(String(result.outcome === 'unknown' && result.cause), /2 s/);
    await assert.rejects(engine.read([key], always), { code: 'store_unavailable', message: /2 s/ });
    forwarder.swallow(false);
    assert.deepEqual(texts(await engine.read([key], always)), ['late']);
  });

  it('a signal ends a wait at once', async () => {
    await using running = await startRedis();
    await using forwarder = await startForwarder(running.port);
    await using engine = await openAs(running.address(forwarder.port));
    await engine.read([key], always);
    forwarder.swallow(true);
    const ending = new AbortController();
    const reason = new Error('enough');
    const reads = engine.read([key], ending.signal);
    const puts = put(engine, 'x', ending.signal);
    ending.abort(reason);
    await assert.rejects(reads, (error) => error === reason);
    await assert.rejects(puts, (error) => error === reason);
    await assert.rejects(engine.list('postern/', ending.signal), (error) => error === reason);
  });

  it('where nothing listens each act asks once and says so, and no more is tried', async () => {
    await using engine = await openAs(`redis:redis://127.0.0.1:${await freePort()}`);
    const refused = {
      code: 'store_unavailable',
      exit: 7,
      message: /cannot be used: it refuses connections: nothing listens there \(ECONNREFUSED\)/,
    };
    await assert.rejects(engine.read([key], always), refused);
    await assert.rejects(put(engine, 'x'), refused);
    await assert.rejects(engine.list('postern/', always), refused);
  });

  it('a connection that was closed while nobody used it is opened again for a look', async () => {
    await using running = await startRedis();
    await using forwarder = await startForwarder(running.port);
    await using engine = await openAs(running.address(forwarder.port));
    await put(engine, 'there');
    forwarder.cutAll();
    assert.deepEqual(texts(await engine.read([key], always)), ['there']);
    assert.equal(forwarder.count, 2);
  });

  it('a wrong password, none, and an unknown user are refused, and no password is printed', async () => {
    await using running = await startRedis({ hasUsers: true });
    const wrong = { name: 'refresher', password: 'a-password-that-is-wrong' };
    await using engine = await openAs(running.address(), { user: wrong });
    const shown = async (each: SharedEngine) => {
      const error = await failureOf(each.read([key], always));
      assert.ok(isFailure(error, 'store_denied'), String(error));
      assert.ok(!JSON.stringify([error.message, error.remedy, String(error.cause)]).includes(wrong.password));
      return `${error.message} ${error.remedy}`;
    };
    assert.match(await shown(engine), /refuses this name and password\. Correct them/);
    assert.equal(redact(wrong.password), '***');
    await using nobody = await openAs(running.address());
    assert.match(await shown(nobody), /asks for a name and password\. Write NAME:PASSWORD/);
    await using stranger = await openAs(running.address(), { user: { name: 'stranger', password: wrong.password } });
    assert.match(await shown(stranger), /refuses this name and password/);
  });

  it('one that asks for no password is not trusted with a login that has one', async () => {
    await using running = await startRedis();
    await using engine = await openAs(running.address(), { user: users.refresher });
    const error = await failureOf(put(engine, 'x'));
    assert.ok(isFailure(error, 'store_denied'), String(error));
    assert.match(error.message, /refuses this name and password/);
  });

  for (const unchecked of [undefined, '0']) {
    const title = 'only authorities that are trusted here are believed, for the very name';
    it(unchecked === undefined ? title : `${title}; NODE_TLS_REJECT_UNAUTHORIZED=0 opens nothing [A-130]`, async () => {
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      setUnchecked(unchecked);
      using _restore = { [Symbol.dispose]: () => setUnchecked(before) };
      await using authority = await startAuthority();
      await using other = await startAuthority();
      await using running = await startRedis({ authority });
      await using engine = await openAs(running.address(), { caFile: other.caFile });
      const refused = { code: 'store_unavailable', message: /certificate/ };
      await assert.rejects(engine.read([key], always), refused);
      const error = await failureOf(put(engine, 'x'));
      assert.ok(isFailure(error, 'store_unavailable') && /NODE_EXTRA_CA_CERTS/.test(error.remedy));
      await using right = await openAs(running.address(), { caFile: authority.caFile });
      assert.equal((await put(right, 'x')).outcome, 'committed');
      await using named = await openAs(running.address().replace('127.0.0.1', 'localhost'), {
        caFile: authority.caFile,
      });
      await assert.rejects(named.read([key], always), { message: /its certificate is for another name/ });
    });
  }

  it('what speaks no TLS, and what speaks another protocol, is named as that', async () => {
    await using running = await startRedis();
    await using engine = await openAs(running.address().replace('redis:redis', 'redis:rediss'));
    const error = await failureOf(engine.read([key], always));
    assert.ok(isFailure(error, 'store_unavailable'));
    assert.match(error.message + error.remedy, /TLS/); // Redis waits for more of the handshake
  });
});

describe('Redis, as it is set up', { skip: needs('redis') }, () => {
  it('says which settings can lose what it has acknowledged', async () => {
    const risksOf = async (more: readonly string[]) => {
      await using running = await startRedis({ more });
      await using engine = await openAs(running.address());
      return (await engine.durability(always)).join('\n');
    };
    assert.equal(await risksOf(['--appendonly', 'yes', '--appendfsync', 'always']), '');
    assert.match(await risksOf([]), /keeps no log of its writes \(appendonly no\)/);
    assert.match(await risksOf(['--appendonly', 'yes']), /appendfsync everysec/);
    const full = [
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
      '--maxmemory',
      '100mb',
      '--maxmemory-policy',
      'allkeys-lru',
    ];
    assert.match(await risksOf(full), /throws logins away when its memory is full \(maxmemory-policy allkeys-lru\)/);
  });

  it('says so where its settings are hidden, and where its log cannot be read again', async () => {
    const without = redisRules.map((rule) => rule.replace('+config|get', ''));
    await using hidden = await startRedis({ hasUsers: true, rules: without });
    await using engine = await openAs(hidden.address(), { user: users.refresher });
    assert.match((await engine.durability(always)).join(), /does not show this user its settings \(\+config\|get\)/);
    await using off = await startRedis({ hasUsers: true });
    await off.tool('ACL', 'SETUSER', 'default', 'resetkeys', '-@all');
    await using other = await openAs(off.address(), { user: users.refresher });
    assert.match((await other.durability(always)).join(), /its user "default" has no rights/);
  });

  it('one that takes the connection, and no name and password, is told with the limit that it ran into', async () => {
    await using running = await startRedis({ hasUsers: true });
    running.signal('SIGSTOP');
    await using engine = await openAs(running.address(), { user: users.refresher, storeSeconds: 30 });
    const error = await failureOf(engine.read([key], always));
    assert.ok(isFailure(error, 'store_unavailable'));
    assert.match(error.message, /did not respond within 2 s/);
    assert.match(error.remedy, /limits\.connectSeconds/);
  });

  it('a full memory, a replica and a value of others are named, and nothing is written', async () => {
    await using running = await startRedis();
    await using engine = await openAs(running.address());
    await running.tool('set', key, 'of somebody else');
    await assert.rejects(engine.read([key], always), { code: 'credential_corrupt' });
    assert.equal((await put(engine, 'x')).outcome, 'conflict');
    await running.tool('del', key);
    await running.tool('config', 'set', 'maxmemory', '1');
    await assert.rejects(put(engine, 'x'), { code: 'store_unavailable', message: /its memory is full/ });
    await running.tool('config', 'set', 'maxmemory', '0');
    await running.tool('replicaof', '127.0.0.1', '1');
    await assert.rejects(put(engine, 'x'), {
      code: 'store_unavailable',
      message: /it is a replica, which takes no writes/,
    });
    await running.tool('replicaof', 'no', 'one');
    assert.deepEqual(await engine.read([key], always), [undefined]);
  });
});
