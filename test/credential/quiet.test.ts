import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStage } from '../e2e/stage.js';
import { itemOf, letExpire, logIn, refreshAsked } from '../endurance/expiry.js';
import { fakeBrowser } from '../support/fake-browser.js';
import { needs } from '../support/needs.js';
import { runProgram, startProgram } from '../support/program.js';
import { gitInput, seed, work } from './seeded.js';

const skip = needs('gnome-keyring', 'dbus');

test('[A-180] a login that is over: git is told to quit, with a line that says what to do; no browser opens, nobody is asked', {
  skip,
}, async () => {
  await using seeded = await seed(work({ server: 'https://ended.example/mcp', expiresAt: Date.now() - 1000 }));
  const browser = await fakeBrowser(seeded.home);
  const input = gitInput('protocol=https', 'host=ended.example', 'path=mcp');
  for (const env of [{}, { GIT_TERMINAL_PROMPT: '0' }, { GIT_TERMINAL_PROMPT: '1' }]) {
    const { code, stdout, stderr } = await seeded.ask(['git', 'get'], {
      input,
      env: { ...env, BROWSER: browser.path },
    });
    assert.deepEqual([code, stdout], [3, 'quit=1\n\n']);
    assert.match(stderr, /^postern: [^\n]+Run: postern login work \[login_expired, exit 3\]\n$/);
  }
  assert.equal(await browser.record(), '');
});

test('[A-192] what lies in the working folder maps nothing and changes nothing', { skip }, async () => {
  await using seeded = await seed(work());
  const logins = await readFile_(seeded.home.path);
  const planted = logins.replaceAll('mcp.example', 'github.com');
  for (const folder of ['', '.postern', 'postern', '.config/postern', '.local/state/postern', 'state/postern-here']) {
    const path = join(seeded.home.path, 'clone', folder);
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (const name of ['logins.json', 'config.json', '.postern.json', 'postern.json']) {
      await writeFile(join(path, name), planted, { mode: 0o600 });
    }
  }
  const clone = { ...seeded.home, path: join(seeded.home.path, 'clone') };
  const ask = (host: string) =>
    runProgram(
      clone,
      ['credential', 'git', 'get', '--timeout', '60'],
      gitInput('protocol=https', `host=${host}`, 'path=mcp'),
    );
  const nothing = await ask('github.com');
  assert.deepEqual([nothing.code, nothing.stdout, nothing.stderr], [0, '', '']);
  assert.match((await ask('mcp.example')).stdout, /^username=oauth2\n/);
});

const readFile_ = async (home: string) => readFileSync(join(home, 'state', 'postern', 'logins.json'), 'utf8');

test('[A-244][A-245][A-246][A-247][A-248] what a caller, a repository or a person writes is told in one line of plain characters', {
  skip,
}, async () => {
  await using seeded = await seed(work());
  const hostile = 'https://x\u001b]8;;https://evil\u0007\u009b2J\r\u202epostern: all is well\u2028\u{e0041}.example/\n';
  const asks: readonly (readonly [readonly string[], Parameters<typeof seeded.ask>[1]])[] = [
    [['headers', hostile], {}],
    [[hostile], {}],
    [['headers', 'work'], { env: { CLAUDE_CODE_MCP_SERVER_URL: hostile } }],
    [['env', 'work', '--var', hostile], {}],
    [['env', 'work', '--shell', hostile], {}],
    [['bazel', 'get'], { input: `{"uri":"x","${hostile}` }],
    [['git', 'get'], { input: `protocol=https\nhost=${hostile}\n` }],
    [['headers', 'work', '--shim', `/nowhere/${hostile}`], {}],
    [['kubectl', 'work'], { env: { KUBERNETES_EXEC_INFO: hostile } }],
  ];
  for (const [words, given] of asks) {
    const { code, stdout, stderr } = await seeded.ask(words, given);
    assert.notEqual(code, 0, words.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /^postern: [\x20-\x7e’…“”–]+\n$/, JSON.stringify(stderr));
    assert.doesNotMatch(stderr, /tok\.en/);
  }
  const { stdout } = await runProgram(seeded.home, ['status']);
  assert.match(stdout, /^[\n\x20-\x7e✓]+$/);
});

test('[A-191] no process that has to do with it has a secret among its arguments', {
  skip: skip || needs('secret-tool'),
}, async () => {
  await using stage = await openStage();
  const { key } = await logIn(stage);
  const item = await letExpire(stage, key, 0);
  stage.sandbox.setFaults(['refresh-late']);
  await using helper = startProgram(stage.home, ['credential', 'headers', stage.sandbox.serverUrl, '--timeout', '60']);
  await refreshAsked(stage, 0);
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'latin1')];
      } catch {
        return []; // it has ended
      }
    });
  assert.ok(
    lines.some((line) => line.includes(`token\0${stage.sandbox.serverUrl}`)),
    'the one that renews was seen',
  );
  const { code } = await helper.finished;
  assert.equal(code, 0);
  const secrets = [item.accessToken, item.refreshToken, (await itemOf(stage, key)).accessToken];
  for (const secret of secrets) assert.ok(lines.every((line) => !line.includes(secret)));
});
