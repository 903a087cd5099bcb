import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { SharedEngine } from '../../../src/fleet/engine/redis.js';
import { startAuthority } from '../../support/certificates.js';
import { type EngineOptions, type RunningEngine, startRedis, users } from '../../support/engines.js';
import { needs } from '../../support/needs.js';
import { always, bytes, openAs, texts } from './open.js';

const [access, refresh, note] = ['access', 'refresh', 'note'].map((name) => `postern/default/${name}/{h1}/item`) as [
  string,
  string,
  string,
];

describe('Redis, with users and TLS', { skip: needs('redis', 'openssl') }, () => {
  const world = () => worldOf(startRedis);

  it('what was put is read as it was, several keys at one look, whatever bytes they are', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    const value = Uint8Array.from([...randomBytes(60_000), 0, 0x3a, 0x0a, 0xff]);
    const put = await engine.commit(
      {
        onlyIf: [],
        puts: [
          { key: access, value },
          { key: note, value: new Uint8Array() },
        ],
        removes: [],
      },
      always,
    );
    assert.equal(put.outcome, 'committed');
    const [first, second, third] = await engine.read([access, refresh, note], always);
    assert.deepEqual([...(first?.value ?? [])], [...value]);
    assert.equal(second, undefined);
    assert.equal(third?.value.length, 0);
    assert.deepEqual(put.outcome === 'committed' && put.revisions, [first?.revision, third?.revision]);
    assert.deepEqual(await engine.read([], always), []);
    assert.deepEqual(await engine.list('postern/default/', always), [access, note]);
    assert.deepEqual(await engine.list('postern/default/x/', always), []);
  });

  it('as many as a fleet may have logins are read at one look, in their order', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    const keys = Array.from({ length: 600 }, (_, at) => `postern/default/access/{h${1000 + at}}/item`);
    for (const key of keys.slice(1)) assert.equal((await put(engine, key, key, undefined)).outcome, 'committed');
    assert.deepEqual(await engine.list('postern/default/access/', always), keys.slice(1));
    assert.deepEqual(texts(await engine.read(keys, always)), [undefined, ...keys.slice(1)]);
  });

  it('a commit is all or nothing: one condition that does not hold, and nothing is written', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    const made = await put(engine, access, 'one', undefined);
    const again = await put(engine, access, 'two', undefined);
    assert.deepEqual([made.outcome, again.outcome], ['committed', 'conflict']);
    const [entry] = await engine.read([access], always);
    const change = (revision: string | undefined) =>
      engine.commit(
        {
          onlyIf: [
            { key: access, revision },
            { key: refresh, revision: undefined },
          ],
          puts: [{ key: refresh, value: bytes('r') }],
          removes: [access],
        },
        always,
      );
    assert.equal((await change(`${BigInt(entry?.revision ?? '0') + 1n}`)).outcome, 'conflict');
    assert.deepEqual(texts(await engine.read([access, refresh], always)), ['one', undefined]);
    assert.equal((await change(entry?.revision)).outcome, 'committed');
    assert.deepEqual(texts(await engine.read([access, refresh], always)), [undefined, 'r']);
    assert.equal((await change(entry?.revision)).outcome, 'conflict');
  });

  it('revisions grow with each write, and none comes back after a removal', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    const seen: bigint[] = [];
    for (let round = 0; round < 5; round += 1) {
      const result = await put(engine, access, 'same', undefined);
      assert.equal(result.outcome, 'committed');
      seen.push(BigInt((result.outcome === 'committed' && result.revisions[0]) || '0'));
      await engine.commit({ onlyIf: [], puts: [], removes: [access, refresh] }, always);
    }
    assert.deepEqual(
      seen,
      [...seen].sort((one, other) => (one < other ? -1 : 1)),
    );
    assert.equal(new Set(seen).size, 5);
  });

  it('of 20 that put under one condition at once, one does', async () => {
    await using all = await world();
    const engines = await Promise.all(Array.from({ length: 4 }, () => all.as('refresher')));
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put(engines[at % 4] as SharedEngine, access, `${at}`, undefined)),
    );
    assert.equal(results.filter(({ outcome }) => outcome === 'committed').length, 1);
    assert.equal(results.filter(({ outcome }) => outcome === 'conflict').length, 19);
  });

  it('what has a time to live goes by the engine’s own clock, and what is put again without one stays', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    const puts = [access, note].map((key) => ({ key, value: bytes('short'), ttlMs: 2_000 }));
    await engine.commit({ onlyIf: [], puts, removes: [] }, always);
    await engine.commit({ onlyIf: [], puts: [{ key: note, value: bytes('stays') }], removes: [] }, always);
    assert.deepEqual(texts(await engine.read([access, note], always)), ['short', 'stays']);
    for (let tries = 0; tries < 200; tries += 1) {
      if (texts(await engine.read([access], always))[0] === undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(texts(await engine.read([access, note], always)), [undefined, 'stays']);
  });

  it('a runner reads the access token’s item, and neither the refresh token’s nor writes', async () => {
    await using all = await world();
    const [engine, runner] = [await all.as('refresher'), await all.as('runner')];
    await put(engine, access, 'a', undefined);
    await put(engine, refresh, 'r', undefined);
    assert.deepEqual(texts(await runner.read([access], always)), ['a']);
    assert.deepEqual(await runner.list('postern/default/access/', always), [access]);
    const denied = { code: 'store_denied', message: /does not allow this user what was asked \(to/ };
    await assert.rejects(runner.read([refresh], always), denied);
    await assert.rejects(runner.read([access, refresh], always), denied);
    for (const key of [access, refresh]) await assert.rejects(put(runner, key, 'mine', undefined), denied);
    await assert.rejects(runner.commit({ onlyIf: [], puts: [], removes: [access] }, always), denied);
    assert.deepEqual(texts(await engine.read([access, refresh], always)), ['a', 'r']);
  });

  it('after a restart the same engine goes on with what was written', async () => {
    await using all = await world();
    const engine = await all.as('refresher');
    await put(engine, access, 'kept', undefined);
    await all.running.stop();
    await assert.rejects(engine.read([access], always), {
      code: 'store_unavailable',
      message: /refuses connections|broke off/,
    });
    await all.running.start();
    assert.deepEqual(texts(await engine.read([access], always)), ['kept']);
    const [entry] = await engine.read([access], always);
    assert.equal((await put(engine, access, 'more', entry?.revision)).outcome, 'committed');
  });
});

