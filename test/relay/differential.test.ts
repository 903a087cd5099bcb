import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { relayedMethods } from '../../src/relay/heads.js';
import { requests } from './odd-requests.js';
import { nodes, ours } from './two-servers.js';

const start = 'POST /m HTTP/1.1\r\nHost: h\r\n';

/** What we take, Node.js takes, too, and for the same: lines, headers, bodies, and where each of them ends. */
async function agree(pieces: readonly string[]): Promise<number> {
  const [own, other] = await Promise.all([ours(pieces), nodes(pieces)]);
  assert.deepEqual(own.taken, other.taken.slice(0, own.taken.length), JSON.stringify(pieces));
  return own.taken.length;
}

test('whatever bytes come: what we take for a request is one for Node.js, too, with the same headers and body [A-217]', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(requests, fc.array(fc.nat(400), { maxLength: 4 }), async (text, cuts) => {
      const places = [...new Set([0, ...cuts, text.length])].sort((a, b) => a - b).filter((at) => at <= text.length);
      taken += await agree(places.map((from, at) => text.slice(from, places[at + 1] ?? text.length)));
    }),
  );
  assert.ok(taken > 5, `${taken} requests were taken: the property was about something`);
});

test('a request cut into two pieces at any byte, or into all its bytes, is the same request [A-217]', async () => {
  const two = `${start}X: 1\r\nTransfer-Encoding: chunked\r\n\r\n4;x\r\nabcd\r\n0\r\nT: 1\r\n\r\n\r\n${start}Content-Length: 4\r\n\r\nabcd`;
  const whole = await ours([two]);
  assert.equal(whole.taken.length, 2);
  assert.equal(whole.closed, false);
  for (let cut = 0; cut <= two.length; cut += 1) {
    assert.deepEqual((await ours([two.slice(0, cut), two.slice(cut)])).taken, whole.taken, `at ${cut}`);
  }
  assert.deepEqual((await ours([...two])).taken, whole.taken);
  assert.equal(await agree([...two]), 2);
});

test('only methods go through that Node.js knows', () => {
  for (const method of relayedMethods) assert.ok(METHODS.includes(method), method);
});
