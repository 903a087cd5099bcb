import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { ResponseHandler } from '../../src/relay/connection.js';
import { startTcp } from '../support/http-server.js';
import { type Connections, startConnections } from './start-connections.js';

/** What the server does with one request, and what whoever asks does with the answer. */
interface Deed {
  readonly kind: 'length' | 'chunked' | 'close' | 'early' | 'cut' | 'behind' | 'bytes behind' | 'drop' | 'stray';
  readonly size: number;
  /** How many bytes go out at a time. */
  readonly step: number;
  /** After which piece the taker says no. */
  readonly noAt: number;
}

const deed = fc
  .record({
    kind: fc.constantFrom<Deed['kind']>(
      ...(['length', 'length', 'chunked', 'close', 'early', 'cut', 'behind', 'bytes behind', 'drop'] as const),
    ),
    size: fc.oneof(fc.nat(50), fc.integer({ min: 1_000, max: 70_000 })),
    step: fc.constantFrom(7_000, 16_384, 100_000),
    noAt: fc.nat(4),
  })
  .map((one): Deed => {
    // What is behind an answer comes together with its end: later, it would be the answer to the next request.
    const isBehind = one.kind === 'behind' || one.kind === 'bytes behind';
    return isBehind ? { ...one, size: one.size % 10_000, step: 100_000 } : one;
  });
const planted = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted';

/** The body that belongs to a request and to no other one. */
function bodyOf(id: number, size: number): string {
  const word = `<${id}>`;
  return word.repeat(Math.ceil(size / word.length)).slice(0, size);
}

function textOf({ kind, size }: Deed, id: number): string {
  const body = bodyOf(id, size);
  const head = 'HTTP/1.1 200 OK\r\n';
  const whole = `${head}Content-Length: ${size}\r\n\r\n${body}`;
  if (kind === 'chunked') {
    const chunks = body.match(/.{1,999}/gs) ?? [];
    const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    return `${head}Transfer-Encoding: chunked\r\n\r\n${coded.join('')}0\r\n\r\n`;
  }
  if (kind === 'close') return `${head}\r\n${body}`;
  if (kind === 'cut') return whole.slice(0, -1 - Math.floor(size / 2));
  if (kind === 'early') return `HTTP/1.1 103 Early\r\n\r\n${whole}`;
  return kind === 'behind' || kind === 'stray' ? whole + planted : kind === 'bytes behind' ? `${whole}\r\n` : whole;
}

async function serve(socket: Socket, one: Deed, id: number): Promise<void> {
  if (one.kind === 'drop') {
    socket.destroy();
    return;
  }
  const text = textOf(one, id);
  for (let at = 0; at < text.length; at += one.step) {
    socket.write(text.slice(at, at + one.step), 'latin1');
    await nextTurn();
  }
  if (one.kind === 'cut' || one.kind === 'close') socket.end();
}

/** The body that came for a request; undefined where it failed. Pieces are looked at as late as is allowed. */
async function take(stand: Connections, id: number, { noAt }: Deed): Promise<string | undefined> {
  const connection = await stand.borrow();
  const pieces: string[] = [];
  let held: Uint8Array[] = [];
  let count = 0;
  const look = (): void => {
    pieces.push(...held.map((chunk) => Buffer.from(chunk).toString('latin1')));
    held = [];
  };
  const isWhole = await new Promise<boolean>((resolve) => {
    const late = (whole: boolean) => void nextTurn().then(() => setTimeout(() => resolve(whole), 2));
    const taker: ResponseHandler = {
      head: () => undefined,
      data: (chunk) => {
        count += 1;
        held.push(chunk);
        if (held.length === 1 && count % 5 !== noAt) look();
        if (held.length === 1) {
          setTimeout(() => {
            look();
            connection.resume(taker);
          }, 1);
        }
        return held.length === 0;
      },
      end: () => late(true),
      failed: () => late(false),
    };
    connection.send({ method: 'GET', target: `/${id}`, headers: [], body: null }, taker);
  });
  look();
  return isWhole ? pieces.join('') : undefined;
}

test('whatever a server does, each request gets its own answer, whole, or fails', async () => {
  let deeds: readonly Deed[] = [];
  await using server = await startTcp((socket) => {
    socket.on('data', (bytes: Buffer) => {
      const id = Number(/^GET \/(\d+) /.exec(bytes.toString('latin1'))?.[1]);
      const one = deeds[id];
      if (one !== undefined) void serve(socket, one, id);
    });
  });
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 4, maxLength: 24 }), async (script) => {
      deeds = script;
      await using stand = startConnections(server.origin);
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let id = next++; id < script.length; id = next++) {
          const one = script[id];
          if (one === undefined) return;
          const body = await take(stand, id, one);
          if (body !== undefined) assert.equal(body, bodyOf(id, one.size), `${id} ${one.kind}`);
          assert.equal(body === undefined, one.kind === 'cut' || one.kind === 'drop', `${id} ${one.kind}`);
        }
      };
      await Promise.all([worker(), worker(), worker()]);
    }),
    { numRuns: 60 },
  );
});
