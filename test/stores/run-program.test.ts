import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type ProgramCommand, runProgram } from '../../src/stores/run-program.js';
import { temporaryFolder } from '../support/temporary.js';

const { env } = process;

/** A line for the shell, unless said otherwise without stdin. */
function run(command: string, wish: Partial<ProgramCommand> = {}) {
  return runProgram({ command, env, folder: '/', input: 'closed', limitMs: 60_000, ...wish });
}

/** Waits until there is such a file; false after ten seconds. */
async function comes(path: string): Promise<boolean> {
  for (let looks = 0; looks < 200 && !existsSync(path); looks += 1) await wait(50);
  return existsSync(path);
}

test('a program ends with its code, both streams and what it was given; only what is asked for is read', async () => {
  const input = { text: 'given', upTo: 'its-end' } as const;
  const both = await run('cat; echo said >&2; exit 3', { input });
  assert.deepEqual(both, { kind: 'ended', code: 3, killedBy: null, stdout: 'given', stderr: 'said\n' });
  const one = await run('echo out; echo said >&2', { output: ['stderr'] });
  assert.ok(one.kind === 'ended' && one.stdout === '' && one.stderr === 'said\n');
  const line = await run('read word; echo "$word"; cat', { input: { text: 'one\n', upTo: 'first-line' } });
  assert.ok(line.kind === 'ended' && line.stdout === 'one\n');
  const none = await run('', { command: ['/no/such/program'] });
  assert.ok(none.kind === 'not_started' && none.error.code === 'ENOENT');
});

test('[A-195] time-out, too much output and the signal kill a program with all that it has started', async () => {
  await using folder = await temporaryFolder();
  const lives = `${folder.path}/lives`;
  const started = `(sleep 3; touch ${lives}) & `;
  assert.deepEqual(await run(`${started} sleep 60`, { limitMs: 500 }), { kind: 'timeout' });
  assert.deepEqual(await run(`${started} yes`, { maxLength: 1_000 }), { kind: 'too_much' });
  const reason = new Error('enough');
  const signal = AbortSignal.timeout(500);
  await assert.rejects(run(`${started} sleep 60`, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  await assert.rejects(run(`${started} sleep 60`, { signal }), (error) => error === signal.reason);
  await wait(4_000);
  assert.equal(existsSync(lives), false);
});

test('a program that outlives the wait is left alone: after the limit, and after the signal', async () => {
  await using folder = await temporaryFolder();
  const after = (name: string) => `sleep 2; touch ${folder.path}/${name}`;
  assert.deepEqual(await run(after('limit'), { outlives: true, limitMs: 200 }), { kind: 'timeout' });
  await assert.rejects(run(after('signal'), { outlives: true, signal: AbortSignal.timeout(200) }));
  assert.ok(await comes(`${folder.path}/limit`));
  assert.ok(await comes(`${folder.path}/signal`));
});
