import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { redact } from '../../src/core/secret.js';
import type { AssertionSource } from '../../src/stores/assertions.js';
import { createAssertions } from '../../src/stores/assertions.js';
import { everythingIn, failureOf } from '../support/http.js';
import { temporaryFolder } from '../support/temporary.js';

const token = `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.${'s'.repeat(43)}`;
const isWindows = process.platform === 'win32';
const skip = isWindows && 'POSIX files and shells';

function reader(env: Record<string, string | undefined> = {}) {
  const assertions = createAssertions({ env });
  const { signal } = new AbortController();
  return { read: (source: AssertionSource, by = signal) => assertions.read(source, by) };
}

const file = (path: string) => ({ from: 'file', path }) as const;
const shell = (script: string) => ({ from: 'command', words: ['/bin/sh', '-c', script] }) as const;

test('a file: one token, a line end and a byte order mark aside; links are followed, as Kubernetes writes them', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await mkdir(at('..data'));
  for (const [name, text] of [
    ['plain', token],
    ['line', `${token}\n`],
    ['windows', `${token}\r\n`],
    ['marked', `\ufeff${token}\n`],
    ['..data/token', `${token}\n`],
  ] as const) {
    await writeFile(at(name), text);
  }
  if (!isWindows) await symlink(join('..data', 'token'), at('link'));
  for (const name of ['plain', 'line', 'windows', 'marked', ...(isWindows ? [] : ['link'])]) {
    const { read } = reader();
    assert.equal((await read(file(at(name)))).reveal(), token, name);
    assert.equal(redact(token), '***');
  }
});

test('what is no file with one token is refused at once, by name, and nothing of it is quoted', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  for (const [name, text, why] of [
    ['empty', '\n', /it is empty/],
    ['two', `${token}\n${token}\n`, /more than one line/],
    ['words', `Bearer ${token}`, /not one token/],
    ['utf16', Buffer.from(`\ufeff${token}`, 'utf16le'), /no text in UTF-8/],
    ['long', 'x'.repeat(17_000), /longer than 16384 characters/],
    ['huge', Buffer.alloc(10_000_000, 'x'), /larger than 65536 bytes/],
  ] as const) {
    await writeFile(at(name), text);
    const failure = await failureOf(reader().read(file(at(name))), 'assertion_unreadable');
    assert.match(failure.message, why);
    assert.ok(failure.message.includes(at(name)) && failure.remedy.includes(at(name)), name);
    assert.ok(!everythingIn(failure).includes(token.slice(0, 20)), name);
  }
  assert.match(
    (await failureOf(reader().read(file(at('none'))), 'assertion_unreadable')).message,
    /there is no such file/,
  );
  assert.match((await failureOf(reader().read(file(folder.path)), 'assertion_unreadable')).message, /not a plain file/);
});

test('a pipe, a device and a loop of links are not waited for', { skip }, async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  assert.equal(spawnSync('mkfifo', [at('pipe')]).status, 0);
  await symlink('loop', at('loop'));
  for (const path of [at('pipe'), '/dev/zero', '/dev/tty', at('loop')]) {
    await failureOf(reader().read(file(path)), 'assertion_unreadable');
  }
});

test('a variable: taken out of what programs inherit, and still there for the next token; unset and empty are one', async () => {
  const env: Record<string, string | undefined> = { A: ` ${token}\n`, B: '' };
  const { read } = reader(env);
  for (const _time of [1, 2]) assert.equal((await read({ from: 'variable', name: 'A' })).reveal(), token);
  assert.ok(!('A' in env));
  for (const name of ['B', 'C']) await failureOf(read({ from: 'variable', name }), 'assertion_unreadable');
});

test('a command: no shell, our variables left out, in no folder of a project; its stderr is nobody’s', {
  skip,
}, async () => {
  const env = { POSTERN_TOKEN: 'ours', GIVEN: token, PATH: process.env['PATH'] };
  const { read } = reader(env);
  assert.equal((await read(shell('echo "$GIVEN"'))).reveal(), token);
  assert.equal((await read(shell(`printf '%s' "x\${POSTERN_TOKEN-none}x"`))).reveal(), 'xnonex');
  assert.equal((await read(shell('pwd'))).reveal(), '/');
  assert.equal((await read({ from: 'command', words: ['/bin/echo', '$GIVEN;x'] })).reveal(), '$GIVEN;x');
  const failure = await failureOf(read(shell(`echo ${token} >&2; echo ${token}; exit 3`)), 'assertion_unreadable');
  assert.match(failure.message, /the command "\/bin\/sh": it ended with exit code 3/);
  assert.ok(!everythingIn(failure).includes(token));
  await failureOf(read({ from: 'command', words: ['/nonexistent/program'] }), 'assertion_unreadable');
  await failureOf(read(shell('head -c 100000 /dev/zero | tr "\\0" x')), 'assertion_unreadable');
});

test('a command that does not end, or leaves a child with its stdout, ends after 10 s with all that it started', {
  skip,
}, async () => {
  await using folder = await temporaryFolder();
  const mark = join(folder.path, 'late');
  const ends = [`sleep 60; echo late > ${mark}`, `(sleep 60; echo late > ${mark}) & echo ${token}`];
  const failures = await Promise.all(
    ends.map((script) => failureOf(reader().read(shell(script)), 'assertion_unreadable')),
  );
  for (const { message } of failures) assert.match(message, /had not ended after 10 s, and was killed/);
  const interruption = new AbortController();
  const stopped = reader().read(shell('sleep 60'), interruption.signal);
  interruption.abort(new Error('enough'));
  await assert.rejects(stopped, /enough/);
});
