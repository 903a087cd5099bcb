import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHttp } from '../../support/http-server.js';
import { openMachine } from '../../support/machine.js';
import { findSecrets } from '../../support/secrets-search.js';

const key = 'canary-key+of/a=gateway';
const tenant = 'canary tenant of a person';
const token = 'canary-token-of-the-environment';

/** Says back what it was shown, wherever a response has room for it. */
const echo = () =>
  startHttp((request, response) => {
    const shown = [request.headers['x-api-key'], request.headers['x-tenant']]
      .map((said) => encodeURIComponent(String(said)))
      .join(' ');
    const challenge = `Bearer error="invalid_token", error_description="${shown}", resource_metadata="http://${request.headers.host}/prm/${key}"`;
    response.writeHead(request.url === '/mcp' ? 401 : 500, {
      'www-authenticate': challenge,
      server: shown,
      'x-echo': shown,
    });
    response.end(JSON.stringify({ error: shown, message: shown }));
  });

for (const words of [
  ['request', 'URL', '-v'],
  ['request', 'URL', '--json', '-v'],
  ['call', 'URL', '-v'],
  ['call', 'URL', 'tools/list', '--json', '-v'],
  ['bridge', 'URL', '-v'],
  ['login', 'URL', '--device', '-v'],
  ['doctor', 'URL', '-v'],
  ['doctor', 'URL', '--json', '--junit', 'FILE.xml', '--bundle', 'FILE.json'],
] as const) {
  test(`${words.join(' ')} --header-env: a server that says them back, plain and percent-encoded, prints none of them [A-252]`, async () => {
    await using server = await echo();
    const url = `${server.origin}/mcp`;
    const takesToken = !['login', 'doctor'].includes(words[0]);
    await using machine = await openMachine({
      env: { ACME: `X-Api-Key: ${key}\nX-Tenant: ${tenant}\n` },
      world: takesToken ? { own: {}, tokenGiven: { POSTERN_TOKEN: token, POSTERN_TOKEN_SERVER: url } } : {},
    });
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } };
    const file = join(machine.home.path, 'report');
    const given = words.map((word) => word.replace(/^URL$/, url).replace(/^FILE/, file));
    const input = words[0] === 'bridge' ? `${JSON.stringify(message)}\n` : '';
    const { stdout, stderr } = await machine.run([...given, '--header-env', 'ACME'], input);
    // What a server responds to `request` and to a host is the result: it is passed on as it came.
    const isResult = words[0] === 'request' || words[0] === 'bridge';
    const texts = isResult ? { stderr } : { stdout, stderr };
    assert.deepEqual(await findSecrets({ key, tenant, token }, { folders: [machine.home.path], texts }), []);
    assert.ok(stderr.length + stdout.length > 0);
    assert.ok(server.requests.length > 0);
  });
}

test('--header-file: sent to the address that was named; a value on the command line is no option, and a file is no place to look in', async () => {
  const seen: string[] = [];
  await using server = await startHttp((request, response) => {
    seen.push(`${request.url} ${request.headers['x-api-key']}`);
    response.end('ok');
  });
  const url = `${server.origin}/mcp`;
  const tokenGiven = { POSTERN_TOKEN: token, POSTERN_TOKEN_SERVER: url };
  await using machine = await openMachine({ world: { own: {}, tokenGiven } });
  const file = join(machine.home.path, 'headers');
  await writeFile(file, `X-Api-Key: ${key}\n`, { mode: 0o600 });
  const { stdout, stderr } = await machine.run(['request', url, '--header-file', file]);
  assert.equal(stdout, 'ok', stderr);
  const elsewhere = await machine.run(['request', `${server.origin}/other`, '--header-file', file]);
  assert.notEqual(elsewhere.code, 0);
  assert.deepEqual(seen, [`/mcp ${key}`]);
});
