import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { environmentLogin, takeToken } from '../../src/stores/environment-token.js';
import { proveAddress } from '../../src/tokens/credential-target.js';
import { anyText } from '../support/arbitraries.js';
import type { Variables } from '../support/home.js';
import { openMachine } from '../support/machine.js';
import { Failure } from '../support/product.js';
import { runProgram } from '../support/program.js';
import { type Sandbox, startSandbox } from '../support/start-sandbox.js';

/** Two tokens of the client's own, one of which opens no tool. */
async function tokensAt({ serverUrl, issuer }: Sandbox): Promise<{ readonly token: string; readonly narrow: string }> {
  const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
  const { token_endpoint: endpoint } = (await metadata.json()) as { token_endpoint: string };
  const authorization = `Basic ${Buffer.from(`ci:${'s'.repeat(40)}`).toString('base64')}`;
  const get = async (scope: object) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: serverUrl, ...scope });
    const response = await fetch(endpoint, { method: 'POST', headers: { authorization }, body });
    return ((await response.json()) as { access_token: string }).access_token;
  };
  return { token: await get({ scope: 'mcp:basic' }), narrow: await get({}) };
}

test('a token of the environment is used for its very address, and told, handed on and kept nowhere', async () => {
  await using sandbox = await startSandbox({
    clients: [{ client_id: 'ci', client_secret: 's'.repeat(40), redirect_uris: [] }],
  });
  const { serverUrl } = sandbox;
  await using machine = await openMachine({ world: { own: {} } });
  const runWith = (more: Variables, ...words: readonly string[]) => machine.run(words, '', more);
  const { token, narrow } = await tokensAt(sandbox);
  const given = { POSTERN_TOKEN: token, POSTERN_TOKEN_SERVER: serverUrl };

  assert.equal((await runWith(given, 'token', serverUrl)).stdout, `${token}\n`);
  const called = await runWith(given, 'call', serverUrl, 'whoami');
  assert.match(called.stdout, /^ci /, called.stderr);
  const withToken = { ...machine.home, env: { ...machine.home.env, ...given } };
  const script = 'echo "$POSTERN_ACCESS_TOKEN"; env | grep -c "POSTERN_TOKEN"';
  assert.equal((await runProgram(withToken, ['exec', serverUrl, '--', 'sh', '-c', script])).stdout, `${token}\n0\n`);
  assert.match((await runWith(given, 'credential', 'headers', serverUrl)).stdout, /"Authorization":"Bearer /);
  const status = await runWith(given, 'status');
  assert.match(status.stdout, /from POSTERN_TOKEN/);
  assert.ok(!status.stdout.includes(token));

  for (const url of [`${serverUrl}/below`, `${serverUrl}?a=b`]) {
    assert.equal((await runWith(given, 'token', url)).code, 3, url);
    assert.equal((await runWith(given, 'request', url)).code, 3, url);
    assert.equal((await runWith(given, 'credential', 'header', url)).code, 3, url);
    const { stderr } = await runWith(given, 'token', url);
    assert.match(
      stderr,
      /POSTERN_TOKEN was not sent: it is for "http:[^"]+" alone\. Run: postern login \S*http.*login_needed/s,
    );
  }
  const refused = await runWith({ ...given, POSTERN_TOKEN: 'another' }, 'call', serverUrl, 'whoami');
  assert.match(refused.stderr, /token in POSTERN_TOKEN .* was rejected.*\[token_refused, exit 3\]/s);
  const wider = await runWith({ ...given, POSTERN_TOKEN: narrow }, 'call', serverUrl, 'whoami', '--login');
  assert.match(wider.stderr, /token in POSTERN_TOKEN .* lacks the scope.*\[insufficient_scope, exit 3\]/s);
  const refreshed = await runWith(given, 'token', serverUrl, '--refresh');
  assert.match(refreshed.stderr, /never refreshed here.*\[no_refresh_token, exit 3\]/s);
  const files = await readdir(join(machine.home.path, 'state'), { recursive: true, withFileTypes: true });
  const kept = files.filter((one) => one.isFile() && one.name !== 'failures.json');
  assert.deepEqual(kept, [], 'what is kept of it');
});

test('a token of the environment that cannot be used is exit 2, with what to set; without one nothing changes', async () => {
  await using machine = await openMachine({ world: { own: {} } });
  const runWith = (more: Variables, ...words: readonly string[]) => machine.run(words, '', more);
  const server = 'https://server.example/mcp';
  const wrong: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
    [/Set POSTERN_TOKEN_SERVER to/, { POSTERN_TOKEN: 'a' }],
    [/unset POSTERN_TOKEN_SERVER/, { POSTERN_TOKEN_SERVER: server }],
    [/without “Bearer”/, { POSTERN_TOKEN: 'Bearer a', POSTERN_TOKEN_SERVER: server }],
    [
      /Set it to: https:\/\/server\.example\/mcp/,
      { POSTERN_TOKEN: 'a', POSTERN_TOKEN_SERVER: 'HTTPS://server.example/mcp' },
    ],
    [/not https/, { POSTERN_TOKEN: 'a', POSTERN_TOKEN_SERVER: 'http://server.example/mcp' }],
    [/no server’s address/, { POSTERN_TOKEN: 'a', POSTERN_TOKEN_SERVER: 'work' }],
  ];
  for (const [said, given] of wrong) {
    for (const command of [['token', server], ['status']]) {
      const { code, stdout, stderr } = await runWith(given, ...command);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, said);
    }
  }
  assert.equal((await runWith({ POSTERN_TOKEN: '', POSTERN_TOKEN_SERVER: '' }, 'status')).code, 0);
});

test('whatever stands in the variables is one whole login for that address, or a failure that quotes no token', () => {
  const mostly = fc.oneof(
    anyText(),
    fc.constantFrom('https://a.example', 'https://a.example/mcp?x=1', 'http://127.0.0.1:1/'),
  );
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.stringMatching(/^[a-z.~]{12,30}$/)), mostly, (token, server) => {
      const env: Record<string, string | undefined> = {
        POSTERN_TOKEN: token,
        POSTERN_TOKEN_SERVER: server,
        PATH: '/bin',
      };
      const taken = takeToken(env);
      assert.deepEqual(env, { PATH: '/bin' });
      try {
        const { login, item } = environmentLogin(taken, 1);
        assert.deepEqual([login.server, login.store], [server, 'environment']);
        assert.equal(JSON.parse(item.reveal()).accessToken, token);
        proveAddress(login, server);
        for (const reach of ['server', 'host'] as const) {
          assert.throws(() => proveAddress(login, `${server}/x`, reach), { code: 'token_not_for_url' });
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        assert.equal(error.exit, 2);
        assert.ok(token.length < 12 || !error.message.includes(token), 'the token is quoted nowhere');
      }
    }),
  );
});
