import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { needs } from '../support/needs.js';
import { makePipe, type Pipe } from '../support/pipe.js';
import { programCommand } from '../support/program.js';
import { type Seeded, seed, server, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');
const request = 'protocol=https\nhost=mcp.example\npath=mcp\n';
const gitAnswer = /^username=oauth2\npassword=tok\.en-~\+\/=\n/;

function ask(seeded: Seeded, words: readonly string[], stdin: Pipe) {
  const [command, ...args] = programCommand(['credential', ...words, '--timeout', '60']);
  const child = spawn(command, args, { env: seeded.home.env, stdio: [stdin.from, 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  return once(child, 'close').then(([code]) => ({ code, ...said }));
}

/** Does a read of this pipe return at once when there is nothing? True for every process that has it open. */
function isNonBlocking({ from }: Pipe): boolean {
  const [, flags = ''] = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${from}`, 'utf8')) ?? [];
  return (Number.parseInt(flags, 8) & 0o4000) !== 0;
}

test('a request that waits in the pipe is answered at once, whether or not it ever ends, and the pipe left as it was', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const bazel = `{"uri":"${server}"}`;
  const asked = [
    { words: ['git', 'get'], written: request, ended: true, answer: gitAnswer },
    { words: ['git', 'get'], written: `${request}\nmore`, ended: false, answer: gitAnswer },
    { words: ['bazel', 'get'], written: bazel, ended: false, answer: /"Bearer tok\.en-~\+\/="/ },
  ];
  for (const { words, written, ended, answer } of asked) {
    using pipe = makePipe();
    writeSync(pipe.to, written);
    if (ended) pipe.end();
    const { code, out, err } = await ask(seeded, words, pipe);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, answer);
    assert.equal(isNonBlocking(pipe), false);
  }
});

test('a request that comes late, or in pieces, is waited for', { skip }, async () => {
  await using seeded = await seed(work());
  for (const first of ['', request.slice(0, 20)]) {
    using pipe = makePipe();
    writeSync(pipe.to, first);
    const answered = ask(seeded, ['git', 'get'], pipe);
    while (!isNonBlocking(pipe)) await turn(); // a socket waits for the rest now
    writeSync(pipe.to, request.slice(first.length));
    pipe.end();
    const { code, out, err } = await answered;
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, gitAnswer);
  }
});

test('a request longer than what a pipe holds is read whole', { skip }, async () => {
  await using seeded = await seed(work());
  using pipe = makePipe();
  const long = `${request}extra=${'a'.repeat(60_000)}\nmore=`;
  writeSync(pipe.to, long.padEnd(65_536, 'a')); // what a pipe holds on Linux
  const answered = ask(seeded, ['git', 'get'], pipe);
  writeSync(pipe.to, `${'a'.repeat(40_000)}\n\n`);
  const { code, out, err } = await answered;
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, gitAnswer);
});
