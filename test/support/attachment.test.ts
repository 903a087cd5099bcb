import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { Attachment } from './attachment.js';
import { CommandRefused, marionette } from './marionette.js';

/** The second for what ends well: on a busy machine it may take a while. */
const limits = { longestMs: 400, attemptMs: 50 };
const generous = { longestMs: 30_000, attemptMs: 400 };
const never = () => new Promise<never>(() => undefined);

test('a browser that hangs while it is attached to is let go of, and attached to anew', async () => {
  const signals: AbortSignal[] = [];
  const attached = new Attachment((signal) => {
    signals.push(signal);
    return signals.length < 3 ? never() : Promise.resolve('here');
  }, generous);
  await attached.until('not seen', async (control) => control === 'here');
  await attached.until('not seen', async () => true);
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [true, true, false],
  );
});

test('a browser that hangs or fails while it is looked at is attached to anew', async () => {
  let attachedTimes = 0;
  const attached = new Attachment(async () => ++attachedTimes, generous);
  await attached.until('not seen', (control) => {
    if (control === 1) return never();
    return control === 2 ? Promise.reject(new Error('closed')) : Promise.resolve(true);
  });
  assert.equal(attachedTimes, 3);
});

test('what is not there yet is waited for over one attachment, and then not for ever', async () => {
  let attachedTimes = 0;
  const attached = new Attachment(async () => ++attachedTimes, limits);
  await assert.rejects(
    attached.until('not seen', async () => false),
    { message: 'not seen' },
  );
  assert.equal(attachedTimes, 1, 'an attempt that sees nothing is none that failed');
});

test('of the attempts that failed, the last is told', async () => {
  let times = 0;
  const failing = new Attachment(async () => Promise.reject(new Error(`attempt ${++times}`)), limits);
  await assert.rejects(
    failing.until('not seen', async () => true),
    (error: Error) => error.message === `not seen: attempt ${times}` && times > 1,
  );
  await assert.rejects(
    new Attachment(never, limits).until('not seen', async () => true),
    { message: 'not seen: attaching took more than 50 ms' },
  );
});

/** What stands for Firefox: each connection is another of these, in this order. */
async function firefoxOf(...serve: readonly ((socket: Socket) => void)[]) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => serve[sockets.push(socket.on('error', () => undefined)) - 1]?.(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, [Symbol.dispose]: close };
}

const say = (socket: Socket, message: unknown) => {
  const text = JSON.stringify(message);
  return socket.write(`${text.length}:${text}`);
};
const greet = (socket: Socket) => say(socket, { applicationType: 'gecko' });

test('Firefox may never greet, or close, or fall silent after its greeting: it is connected to again', async () => {
  const ended: string[] = [];
  using firefox = await firefoxOf(
    (socket) => socket.resume().on('close', () => ended.push('silent')),
    (socket) => socket.end(),
    (socket) => greet(socket) && socket.resume().on('close', () => ended.push('silent after greeting')),
    (socket) => {
      greet(socket);
      socket.on('data', () => say(socket, [1, 1, null, { value: {} }]));
    },
  );
  const attached = new Attachment(async (signal) => {
    const send = await marionette(firefox.port, signal);
    return { result: await send('WebDriver:NewSession', {}), signal };
  }, generous);
  let open: AbortSignal | undefined;
  await attached.until('no session', async ({ result, signal }) => {
    open = signal;
    assert.deepEqual(result, { value: {} });
    return true;
  });
  assert.deepEqual(ended, ['silent', 'silent after greeting']);
  assert.equal(open?.aborted, false);
});

test('a command that Firefox refuses is told from a connection that is lost', async () => {
  using firefox = await firefoxOf((socket) => {
    greet(socket);
    socket.once('data', () => {
      say(socket, [1, 1, { error: 'no such element' }, null]);
      socket.once('data', () => socket.end());
    });
  });
  const send = await marionette(firefox.port, new AbortController().signal);
  await assert.rejects(send('WebDriver:FindElement', {}), CommandRefused);
  await assert.rejects(send('WebDriver:FindElement', {}), { message: 'Firefox closed the connection' });
  await assert.rejects(send('WebDriver:FindElement', {}), { message: 'Firefox closed the connection' });
});