/** An engine with users and TLS, and whoever is wanted of them. */
async function worldOf(start: (options: EngineOptions) => Promise<RunningEngine>) {
  const authority = await startAuthority();
  const running = await start({ authority, hasUsers: true });
  const opened: AsyncDisposable[] = [authority, running];
  const as = async (user: keyof typeof users) => {
    const engine = await openAs(running.address(), { user: users[user], caFile: authority.caFile });
    opened.push(engine);
    return engine;
  };
  const dispose = async () => {
    for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
  };
  return { running, as, [Symbol.asyncDispose]: dispose };
}

describe('Redis, by its socket', { skip: needs('redis') }, () => {
  it('is reached by a path, and says what is wrong with one', async () => {
    await using running: RunningEngine = await startRedis({
      more: ['--unixsocket', 'r.sock', '--unixsocketperm', '700'],
    });
    const folder = (await running.tool('config', 'get', 'dir')).trim().split('\n').at(-1);
    await using engine = await openAs(`redis:unix:${folder}/r.sock`);
    assert.equal((await put(engine, access, 'a', undefined)).outcome, 'committed');
    assert.deepEqual(texts(await engine.read([access], always)), ['a']);
    await using nowhere = await openAs(`redis:unix:${folder}/none.sock`);
    await assert.rejects(nowhere.read([access], always), {
      code: 'store_unavailable',
      message: /there is no such socket/,
    });
  });
});

function put(engine: SharedEngine, key: string, text: string, revision: string | undefined) {
  return engine.commit({ onlyIf: [{ key, revision }], puts: [{ key, value: bytes(text) }], removes: [] }, always);
}
