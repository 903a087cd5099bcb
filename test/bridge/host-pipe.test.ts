import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { HostPipe } from '../../src/bridge/host-pipe.js';

/** A host that reads when it is told to: `written` is each write as it came. */
class Host extends Writable {
  readonly written: string[] = [];
  #done: (() => void) | undefined;
  isReading = true;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(chunk.toString());
    if (this.isReading) done();
    else this.#done = done;
  }

  /** Reads what it has been given, and from now on all. */
  read(): void {
    this.isReading = true;
    this.#done?.();
    this.#done = undefined;
  }
}

function open(t: TestContext) {
  const before = { ...globalThis.console };
  t.after(() => void Object.assign(globalThis.console, before));
  const stdin = new PassThrough();
  const host = new Host();
  const ends: string[] = [];
  const pipe = new HostPipe(stdin, host);
  const listen = () =>
    pipe.listen({ data: (chunk) => void ends.push(chunk.toString()), end: () => void ends.push('end') });
  return { stdin, host, pipe, ends, listen };
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    assert.ok(turns < 1_000, what);
    await turn();
  }
}

const large = 'x'.repeat(300 * 1024);

test('what a package has to say goes where people read, and not between the messages', (t) => {
  open(t);
  const { log, info, debug, error } = globalThis.console;
  assert.deepEqual([log, info, debug], [error, error, error]);
});

test('messages of one turn are one write, a large one goes at once, and nothing is no write', async (t) => {
  const { pipe, host } = open(t);
  await pipe.flushed();
  pipe.write(Buffer.from('one'));
  pipe.write(Buffer.from('two'));
  assert.deepEqual(host.written, []);
  await turn();
  assert.deepEqual(host.written, ['one\ntwo\n']);
  pipe.write(Buffer.from('three'));
  pipe.write(Buffer.from(large));
  assert.deepEqual(host.written.join(''), `one\ntwo\nthree\n${large}\n`, 'without a turn');
  await turn();
  assert.equal(host.written.join('').length, 'one\ntwo\nthree\n\n'.length + large.length);
});

test('[A-236] a host that does not read is full; those who wait go on one after the other when it reads, each only while there is room', async (t) => {
  const { pipe, host } = open(t);
  host.isReading = false;
  assert.equal(pipe.isFull, false);
  const calls: string[] = [];
  pipe.whenDrained(() => void calls.push('called'));
  await turn();
  assert.equal(calls.length, 1, 'at once where there is room');
  pipe.write(Buffer.from(large));
  assert.equal(pipe.isFull, true);
  const woken: number[] = [];
  const again = (name: number) => () => {
    woken.push(name);
    host.isReading = false;
    pipe.write(Buffer.from(large));
  };
  for (const name of [1, 2]) pipe.whenDrained(again(name));
  await turn();
  assert.deepEqual(woken, []);
  host.read();
  await until(() => woken.length > 0, 'the first is not woken');
  await turn();
  await turn();
  assert.deepEqual(woken, [1], 'it is full again');
  host.read();
  await until(() => woken.length > 1, 'the second is not woken');
  assert.deepEqual(woken, [1, 2]);
});

test('what has been flushed was read', async (t) => {
  const { pipe, host } = open(t);
  host.isReading = false;
  let isFlushed = false;
  pipe.write(Buffer.from('last'));
  const flushed = pipe.flushed().then(() => {
    isFlushed = true;
  });
  await turn();
  assert.deepEqual([host.written, isFlushed], [['last\n'], false]);
  host.read();
  await flushed;
});

test('a host that goes ends it once, however it goes; nothing is written to it then, and nobody waits for it', async (t) => {
  for (const leave of ['end', 'destroy', 'error', 'stdout'] as const) {
    const { pipe, host, stdin, ends, listen } = open(t);
    listen();
    stdin.write('a');
    await turn();
    if (leave === 'end') stdin.end();
    else if (leave === 'destroy') stdin.destroy();
    else if (leave === 'error') stdin.destroy(new Error('gone'));
    else host.destroy(new Error('EPIPE'));
    for (let turns = 0; turns < 5; turns += 1) await turn();
    assert.deepEqual(ends, ['a', 'end'], leave);
    assert.equal(stdin.destroyed, true, leave);
    if (leave !== 'stdout') continue;
    pipe.write(Buffer.from(large));
    assert.deepEqual([host.written, pipe.isFull], [[], false]);
    await pipe.flushed();
  }
});

test('those who wait for a host that goes are let go; one that has gone before it is listened to has ended', async (t) => {
  const { pipe, host, ends, listen } = open(t);
  host.isReading = false;
  pipe.write(Buffer.from(large));
  const calls: string[] = [];
  pipe.whenDrained(() => void calls.push('called'));
  const flushed = pipe.flushed();
  host.destroy(new Error('EPIPE'));
  await flushed;
  assert.equal(calls.length, 1);
  listen();
  assert.deepEqual(ends, ['end']);
});
