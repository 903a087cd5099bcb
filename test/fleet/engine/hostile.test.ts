import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { always, openAs } from './open.js';

const key = 'postern/default/access/{h1}/item';

/** An engine that responds to everything with the same. */
async function engineThatSays(text: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => socket.write(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('an engine in the hands of somebody else', () => {
  for (const nonsense of [':7', '+OK', '*1\r\n:7']) {
    it(`Redis: ${JSON.stringify(nonsense)} is no response to a look, and says of no write that it was done`, async () => {
      await using hostile = await engineThatSays(`${nonsense}\r\n`);
      await using engine = await openAs(`redis:redis://127.0.0.1:${hostile.port}`);
      const refused = { code: 'engine_not_understood', exit: 7, message: /something that Redis never sends/ };
      await assert.rejects(engine.read([key], always), refused);
      await assert.rejects(engine.list('postern/', always), refused);
      const put = { key, value: new Uint8Array(1) };
      const { outcome } = await engine.commit({ onlyIf: [], puts: [put], removes: [] }, always);
      assert.equal(outcome, 'unknown');
    });
  }
});
