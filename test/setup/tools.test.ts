import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { type Entry, entryValue } from '../../src/setup/formats/entry.js';
import { needs, unlessAbsent } from '../support/needs.js';
import { newerPrograms } from '../support/newer-programs.js';
import { runProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary.js';
import { putEntry, restoreEntry } from './edited.js';
import { plainHome } from './plain-home.js';

// Programs that write their own file, by their own commands.

const server = 'https://h.example/mcp';
const word = `'/opt/n o/node' '/p "q", a/postern.js' credential git`;
const git: Entry = {
  key: { format: 'git', path: ['https://h/a"b\\'] },
  holds: { members: { helper: ['', `!${word}`], useHttpPath: ['true'] }, without: [] },
};
const kubectl: Entry = {
  key: { format: 'kubeconfig', path: ['work'] },
  holds: {
    members: {
      ...{
        apiVersion: 'client.authentication.k8s.io/v1beta1',
        command: '/n "o"',
        args: ['a', 'b: #c', 'd,"e"', 'true'],
      },
      ...{ interactiveMode: 'Never', provideClusterInfo: 'true' },
    },
    without: [],
  },
};

async function put(text: string, entry: Entry): Promise<string> {
  const result = await putEntry(text, entry);
  assert.ok(result.ok, `${result.ok || result.problem}: ${text}`);
  return result.text;
}

test('git reads what git wrote, character by character; what a person has there of the same names comes back', {
  skip: needs('git'),
}, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'config');
  const own = '[credential "https://h/a\\"b\\\\"]\n\thelper = theirs\n\tusername = ann\n';
  const name = 'credential.https://h/a"b\\';
  for (const text of ['', '# only this', `[user]\n\tname = A # me\n[credential]\n\thelper = cache\n${own}`]) {
    const made = await put(text, git);
    assert.equal(await put(made, git), made);
    writeFileSync(file, made);
    const { stdout } = spawnSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8' });
    const listed = stdout.split('\0').filter((one) => one.startsWith(name));
    const expected = [`${name}.helper\n`, `${name}.helper\n!${word}`, `${name}.usehttppath\ntrue`];
    const username = text.includes('ann') ? [`${name}.username\nann`] : [];
    assert.deepEqual(listed.sort(), [...expected, ...username].sort());
    const back = await restoreEntry(made, git.key, text);
    assert.ok(back.ok);
    assert.deepEqual(entryValue(back.text, git.key), entryValue(text, git.key));
    for (const line of text.split('\n')) assert.ok(back.text.includes(line), line);
  }
  for (const text of ['[a]\n\tx = 1 \\\n', '[a\n'])
    assert.deepEqual(await putEntry(text, git), { ok: false, problem: 'unreadable' }, text);
});

test('kubectl keeps every other user, cluster and path; what cannot be read is left alone', {
  skip: needs('kubectl'),
}, async () => {
  const others =
    'users:\n- name: z\n  user:\n    client-certificate: ../z.pem\n- name: a\n  user:\n    exec:\n      apiVersion: v1\n      command: x\n';
  const text = `clusters:\n- cluster:\n    certificate-authority: ca.pem\n    server: https://h\n  name: c\n${others}`;
  const made = await put(text, kubectl);
  assert.deepEqual(entryValue(made, kubectl.key), { ...kubectl.holds.members, env: 'null' });
  assert.equal(await put(made, kubectl), made);
  for (const kept of ['certificate-authority: ca.pem', 'client-certificate: ../z.pem', 'command: x'])
    assert.ok(made.includes(kept), made);
  const without = await restoreEntry(made, kubectl.key, '');
  assert.ok(without.ok && !without.text.includes('work') && without.text.includes('name: z'));
  const old = await put(`${others}- name: work\n  user:\n    token: old\n`, kubectl);
  assert.ok(!old.includes('old'));
  for (const [bad, problem] of [
    ['a: 1\n---\nb: 2\n', 'unreadable'],
    ['users: [\n', 'unreadable'],
    ['- a\n', 'unreadable'],
    ['users:\n- name: work\n- name: work\n', 'duplicate'],
  ] as const)
    assert.deepEqual(await putEntry(bad, kubectl), { ok: false, problem }, bad);
});

test('go env -w puts ours before the others of GOAUTH, and takes it out; off is left alone', {
  skip: unlessAbsent('go 1.24'),
}, async () => {
  const command = "'/opt/n o/node' postern.js credential goauth https://h/mcp";
  const go: Entry = { key: { format: 'go', path: ['https://h/mcp'] }, holds: { members: { command }, without: [] } };
  for (const [text, list, left] of [
    ['', 'netrc', ''],
    ['# mine\nGOAUTH=git /home/a\nGOFLAGS=-x\n', 'git /home/a', 'GOAUTH=git /home/a\n'],
    ['GOAUTH=/old/node postern credential goauth https://h/mcp; netrc\n', 'netrc', ''],
  ] as const) {
    const made = await put(text, go);
    assert.ok(made.includes(`GOAUTH=${command}; ${list}\n`), made);
    const back = await restoreEntry(made, go.key, '');
    assert.ok(back.ok && back.text.includes(left) && !/postern/.test(back.text), JSON.stringify(back));
  }
  assert.deepEqual(await putEntry('GOAUTH=off\n', go), { ok: false, problem: 'shape' });
});

test('without --write the commands are printed, and do what --write does; where a program is too old, what to add is', {
  skip: needs('git', 'kubectl') || unlessAbsent('go 1.24'),
}, async () => {
  await using home = await plainHome();
  const older = join(home.path, 'older');
  mkdirSync(older);
  for (const name of ['kubectl', 'go']) {
    writeFileSync(join(older, name), '#!/bin/sh\necho unknown >&2\nexit 1\n');
    chmodSync(join(older, name), 0o700);
  }
  const onPath = (...folders: readonly string[]) => ({
    ...home,
    env: { ...home.env, PATH: [...folders, process.env['PATH']].join(delimiter) },
  });
  const newer = onPath(newerPrograms.folder);
  for (const [name, file] of [
    ['git', '.gitconfig'],
    ['kubectl', '.kube/config'],
    ['go', '.config/go/env'],
  ] as const) {
    const path = join(home.path, file);
    const shown = await runProgram(newer, ['setup', name, server]);
    assert.match(shown.stderr, /Run this to change [^\n]+--write/);
    assert.equal(existsSync(path), false);
    const done = spawnSync('sh', ['-ec', shown.stdout], { env: { ...newer.env, HOME: home.path }, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    const byHand = readFileSync(path, 'utf8');
    const written = await runProgram(newer, ['setup', name, server, '--write', '--json']);
    assert.equal(JSON.parse(written.stdout).outcome, 'unchanged', written.stderr);
    if (name === 'git') continue;
    const old = onPath(older);
    const pasted = await runProgram(old, ['setup', name, server]);
    assert.match(pasted.stderr, /Add this to [^\n]+:\n/);
    const key = { format: name === 'go' ? 'go' : 'kubeconfig', path: [name === 'go' ? server : 'h-example'] } as const;
    const [one, other] = [pasted.stdout, byHand].map((text) => entryValue(text, key) as object);
    assert.deepEqual({ env: 'null', ...one }, { env: 'null', ...other });
    writeFileSync(path, '');
    const refused = await runProgram(old, ['setup', name, server, '--write']);
    assert.deepEqual([refused.code, readFileSync(path, 'utf8')], [2, '']);
    assert.match(refused.stderr, /tool_missing/);
  }
});
