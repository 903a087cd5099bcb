import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Running, runProtected } from './protected.js';
import { sendRaw } from './raw.js';
import { initialize, post, TestSession } from './session.js';

let running: Running;
let token: string;

before(async () => {
  running = await runProtected();
  token = await running.token();
});

after(() => running[Symbol.asyncDispose]());

const json = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
] as const;

/** Status and challenge for a POST of `initialize` with these Authorization lines. */
async function answered(values: readonly string[]): Promise<readonly [number, string]> {
  const lines = values.map((value) => ['authorization', value] as const);
  const about = { method: 'POST', body: JSON.stringify(initialize) };
  const { status, headers } = await sendRaw(running.url, [...json, ...lines], about);
  return [status, String(headers['www-authenticate'] ?? '')];
}

/** What a 403 asks with. */
async function asked(response: Response): Promise<readonly unknown[]> {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const of = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge)?.[1];
  return [response.status, of('error'), of('scope'), of('error_description'), of('resource_metadata')];
}

const withScope = async (scope: string) => TestSession.open(running.url, await running.token({ scope }));

test('[R-4.7b] [R-2.4b] [Q-6.21] [A-284] a request without a token gets a bare challenge that carries scope, never offline_access', async () => {
  const metadata = `${running.origin}/.well-known/oauth-protected-resource/mcp`;
  const bare = `Bearer scope="mcp:basic", resource_metadata="${metadata}"`;
  for (const values of [[], ['Basic YTpi'], ['Bearer'], ['Token abc'], ['']])
    assert.deepEqual(await answered(values), [401, bare], String(values));
  for (const method of ['GET', 'DELETE', 'OPTIONS']) {
    const response = await fetch(running.url, { method });
    assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, bare], method);
  }
  const { scopes_supported: scopes } = (await (await fetch(metadata)).json()) as { scopes_supported: string[] };
  assert.ok(scopes.length > 0 && !scopes.includes('offline_access'));
});

test('[R-4.1b] [R-7.1] [A-284] a token counts in one header alone: not in the query, not in the body, not twice', async () => {
  for (const value of [`bearer ${token}`, `Bearer   ${token}  `]) assert.deepEqual(await answered([value]), [200, '']);
  for (const header of [undefined, token]) {
    const response = await post(`${running.url}?access_token=${token}`, header, initialize);
    assert.equal(response.status, 400);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_request"/);
    assert.equal((await response.text()).includes(token), false);
  }
  for (const second of [`Bearer ${token}`, 'Basic YTpi']) {
    const [status, challenge] = await answered([`Bearer ${token}`, second]);
    assert.equal(status, 400);
    assert.match(challenge, /^Bearer error="invalid_request"/);
  }
  const form = await fetch(running.url, { method: 'POST', body: new URLSearchParams({ access_token: token }) });
  const inside = await post(running.url, undefined, { ...initialize, access_token: token });
  assert.deepEqual([form.status, inside.status], [401, 401]);
});

test('[A-289] another Host, or two, is answered 421, the metadata too', async () => {
  const { host, port } = new URL(running.url);
  for (const path of ['/mcp', '/.well-known/oauth-protected-resource/mcp']) {
    for (const names of [[`evil.example:${port}`], [`localhost:${port}`], ['127.0.0.1'], [host, 'evil.example']]) {
      const lines = names.map((name) => ['host', name] as const);
      const headers = [...lines, ['authorization', `Bearer ${token}`] as const];
      const { status, text } = await sendRaw(`${running.origin}${path}`, headers);
      assert.deepEqual([status, text.includes('authorization_servers')], [421, false], String(names));
    }
  }
});

test('[Q-2.16] [A-289] a page of another origin is refused, and no answer has a CORS header', async () => {
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1'])
    assert.equal((await post(running.url, token, initialize, { origin })).status, 403, origin);
  const own = await post(running.url, token, initialize, { origin: running.origin });
  const headers = { origin: running.origin, 'access-control-request-method': 'POST' };
  const preflight = await fetch(running.url, { method: 'OPTIONS', headers });
  assert.deepEqual([own.status, preflight.status], [200, 401]);
  for (const { headers } of [own, preflight])
    assert.ok(![...headers.keys()].some((name) => name.startsWith('access-control-')));
});

test('bodies that are too long, no JSON or of another type are refused, and the server goes on', async () => {
  const long = JSON.stringify({ ...initialize, padding: 'a'.repeat(1024 * 1024) });
  for (const [status, body, headers] of [
    [413, long, {}],
    [400, '{', {}],
    [415, initialize, { 'content-type': 'text/plain' }],
    [406, initialize, { accept: 'application/json' }],
    [200, initialize, {}],
  ] as const)
    assert.equal((await post(running.url, token, body, headers)).status, status);
  const put = await fetch(running.url, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST, DELETE']);
});

test('[Q-6.15] [R-5.5a] [R-7.1] [A-285] an under-scoped call is 403 with error, scope, metadata and description, the same each time', async () => {
  const metadata = `${running.origin}/.well-known/oauth-protected-resource/mcp`;
  const session = await TestSession.open(running.url, token);
  const needs = (scope: string) => [
    ...[403, 'insufficient_scope', `mcp:basic ${scope}`, `This needs the scope ${scope}`, metadata],
  ];
  for (let round = 0; round < 2; round += 1)
    assert.deepEqual(await asked(await session.call('note_add', { text: 'x' })), needs('notes:write'));
  assert.deepEqual(await asked(await session.call('note_list')), needs('notes:read'));
  assert.deepEqual(await asked(await session.request('resources/read', { uri: 'NOTE://1' })), needs('notes:read'));
  assert.deepEqual(await asked(await session.request('prompts/get', { name: 'summarize-notes' })), needs('notes:read'));
});

test('[A-285] the challenge keeps what is held of this server, and drops what is not its own; what was refused did nothing, in a batch too', async () => {
  const session = await withScope('other notes:read mcp:basic openid');
  const wanted = 'mcp:basic notes:read notes:write';
  assert.equal((await asked(await session.call('note_add', { text: 'unheard' })))[2], wanted);
  const call = (id: number, name: string, args = {}) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
  });
  const [status, , scope] = await asked(await session.send([call(91, 'whoami'), call(92, 'note_add', { text: 'x' })]));
  assert.deepEqual([status, scope], [403, wanted]);
  assert.equal(await session.textOf('note_list'), 'No notes.');
  session.token = await running.token({ scope: wanted });
  await session.textOf('note_add', { text: 'heard' });
  assert.equal(await session.textOf('note_list'), '1. heard');
});

test('[A-297] without the scope that everything needs there is no session', async () => {
  const before = running.server.sessionCount;
  for (const scope of ['', 'notes:read', 'MCP:BASIC', undefined]) {
    const [status, error, wanted, description] = await asked(
      await post(running.url, await running.token({ scope }), initialize),
    );
    assert.deepEqual([status, error], [403, 'insufficient_scope']);
    assert.equal(wanted, scope === 'notes:read' ? 'mcp:basic notes:read' : 'mcp:basic');
    assert.equal(description, 'This server needs the scope mcp:basic');
  }
  assert.equal(running.server.sessionCount, before);
});
