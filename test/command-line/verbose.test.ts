import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { runHere } from '../support/in-process.js';
import { findSecrets } from '../support/secrets-search.js';

const token = 'canary-token-of-the-environment';
const code = 'canary-code-0123456789';
const query = 'canary-of-a-query-0123';

/** Says back what it was shown, wherever a response has room for it. */
const echo = () =>
  startHttp((request, response) => {
    const shown = String(request.headers.authorization).replace('Bearer ', '');
    const session = { 'mcp-session-id': `session-${shown}`, 'set-cookie': `a=${shown}`, 'x-echo': shown };
    const places = {
      location: `https://a.example/callback?code=${code}&state=x`,
      link: `<https://a.example/?c=${code}>`,
    };
    response.writeHead(418, { ...session, ...places, server: `echo ${shown}`, 'content-type': 'text/plain' });
    response.end('no');
  });

for (const [command, ...words] of [
  ['request', '-H', 'X-Api-Key: canary-key-of-a-person'],
  ['call', 'tools/list'],
  ['call', 'tools/list', '--json'],
] as const) {
  test(`${[command, ...words].join(' ')} -v: each request is printed, and no secret of it, in any encoding [A-252]`, async () => {
    await using server = await echo();
    await using home = await makeHome();
    const url = `${server.origin}/mcp?sig=${query}`;
    const env = { ...home.env, POSTERN_TOKEN: token, POSTERN_TOKEN_SERVER: url };
    const { stderr } = await runHere({ ...home, env }, [command, url, ...words, '-v']);
    const secrets = { token, code, key: 'canary-key-of-a-person' };
    assert.ok(!stderr.includes(query), stderr);
    assert.deepEqual(await findSecrets(secrets, { folders: [], texts: { stderr } }), []);
    if (stderr.startsWith('{')) {
      const lines = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual([lines[0].request.method, lines[0].request.status], ['POST', 418]);
      assert.equal(lines.at(-1).error.exit, 8, 'the failure is the last line');
    } else {
      assert.match(stderr, /^request {2}(?:GET|POST) http:\/\/127\.0\.0\.1:\d+\/mcp\?… {2}418 {2}\d+ ms$/m);
      assert.match(stderr, /^ {9}> authorization: \*\*\*$/im);
      assert.match(stderr, /^ {9}< server: echo \*\*\*$/m);
    }
  });
}

test('a bridge with -v prints each request', async () => {
  await using server = await echo();
  await using home = await makeHome();
  const url = `${server.origin}/mcp`;
  const env = { ...home.env, POSTERN_TOKEN: token, POSTERN_TOKEN_SERVER: url };
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
  const { stderr } = await runHere({ ...home, env }, ['bridge', url, '-v'], `${JSON.stringify(message)}\n`);
  assert.match(stderr, /^request {2}POST http:\/\/127\.0\.0\.1:\d+\/mcp {2}418 {2}\d+ ms$/m);
  assert.deepEqual(await findSecrets({ token }, { folders: [], texts: { stderr } }), []);
});
