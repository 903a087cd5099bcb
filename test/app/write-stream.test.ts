import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { linesTo, writerTo } from '../../src/app/write-stream.js';

/** A reader that takes nothing until it is told to. */
function slowReader() {
  const taken: string[] = [];
  let waiting: (() => void) | undefined;
  let reads = false;
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      taken.push(text);
      if (reads) done();
      else waiting = done;
    },
  });
  return {
    stream,
    taken,
    read: () => {
      reads = true;
      waiting?.();
    },
  };
}

test('lines that nobody reads do not pile up: they are left out, counted, and that is told once somebody reads on', async () => {
  const { stream, taken, read } = slowReader();
  const { line, taken: whenTaken } = linesTo(stream);
  for (let count = 0; count < 20_000; count += 1) line(`line ${count}`);
  assert.ok(stream.writableLength < 100_000, `${stream.writableLength} characters wait`);
  const behind = whenTaken(new AbortController().signal);
  assert.equal(
    await Promise.race([behind.then(() => 'taken'), new Promise(setImmediate).then(() => 'waits')]),
    'waits',
  );
  read();
  await behind;
  line('last');
  const [notice = '', last] = taken.join('').split('\n').slice(-3);
  assert.match(notice, /^postern: (\d+) lines were left out here, as nobody read what came before\.$/);
  const shown = taken.join('').match(/^line /gm)?.length ?? 0;
  assert.equal(shown + Number(/\d+/.exec(notice)?.[0]), 20_000);
  assert.equal(last, 'last');
});

test('waiting for a reader ends with the program, and with the reader', async () => {
  const { stream } = slowReader();
  const { line, taken } = linesTo(stream);
  await taken(new AbortController().signal);
  line('x'.repeat(70_000));
  const ending = new AbortController();
  const ended = assert.rejects(taken(ending.signal), /the end/);
  ending.abort(new Error('the end'));
  await ended;
  const gone = taken(new AbortController().signal);
  stream.destroy();
  await gone;
});

test('a long text is written in pieces, one after the other, and no character is cut in two', async () => {
  const pieces: Buffer[] = [];
  let [waiting, most] = [0, 0];
  const stream = new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      pieces.push(bytes);
      setImmediate(() => {
        waiting -= 1;
        done();
      });
    },
  });
  const { write } = stream;
  stream.write = ((...args: Parameters<typeof write>) => {
    waiting += 1;
    most = Math.max(most, waiting);
    return write.apply(stream, args);
  }) as typeof write;
  const text = `${'x'.repeat(262_143)}\u{1f600}${'y'.repeat(300_000)}`;
  await writerTo(stream)(text);
  assert.ok(Buffer.concat(pieces).toString() === text, 'the text arrives whole');
  assert.deepEqual([pieces.length, most], [3, 1]);
});
