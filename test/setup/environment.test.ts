import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { proxyVariables } from '../../src/http/proxy-settings.js';
import type { SetupRequest } from '../../src/setup/plan-entry.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { undoEntry } from '../../src/setup/undo-entry.js';
import { writeEntry } from '../../src/setup/write-entry.js';
import { anyUrl } from '../support/arbitraries.js';
import { runProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary.js';
import { plainHome } from './plain-home.js';
import { workshop } from './workshop.js';

const server = 'https://h.example/mcp';

async function setup(env: Record<string, string>, ...args: string[]) {
  await using home = await plainHome();
  return await runProgram({ ...home, env: { ...home.env, ...env } }, ['setup', ...args]);
}

test('a proxy that a program would not pass on is told of, and written only when asked for', async () => {
  const proxy = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'localhost, *.in.example' };
  for (const program of ['codex', 'claude-desktop', 'zed']) {
    const plain = await setup(proxy, program, server);
    assert.match(plain.stderr, /HTTPS_PROXY[^\n]+--with-proxy/);
    assert.doesNotMatch(plain.stdout, /proxy\.example/);
    const { code, stdout, stderr } = await setup(proxy, program, server, '--with-proxy');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\/usr\/bin\/env/);
    assert.match(stdout, /HTTPS_PROXY=http:\/\/proxy\.example:3128/);
    assert.match(stdout, /NO_PROXY=localhost, \*\.in\.example/);
    assert.doesNotMatch(stderr, /HTTPS_PROXY/);
  }
  const git = await setup(proxy, 'git', server);
  assert.doesNotMatch(git.stderr, /HTTPS_PROXY/);
  for (const [env, program] of [
    [proxy, 'git'],
    [{}, 'codex'],
  ] as const) {
    const refused = await setup(env, program, server, '--with-proxy');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--with-proxy cannot be used: /);
  }
});

test('the password of a proxy is written to no file and shown to nobody', async () => {
  const env = { https_proxy: 'http://someone:pass-of-proxy@proxy.example:3128' };
  for (const more of [[], ['--write']]) {
    const { code, stdout, stderr } = await setup(env, 'codex', server, ...more);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /HTTPS_PROXY[^\n]+password/);
    assert.doesNotMatch(stdout + stderr, /pass-of-proxy|someone|proxy\.example/);
  }
  const refused = await setup(env, 'codex', server, '--with-proxy');
  assert.equal(refused.code, 2);
  assert.doesNotMatch(refused.stdout + refused.stderr, /pass-of-proxy/);
});

test('what is taken for a proxy has nothing in it that a file or a shell reads otherwise', () => {
  const text = fc.oneof(anyUrl, fc.string(), fc.constantFrom('http://a:b@c', 'p.example:1', '$(x)', 'a"b'));
  fc.assert(
    fc.property(text, text, (HTTPS_PROXY, NO_PROXY) => {
      const found = proxyVariables({ HTTPS_PROXY, NO_PROXY });
      if (found.kind !== 'plain') return;
      assert.deepEqual(found.variables, { HTTPS_PROXY, ...(NO_PROXY === '' ? {} : { NO_PROXY }) });
      for (const value of Object.values(found.variables)) assert.doesNotMatch(value, /[^ -~]|[@"'`$\\;%!&|<>(){}]/);
    }),
  );
});

test('authorities that are trusted here are named to programs that would leave them out', async () => {
  const env = { NODE_EXTRA_CA_CERTS: '/keys/ca.pem' };
  assert.match((await setup(env, 'codex', server)).stdout, /NODE_EXTRA_CA_CERTS=\/keys\/ca\.pem/);
  assert.match((await setup(env, 'cursor', server)).stdout, /"NODE_EXTRA_CA_CERTS=\/keys\/ca\.pem"/);
  assert.doesNotMatch((await setup(env, 'git', server)).stdout, /NODE_EXTRA/);
  assert.doesNotMatch((await setup({ NODE_EXTRA_CA_CERTS: 'ca.pem' }, 'codex', server)).stdout, /NODE_EXTRA/);
});

test('--undo removes the folders that --write made, once they are empty, and no other', async () => {
  const programs = ['goose', 'zed', 'opencode'].map((name) => allPrograms.find((one) => one.name === name));
  await using home = await temporaryFolder();
  const world = workshop(home.path);
  const { signal } = new AbortController();
  for (const program of programs) {
    const request = {
      program,
      scope: 'user',
      url: server,
      server,
      name: 'work',
      words: [{ server: 'work', options: [] }],
      options: [],
    };
    await writeEntry(world, request as SetupRequest, signal);
  }
  assert.ok(existsSync(`${home.path}/.config/zed`));
  for (const program of programs.reverse()) {
    const kept = (await world.programs.records.all()).find(({ record }) => record.program === program?.name);
    assert.ok(kept);
    assert.equal(await undoEntry(world, kept, signal), 'file');
  }
  assert.deepEqual(readdirSync(home.path), ['.local'], 'our own state');
});

test('an address that no server can have is answered with why, and what is secret in it stays unsaid', async () => {
  const wrong = [
    [
      'https://someone:pass-in-url@h.example/mcp',
      /neither the name of a login nor a server’s URL: it holds a user name or password/,
    ],
    ['https://h.example/mcp?api_key=pass-in-url', /nor a server’s URL: its query holds a credential/],
    ['https://h.example/a|b', /nor a server’s URL: it holds a character/],
    ['http://h.example/mcp', /a token is sent over https alone/],
  ] as const;
  for (const [address, why] of wrong) {
    await using home = await plainHome();
    for (const words of [['setup', 'claude'], ['credential', 'headers'], ['token']]) {
      const { code, stdout, stderr } = await runProgram(home, [...words, address]);
      assert.equal(stdout, '');
      assert.doesNotMatch(stderr, /pass-in-url|someone/);
      if (address.startsWith('https:')) assert.equal(code, 2);
      if (address.startsWith('https:') || words.includes('setup')) assert.match(stderr, why);
    }
  }
});
