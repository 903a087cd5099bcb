import assert from 'node:assert/strict';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  forgetService,
  hostKeys,
  isProof,
  proofOf,
  readService,
  recordPath,
  serviceId,
} from '../../../src/proxy/service/record.js';
import { prover } from '../../../src/proxy/service/who-listens.js';
import { anyText, anyUrlWithoutFragment } from '../../support/arbitraries.js';
import { startHttp } from '../../support/http-server.js';
import { ask, mountOf, open, openStand } from '../stand.js';
import { aRecord, recordFolder } from './record-folder.js';

async function scene(...hosts: readonly string[]) {
  const server = await startHttp((incoming, response) => {
    if (incoming.url !== '/mcp/events') return void response.end('reached');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    return undefined;
  });
  const records = await recordFolder(...hosts);
  const stand = await openStand(mountOf(`${server.origin}/mcp`), {
    key: hostKeys(records.folder, aRecord.id),
    prove: prover(aRecord),
  });
  const askAs = async (host: string) => (await ask(stand, `/${records.key(host) || 'x'.repeat(43)}/m`)).status;
  return {
    ...stand,
    records,
    server,
    askAs,
    [Symbol.asyncDispose]: async () => {
      await stand[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await records[Symbol.asyncDispose]();
    },
  };
}

test('each host has a key of its own; one that is withdrawn is refused at once, and the others go on [A-213]', async () => {
  await using s = await scene('cursor', 'warp');
  assert.deepEqual([await s.askAs('cursor'), await s.askAs('warp'), await s.askAs('nobody')], [200, 200, 401]);
  const { status } = await ask(s, '/m', { headers: { 'postern-key': s.records.key('warp') } });
  assert.equal(status, 200);
  await s.records.keep('warp');
  assert.deepEqual([await s.askAs('cursor'), await s.askAs('warp')], [401, 200]);
  await s.records.keep('warp', 'cursor');
  assert.deepEqual([await s.askAs('cursor'), await s.askAs('warp')], [200, 200]);
});

test('a withdrawn key is refused on a connection, too, that has sent the very same head before', async () => {
  await using s = await scene('cursor');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = () =>
    new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: s.port, path: `/${s.records.key('cursor')}/m`, agent };
      const sent = request(options, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end();
    });
  assert.deepEqual([await send(), await send()], [200, 200]);
  await s.records.keep();
  assert.equal(await send(), 401);
  agent.destroy();
});

test('an event stream that was opened with a withdrawn key is cut, another host’s goes on', async () => {
  await using s = await scene('cursor', 'warp');
  const [cut, other] = await Promise.all(
    ['cursor', 'warp'].map((host) =>
      open(s, `/${s.records.key(host)}/m/events`, { headers: { accept: 'text/event-stream' } }),
    ),
  );
  assert.ok(cut && other);
  const ended = new Promise<void>((resolve) =>
    cut
      .once('error', () => resolve())
      .once('close', resolve)
      .resume(),
  );
  let isOver = false;
  other
    .once('error', () => undefined)
    .once('close', () => {
      isOver = true;
    })
    .resume();
  await s.records.keep('warp');
  await ended;
  assert.equal(isOver, false);
});

test('no record, or one that others may have written, has no keys', async () => {
  await using s = await scene('cursor');
  const path = recordPath(s.records.folder, aRecord.id);
  await chmod(path, 0o644);
  assert.equal(await s.askAs('cursor'), 401);
  await s.records.keep('cursor');
  assert.equal(await s.askAs('cursor'), 200);
  await rename(path, `${path}.moved`);
  await symlink(`${path}.moved`, path);
  assert.equal(await s.askAs('cursor'), 401, 'a link');
  await rm(path);
  await writeFile(path, '{"version":1', { mode: 0o600 });
  assert.equal(await s.askAs('cursor'), 401, 'half a record');
  await s.records.keep('cursor');
  forgetService(s.records.folder, aRecord.id);
  assert.equal(await s.askAs('cursor'), 401);
  await mkdir(path);
  assert.equal(await s.askAs('cursor'), 401, 'a folder');
});

test('who asks whether it is the service gets a proof, and no one else’s key or record is needed for it', async () => {
  await using s = await scene('cursor');
  const nonce = 'n'.repeat(32);
  const response = await ask(s, `/.postern/${nonce}`);
  const { proof } = JSON.parse(response.body);
  assert.equal(response.status, 401);
  assert.ok(isProof(aRecord, nonce, proof));
  assert.ok(!isProof(aRecord, 'o'.repeat(32), proof), 'it is for this question');
  assert.ok(!isProof({ ...aRecord, port: aRecord.port + 1 }, nonce, proof), 'it is not passed on from another port');
  for (const odd of ['/.postern/', `/.postern/${'n'.repeat(65)}`, `/.postern/${nonce}/m`, `/.postern/${nonce}?x`]) {
    assert.equal(JSON.parse((await ask(s, odd)).body).proof, undefined, odd);
  }
  const fromPage = await ask(s, `/.postern/${nonce}`, { headers: { origin: 'https://evil.example' } });
  assert.equal(JSON.parse(fromPage.body).proof, undefined);
  assert.deepEqual(s.server.requests, []);
});

test('a proof says nothing of the record, and is not guessed', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{22,64}$/), fc.string(), (nonce, said) => {
      const proof = proofOf(aRecord, nonce);
      assert.ok(!proof.includes(aRecord.proof) && isProof(aRecord, nonce, proof));
      assert.equal(isProof(aRecord, nonce, said), said === proof);
    }),
  );
});

test('an id is fit for files and units, whatever the login is called, and another one for each account', async () => {
  await using records = await recordFolder('a');
  const texts = [anyText(), fc.constantFrom('../../x', 'a b%n$HOME"\\', '-x', '@', '')];
  fc.assert(
    fc.property(fc.oneof(...texts), anyUrlWithoutFragment, fc.string(), (name, server, account) => {
      const id = serviceId({ server, account }, name);
      assert.match(id, /^[a-z0-9](?:[a-z0-9-]{0,39}[a-z0-9])?$/);
      assert.ok(!id.includes('--'));
      assert.notEqual(id, serviceId({ server, account: `${account}.` }, name));
    }),
  );
  for (const id of ['../services/work-0123abcd', '', '.', 'work-0123abcd.json', 'a/b', 'A']) {
    assert.equal(readService(records.folder, id), undefined, id);
  }
  assert.equal(readService(join(records.folder), aRecord.id)?.id, aRecord.id);
});
