import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mayHoldSecret } from '../../src/core/resource.js';
import { planEntry } from '../../src/setup/plan-entry.js';
import { programs as allPrograms } from '../../src/setup/programs/programs.js';
import { loginWords } from '../../src/tokens/find-login.js';
import { startBuiltBridge } from '../bridge/built-bridge.js';
import { gitInput, type Seeded, seed, server, token, work } from '../credential/seeded.js';
import { needs } from '../support/needs.js';
import { type Finished, runProgram, startCommand } from '../support/program.js';
import { storeLogin } from '../support/stored-login.js';
import { machine } from './workshop.js';

const skip = needs('gnome-keyring', 'dbus', 'sh');
const otherServer = 'https://other.example/mcp';
const otherToken = 'tok.en.of.another-server';

/** What Claude Code does with its entry: the line goes to a shell. */
async function askAsClaude({ home }: Seeded, name = 'work'): Promise<Finished> {
  const { mcpServers } = JSON.parse(readFileSync(join(home.path, '.claude.json'), 'utf8'));
  await using running = startCommand('sh', ['-c', mcpServers[name].headersHelper], home);
  running.stdin.end();
  return await running.finished;
}

/** The name goes to another server's login. */
async function giveNameAway({ home }: Seeded): Promise<void> {
  const out = await runProgram(home, ['logout', 'work']);
  assert.equal(out.code, 0, out.stderr);
  await storeLogin(home, { ...work(), server: otherServer, accessToken: otherToken });
}

for (const program of allPrograms) {
  test(`${program.name}: the entry names server and account, not the login’s name`, async () => {
    const words = await loginWords({ server, account: 'me', name: 'work' }, false);
    const request = { program, scope: 'user', url: server, server: 'work', words, name: 'x', options: [] } as const;
    const files = { read: async (path: string) => ({ path, text: undefined }), exists: () => false };
    const { entry, conflicts } = await planEntry({ machine: machine({}), files } as never, request);
    const text = [JSON.stringify(entry.holds), ...(program.name === 'bazel' ? conflicts : [])].join();
    assert.ok(text.includes(server), text);
    assert.match(text, /--account\W+(?:--args )?me/);
    assert.doesNotMatch(text, /\bwork\b/);
  });
}

test('an entry never sends the token of a server that the login’s name was given to later', { skip }, async () => {
  await using seeded = await seed(work());
  assert.equal((await runProgram(seeded.home, ['setup', 'claude', 'work', '--write'])).code, 0);
  assert.equal((await askAsClaude(seeded)).stdout, `{"Authorization":"Bearer ${token}"}\n`);
  await giveNameAway(seeded);
  const { code, stdout, stderr } = await askAsClaude(seeded);
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /no login for "https:\/\/mcp\.example\/mcp"/);
  const status = await runProgram(seeded.home, ['status']);
  assert.match(status.stdout, /credential headers for https:\/\/mcp\.example[^\n]+login needed/);
});

test('of several accounts the entry goes on naming its own when it is gone, and takes no other one', {
  skip,
}, async () => {
  await using seeded = await seed(work(), { ...work(), name: 'mine', account: 'me', accessToken: otherToken });
  assert.equal((await runProgram(seeded.home, ['setup', 'claude', 'work', '--write'])).code, 0);
  assert.equal((await askAsClaude(seeded)).stdout, `{"Authorization":"Bearer ${token}"}\n`);
  assert.equal((await runProgram(seeded.home, ['logout', 'work'])).code, 0);
  const { code, stdout, stderr } = await askAsClaude(seeded);
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, /"default".*"me"/);
});

