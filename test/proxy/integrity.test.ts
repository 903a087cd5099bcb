import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startHttp } from '../support/http-server.js';
import { mountOf, openStand, type Stand } from './stand.js';

/** Bytes that differ everywhere, so that none can take the place of another. */
function bytesOf(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed;
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(state, at);
  }
  return bytes;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Reads all, with pauses: everything on the way has to wait for it. */
async function readSlowly(message: IncomingMessage): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const piece of message) {
    hash.update(piece as Buffer);
    count += 1;
    if (count % 10 === 0) await wait(1);
  }
  return hash.digest('hex');
}

async function upload(stand: Stand, body: Buffer, chunked: boolean, piece: number): Promise<string> {
  const headers = chunked ? {} : { 'content-length': body.length };
  const at = { host: '127.0.0.1', port: stand.port, path: stand.at('/up'), method: 'PUT', agent: false };
  const request = httpRequest({ ...at, headers });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  for (let from = 0; from < body.length; from += piece) {
    if (!request.write(body.subarray(from, from + piece))) await once(request, 'drain');
  }
  request.end();
  const [response] = await answered;
  const pieces: Buffer[] = [];
  for await (const each of response) pieces.push(each as Buffer);
  return Buffer.concat(pieces).toString();
}

test('bodies arrive byte for byte, in whatever pieces they come and however slowly they are taken [A-225]', async () => {
  const down = bytesOf(3_000_001, 7);
  let refusals = 0;
  await using server = await startHttp((request, response) => {
    if (request.method === 'GET') {
      if (request.url?.endsWith('length')) response.setHeader('content-length', down.length);
      response.end(down);
      return;
    }
    void readSlowly(request).then((hash) => {
      const isRefused = request.url?.endsWith('up') && request.headers.authorization?.endsWith('-0');
      if (isRefused) refusals += 1;
      response.writeHead(isRefused ? 401 : 200).end(hash);
    });
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  // The first few are refused once, and sent again from what was kept.
  const sizes = [1, 4_095, 65_536, 65_537, 1_000_000, 1_048_576];
  for (const [at, size] of sizes.entries()) {
    const body = bytesOf(size, at);
    const got = await Promise.all([
      upload(stand, body, false, 16_000),
      upload(stand, body, true, 16_000),
      upload(stand, body, true, Math.max(1, size >> 9)),
    ]);
    assert.deepEqual(
      got,
      Array.from({ length: 3 }, () => hashOf(body)),
      `${size} bytes`,
    );
  }
  assert.ok(refusals > 0);
  const large = bytesOf(5_000_000, 99);
  const both = await Promise.all([upload(stand, large, false, 70_000), upload(stand, large, true, 333_333)]);
  assert.deepEqual(both, [hashOf(large), hashOf(large)]);
  for (const kind of ['/chunked', '/length']) {
    const request = httpRequest({ host: '127.0.0.1', port: stand.port, path: stand.at(kind), agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(await readSlowly(response), hashOf(down), kind);
  }
});
