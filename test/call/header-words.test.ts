import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHttp } from '../support/http-server.js';
import { runHere } from '../support/in-process.js';
import { openMachine } from '../support/stage-here.js';

test('[A-242] no command that runs for others takes headers: the words are refused, and nothing starts', async () => {
  await using server = await startHttp((_, response) => void response.writeHead(200).end('{}'));
  await using home = await makeHome();
  const url = `${server.origin}/mcp`;
  const canary = 'Bearer canary-of-a-header';
  const commands = [
    ['bridge', url],
    ['proxy', url],
    ['exec', url],
    ['call', url, 'tools/list'],
    ['credential', 'headers', url],
  ];
  for (const command of commands) {
    for (const words of [['--header', `Authorization: ${canary}`], [`--header=Host: ${canary}`], ['-H', canary]]) {
      const tail = command[0] === 'exec' ? ['--', 'touch', join(home.path, 'started')] : [];
      const { code, stdout, stderr } = await runHere(home, [...command, ...words, ...tail]);
      assert.deepEqual([code, stdout], [2, ''], [...command, ...words].join(' '));
      assert.match(stderr, /"(?:--header|-H)"[\s\S]*usage_wrong/);
      assert.ok(!stderr.includes('canary'), stderr);
    }
  }
  assert.deepEqual(server.requests, []);
  await assert.rejects(access(join(home.path, 'started')), { code: 'ENOENT' });
});

test('[A-242] request: none that the program writes itself, none of the connection’s own, no line breaks; values as they are', async () => {
  const seen: unknown[] = [];
  await using server = await startHttp((request, response) => {
    seen.push(request.headers['x-plain'], request.headers.authorization);
    response.writeHead(200).end();
  });
  await using machine = await openMachine();
  const { home } = machine;
  const url = `${server.origin}/mcp`;
  for (const line of [
    'Authorization: Bearer canary',
    'aUTHORIZATION: Bearer canary',
    'Host: canary',
    'Connection: canary',
    'Transfer-Encoding: canary',
    'Proxy-Authorization: Basic canary',
    'X-Plain: canary\r\nAuthorization: Bearer canary',
    'X-Plain: canary\nX-More: canary',
    'X Plain: canary',
    ': canary',
    'canary',
  ]) {
    const { code, stderr } = await runHere(home, ['request', '-H', line, url]);
    assert.equal(code, 2, `${line}: ${stderr}`);
    assert.doesNotMatch(stderr, /canary/, 'only its name is said');
  }
  assert.deepEqual(server.requests, []);
  await machine.storeLogin({ server: url, accessToken: 'token-of-ours', expiresAt: null });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that nobody expands it is what is shown
  const literal = '${HOME} $HOME %PATH% ~';
  const { code, stderr } = await machine.run('request', '-H', `X-Plain: ${literal}`, url);
  assert.equal(code, 0, stderr);
  assert.deepEqual(seen, [literal, 'Bearer token-of-ours']);
});
