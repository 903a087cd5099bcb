import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readClients } from '../../src/sandbox/read-clients.js';
import { makeHome } from '../support/home.js';
import { runProgram, startProgram } from '../support/program.js';

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test('a file of clients is read exactly, or what is wrong with it is named', () => {
  for (const [value, why] of [
    [{ client_id: 'a b' }, /no client_id/],
    [{ client_id: 'a', client_secrt: 'x' }, /member client_secrt/],
    [{ client_id: 'a', token_endpoint_auth_method: 'tls' }, /token_endpoint_auth_method/],
    [{ client_id: 'a', token_endpoint_auth_method: 'private_key_jwt' }, /no jwks/],
    [{ client_id: 'a', grant_types: ['password'] }, /a grant type that is none of authorization_code/],
    [{ client_id: 'a', scope: 'mcp:basic nope' }, /a scope that is none of mcp:basic/],
    [{ client_id: 'a', redirect_uris: ['http://evil.example/x'] }, /redirect URI/],
    [[{ client_id: 'a' }, { client_id: 'a', client_secret: 'x' }], /client a is in the file twice/],
  ] as const)
    assert.throws(() => readClients(bytes(value)), { name: 'RangeError', message: why });
});

test('the sandbox lets in a client of its file that logs in as itself; a bad file is a matter of usage', async () => {
  await using home = await makeHome({});
  const file = join(home.path, 'clients.json');
  await writeFile(file, bytes([{ client_id: 'robot', client_secret: 'secret-of-robot' }]));
  await using sandbox = startProgram(home, ['sandbox', '--clients', file, '--json']);
  const [text] = await sandbox.waitForStdout(/^\{.*\}(?=\n)/m);
  const { issuer, server } = JSON.parse(text);
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'mcp:basic', resource: server });
  for (const [secret, status] of [
    ['secret-of-robot', 200],
    ['another', 401],
  ] as const) {
    const headers = { authorization: `Basic ${btoa(`robot:${secret}`)}` };
    assert.equal((await fetch(`${issuer}/token`, { method: 'POST', headers, body })).status, status);
  }
  await writeFile(file, '{');
  const refused = await runProgram(home, ['sandbox', '--clients', file]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /not JSON/);
});