test('of several accounts --undo by a name takes back the entry of that account alone, and --check tells entries apart', {
  skip,
}, async () => {
  await using seeded = await seed(work(), { ...work(), name: 'mine', account: 'me', accessToken: otherToken });
  const entries = () =>
    Object.keys(JSON.parse(readFileSync(join(seeded.home.path, '.cursor', 'mcp.json'), 'utf8')).mcpServers);
  for (const name of ['work', 'mine']) await runProgram(seeded.home, ['setup', 'cursor', name, '--write']);
  const checked = await runProgram(seeded.home, ['setup', '--check']);
  for (const name of ['work', 'mine']) assert.match(checked.stdout, new RegExp(`^cursor  ${name}  ${server}$`, 'm'));
  assert.equal((await runProgram(seeded.home, ['rename', 'mine', 'other'])).code, 0);
  const undone = await runProgram(seeded.home, ['setup', 'cursor', 'other', '--undo']);
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual(entries(), ['work']);
  const nothing = await runProgram(seeded.home, ['setup', 'cursor', 'other', '--undo']);
  assert.equal(nothing.code, 2, nothing.stderr);
  assert.deepEqual(entries(), ['work']);
});

for (const whole of [false, true]) {
  const way = whole ? 'the whole program' : 'the short way';
  test(`a login that is gone is told and remembered, by name and by address: git, bazel, go (${way})`, {
    skip,
  }, async () => {
    await using seeded = await seed(work());
    assert.equal((await runProgram(seeded.home, ['logout', 'work'])).code, 0);
    for (const named of ['work', server]) {
      const asks: readonly (readonly [string, readonly string[], string])[] = [
        ['git', ['git', named, 'get'], gitInput('protocol=https', 'host=mcp.example', 'path=mcp/x.git')],
        ['bazel', ['bazel', named, 'get'], JSON.stringify({ uri: `${server}/x` })],
        ['goauth', ['goauth', named, `${server}/x`], 'HTTP/1.1 404 Not Found\n\n'],
      ];
      for (const [format, words, input] of asks) {
        const { code, stdout, stderr } = await seeded.ask(words, { input, whole });
        assert.equal(code, 3, `${format} ${named}`);
        assert.doesNotMatch(stdout, /Bearer|username|password|credential=/);
        assert.match(stderr, /login_needed/, format);
        const { stdout: status } = await runProgram(seeded.home, ['status']);
        assert.match(status, new RegExp(`credential ${format}\\b[^\\n]+login needed`), format);
      }
    }
    // Other hosts are none of its business: they are not kept from asking their own helpers.
    const elsewhere = gitInput('protocol=https', 'host=github.com', 'path=x');
    const asked = await seeded.ask(['git', server, 'get'], { input: elsewhere, whole });
    assert.deepEqual([asked.code, asked.stdout, asked.stderr], [0, '', '']);
  });
}

const secret = 'https://mcp.example/mcp?api=1&key=s3cr3t-of-the-query';

test('a query that seems to hold a secret is in no command line: the name with a pin stands there, and fits one login only', {
  skip,
}, async () => {
  await using seeded = await seed(work({ server: secret }));
  const shown = await runProgram(seeded.home, ['setup', 'cursor', 'work']);
  assert.match(shown.stdout, /"bridge",\s+"work",\s+"--pin",\s+"[0-9a-f]{32}"/, shown.stderr);
  assert.doesNotMatch(shown.stdout, /s3cr3t/);
  assert.equal((await runProgram(seeded.home, ['setup', 'claude', 'work', '--write'])).code, 0);
  const asked = await askAsClaude(seeded);
  assert.equal(asked.stdout, `{"Authorization":"Bearer ${token}"}\n`, asked.stderr);
  await giveNameAway(seeded);
  const { code, stdout, stderr } = await askAsClaude(seeded);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /"work"[^\n]+"https:\/\/other\.example\/mcp"[^\n]+postern setup[^\n]+\[login_changed/);
  assert.match((await runProgram(seeded.home, ['status'])).stdout, /credential headers[^\n]+login changed/);
});

