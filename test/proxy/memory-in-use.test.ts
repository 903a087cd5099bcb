import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { refuse } from '../../src/proxy/refusal.js';
import { ServerConnection } from '../../src/relay/server-connection.js';
import type { ServerResponse } from '../../src/relay/server-response.js';
import { startHttp } from '../support/http-server.js';
import { mountOf, openStand } from './stand.js';

test('events that come one by one are held back by a caller that does not read [A-225] [A-226]', async () => {
  let written = 0;
  await using server = await startHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = async (): Promise<void> => {
      while (!response.destroyed && written < 40_000_000) {
        written += 4_000;
        if (!response.write(`data: ${'x'.repeat(3_992)}\n\n`)) await once(response, 'drain');
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    void more().catch(() => undefined);
  });
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const caller = connect(stand.port, '127.0.0.1').pause();
  caller.write(`GET ${stand.at()} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\n\r\n`);
  let stood = -1;
  while (stood !== written) {
    stood = written;
    await wait(300);
  }
  assert.ok(stood < 39_000_000, `${stood} bytes are on their way to nobody`);
  caller.destroy();
});

test('a piece of a body that is still on its way is not read over, even behind the end of that body [A-217] [A-225]', async () => {
  const kept: Buffer[] = [];
  let ended = 0;
  const answers: ServerResponse[] = [];
  const taker = {
    data: (piece: Buffer) => {
      kept.push(piece);
      return false;
    },
    end: () => {
      ended += 1;
    },
  };
  const gone = { gone: () => undefined, drained: () => undefined, broken: () => undefined };
  const proxy = {
    now: 0,
    ending: false,
    take: (connection: ServerConnection, { method }: { method: string }, answer: ServerResponse) => {
      answers.push(answer);
      if (method === 'PUT') connection.readBody({ kind: 'length', length: 4_000 }, taker);
      return gone;
    },
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => void new ServerConnection(socket, proxy));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  using _over = {
    [Symbol.dispose]: () => {
      caller.destroy();
      server.close();
    },
  };
  caller.write(`PUT / HTTP/1.1\r\n\r\n${'u'.repeat(4_000)}`);
  while (ended === 0) await new Promise((resolve) => setImmediate(resolve));
  caller.write(`GET / HTTP/1.1\r\nx-pad: ${'p'.repeat(9_000)}\r\n\r\n`);
  await wait(100); // nothing tells that bytes were read which wait for their turn
  assert.equal(Buffer.concat(kept).toString(), 'u'.repeat(4_000));
  const [first] = answers;
  assert.ok(first);
  refuse(first, { status: 400, code: 'x', message: 'x' }, 'r1');
  while (answers.length < 2) await new Promise((resolve) => setImmediate(resolve));
});
