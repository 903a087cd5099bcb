import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as later } from 'node:timers/promises';
import { bareHome } from '../bridge/host.js';
import { configure, type Home } from '../support/home.js';
import { runHere, startHere } from '../support/in-process.js';

/** A stdio server in one file. It notes its pid and how it was told to end. */
const source = `
const { appendFileSync, writeFileSync } = require('node:fs');
const [notes, ...given] = process.argv.slice(2);
const note = (text) => appendFileSync(notes, text + '\\n');
note('pid ' + process.pid);
const stubborn = given.includes('stubborn');
process.on('SIGTERM', () => { note('SIGTERM'); if (!stubborn) process.exit(); });
if (stubborn) setInterval(() => {}, 1000);
process.stderr.write('hello \\x1b[31mred\\n');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
if (given.includes('greets')) process.stdout.write('Welcome!\\n');
let rest = '';
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) note(method + ' ' + JSON.stringify(params ?? {}));
    else if (method === 'initialize') {
      send({ id, result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } } });
    } else if (method === 'x/env') send({ id, result: { env: process.env, given } });
    else if (method === 'x/large') send({ id, result: { text: 'x'.repeat(3 * 1024 * 1024) } });
    else if (method === 'x/leave') process.exit(7);
    else if (method !== 'x/wait') send({ id, result: { method, params } });
  }
});
process.stdin.on('end', () => note('end'));
`;

async function stage() {
  const bare = await bareHome();
  const home: Home = { ...bare, env: { ...bare.env, POSTERN_ACCESS_TOKEN: 'hidden', POSTERN_TIMEOUT: '50' } };
  const [script, notes] = [join(home.path, 'server.cjs'), join(home.path, 'notes')];
  await writeFile(script, source);
  return {
    home,
    command: (...more: string[]) => ['--', process.execPath, script, notes, ...more],
    notes: () => readFile(notes, 'utf8'),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a program is called as a server: without a shell, without our variables, its stderr harmless', async () => {
  await using given = await stage();
  const { code, stdout, stderr } = await runHere(given.home, ['call', 'x/env', '--json', ...given.command('$HOME;x')]);
  assert.equal(code, 0, stderr);
  const { env, given: words } = JSON.parse(stdout);
  assert.deepEqual(words, ['$HOME;x']);
  assert.equal(env['HOME'], given.home.path);
  assert.deepEqual(
    Object.keys(env).filter((name) => name.startsWith('POSTERN_')),
    [],
  );
  assert.match(stderr, /^stderr: hello \\x1b\[31mred$/m);
  const notes = await given.notes();
  assert.match(notes, /^notifications\/initialized \{\}\nend$/m);
  assert.doesNotMatch(notes, /SIGTERM/);
});

test('a method, a tool and their arguments stand before “--” as for any server', async () => {
  await using given = await stage();
  const read = await runHere(given.home, ['call', 'resources/read', 'file:///x', '--json', ...given.command()]);
  assert.equal(JSON.parse(read.stdout).params.uri, 'file:///x', read.stderr);
  const none = await runHere(given.home, ['call']);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /needs a server/);
  const both = await runHere(given.home, ['call', 'ping', '--account', 'me', ...given.command()]);
  assert.equal(both.code, 2);
});

test('a server that does not end with its stdin is ended, by force in the end', async () => {
  await using given = await stage();
  const { code, stderr } = await runHere(given.home, ['call', 'ping', ...given.command('stubborn')]);
  assert.equal(code, 0, stderr);
  const notes = await given.notes();
  assert.match(notes, /end\nSIGTERM\n$/);
  assert.equal(isRunning(Number(/^pid (\d+)/.exec(notes)?.[1])), false);
});

test('Ctrl-C ends a call and its server within the time that we have', async () => {
  await using given = await stage();
  await using call = startHere(given.home, ['call', 'x/wait', ...given.command('stubborn')]);
  for (let tries = 0; !(await given.notes().catch(() => '')).includes('initialized'); tries += 1) {
    assert.ok(tries < 500, 'the session was opened');
    await later(20);
  }
  call.kill('SIGINT');
  assert.equal((await call.finished).code, 130);
  assert.equal(isRunning(Number(/^pid (\d+)/.exec(await given.notes())?.[1])), false);
});

test('what is no message is left out, what is too large ends the call, and so does the end of the server', async () => {
  await using given = await stage();
  const greeted = await runHere(given.home, ['call', 'ping', '--json', ...given.command('greets')]);
  assert.equal(greeted.code, 0, greeted.stderr);
  const ended = await runHere(given.home, ['call', 'x/leave', ...given.command()]);
  assert.equal(ended.code, 8);
  assert.match(ended.stderr, /ended \(exit code 7\)/);
  await configure(given.home, { messageMiB: 1 });
  const large = await runHere(given.home, ['call', 'x/large', ...given.command()]);
  assert.equal(large.code, 5, large.stderr);
  assert.match(large.stderr, /larger than 1 MiB/);
});