test('servers that differ in the query alone: each entry gets its own token, as Claude Code asks for it', {
  skip,
}, async () => {
  const servers = ['alpha', 'beta'].map((project) => `${server}?project=${project}`);
  await using seeded = await seed(
    ...servers.map((url, at) => work({ server: url, name: `p${at}`, accessToken: `tok.en.${at}` })),
  );
  for (const [at, url] of servers.entries()) {
    const name = `p${at}`;
    assert.equal((await runProgram(seeded.home, ['setup', 'claude', name, '--write'])).code, 0);
    const env = { ...seeded.home.env, CLAUDE_CODE_MCP_SERVER_URL: url };
    const asking = { ...seeded, home: { ...seeded.home, env } };
    const { stdout, stderr } = await askAsClaude(asking, name);
    assert.equal(stdout, `{"Authorization":"Bearer tok.en.${at}"}\n`, stderr);
    const checked = await runProgram(seeded.home, ['setup', 'claude', name, '--check']);
    assert.equal(checked.code, 0, checked.stdout);
  }
});

test('without a name, the address that holds a secret is refused with what to do', { skip }, async () => {
  await using seeded = await seed(work());
  const { code, stdout, stderr } = await runProgram(seeded.home, ['setup', 'cursor', secret]);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /postern login URL --name NAME/);
  assert.doesNotMatch(stderr, /s3cr3t/);
});

test('exec, bridge and credential refuse a pin that does not fit the login found', { skip }, async () => {
  await using seeded = await seed(work());
  const [, pinned] = await loginWords({ server, account: 'default', name: 'work' }, false);
  const fits = await seeded.ask(['headers', 'work', ...(pinned?.options ?? [])]);
  assert.equal(fits.stdout, `{"Authorization":"Bearer ${token}"}\n`, fits.stderr);
  const pin = ['--pin', '0'.repeat(32)];
  for (const words of [
    ['credential', 'headers', 'work', ...pin],
    ['credential', 'headers', 'work', ...pin, '--verbose'],
    ['exec', 'work', ...pin, '--', 'env'],
  ]) {
    const { stdout, stderr } = await runProgram(seeded.home, words);
    assert.equal(stdout, '', words.join(' '));
    assert.match(stderr, /login_changed/, words.join(' '));
  }
  // A host shows nothing of a bridge that has ended: its requests are answered.
  await using host = startBuiltBridge(seeded.home, 'work', ...pin, '--non-interactive');
  const { error } = await host.ask({ id: 1, method: 'tools/list' });
  assert.deepEqual([error?.code, error?.data?.['code']], [-31011, 'login_changed']);
});

test('on Windows, what cmd.exe would replace is not written: name and pin are', async () => {
  const url = 'https://h.example/a%7Eb';
  const words = await loginWords({ server: url, account: 'default', name: 'work' }, false);
  const made = allPrograms.flatMap((program) => {
    if (program.name !== 'claude' && program.name !== 'codex') return [];
    const request = { program, scope: 'user', url, server: 'work', words, name: 'x', options: [] } as const;
    const files = { read: async (path: string) => ({ path, text: undefined }), exists: () => false };
    return [planEntry({ machine: machine({ platform: 'win32' }), files } as never, request)];
  });
  for (const plan of await Promise.all(made))
    assert.match(JSON.stringify(plan.entry.holds), /headers work --pin [0-9a-f]{32}"/);
  assert.equal(made.length, 2);
});

test('what looks like a secret in a query, and what does not', () => {
  for (const query of ['key=x', 'a=1&sig=x', 'access=1', 'q=AbCdEf0123456789AbCdEf01', 'p=sk-abcdef0123456789abcdef0'])
    assert.ok(mayHoldSecret(`https://h.example/mcp?${query}`), query);
  for (const query of ['', 'project_ref=abcdefghijklmnopqrst', 'profile=b5c1f0de-1c1e-4c3a-9d52-0242ac120002', 'key='])
    assert.ok(!mayHoldSecret(`https://h.example/mcp?${query}`), query);
});
