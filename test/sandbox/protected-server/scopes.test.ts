import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProtected } from './protected.js';
import { initialize, post, TestSession } from './session.js';

/** The scope, the error's name and the description that a 403 asks with. */
async function asked(response: Response): Promise<readonly unknown[]> {
  const challenge = response.headers.get('www-authenticate') ?? '';
  const of = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge)?.[1];
  return [response.status, of('error'), of('scope'), of('error_description'), of('resource_metadata')];
}

test('[Q-6.15] [R-5.5a] [R-2.4b] [R-7.1] [A-285] an under-scoped call is 403 with error, scope, metadata and description, the same each time', async () => {
  await using running = await runProtected();
  const metadata = `${running.origin}/.well-known/oauth-protected-resource/mcp`;
  const session = await TestSession.open(running.url, await running.token({ scope: 'mcp:basic' }));
  const write = 'This needs the scope notes:write';
  const expected = [403, 'insufficient_scope', 'mcp:basic notes:write', write, metadata];
  for (let round = 0; round < 3; round += 1) {
    assert.deepEqual(await asked(await session.call('note_add', { text: 'x' })), expected);
    assert.deepEqual(await asked(await session.call('note_clear')), expected);
  }
  const read = [403, 'insufficient_scope', 'mcp:basic notes:read', 'This needs the scope notes:read', metadata];
  assert.deepEqual(await asked(await session.call('note_list')), read);
  assert.deepEqual(await asked(await session.request('resources/read', { uri: 'note://1' })), read);
  assert.deepEqual(await asked(await session.request('resources/read', { uri: 'NOTE://1' })), read);
  assert.deepEqual(await asked(await session.request('prompts/get', { name: 'summarize-notes' })), read);
});

test('[R-5.5a] [A-285] the challenge keeps what is held of this server, in one order, and drops what is not its own', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  for (const scope of ['notes:read mcp:basic openid', 'mcp:basic notes:read', 'other notes:read mcp:basic']) {
    session.token = await running.token({ scope });
    const [, , wanted] = await asked(await session.call('note_add', { text: 'x' }));
    assert.equal(wanted, 'mcp:basic notes:read notes:write');
  }
});

test('[R-5.5a] [A-285] a call with the scope works, and what came before it did nothing', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token());
  assert.equal((await session.call('note_add', { text: 'unheard' })).status, 403);
  session.token = await running.token({ scope: 'mcp:basic notes:read notes:write' });
  assert.equal(await session.textOf('note_list'), 'No notes.');
  await session.textOf('note_add', { text: 'heard' });
  assert.equal(await session.textOf('note_list'), '1. heard');
});

test('[A-285] one message of a batch that lacks its scope stops the whole batch', async () => {
  await using running = await runProtected();
  const session = await TestSession.open(running.url, await running.token({ scope: 'mcp:basic notes:read' }));
  const call = (id: number, name: string, args = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const response = await session.send([call(91, 'whoami'), call(92, 'note_add', { text: 'x' })]);
  const [status, , scope] = await asked(response);
  assert.deepEqual([status, scope], [403, 'mcp:basic notes:read notes:write']);
  assert.equal(await session.textOf('note_list'), 'No notes.');
});

test('[R-5.5a] [A-297] without the scope that everything needs there is no session', async () => {
  await using running = await runProtected();
  for (const scope of ['', 'notes:read', 'mcp:basicx', 'MCP:BASIC', undefined]) {
    const response = await post(running.url, await running.token({ scope }), initialize);
    const [status, error, wanted, description] = await asked(response);
    assert.deepEqual([status, error], [403, 'insufficient_scope']);
    assert.equal(wanted, scope === 'notes:read' ? 'mcp:basic notes:read' : 'mcp:basic');
    assert.equal(description, 'This server needs the scope mcp:basic');
  }
  assert.equal(running.server.sessionCount, 0);
});

test('[R-4.2c] where the header is switched off, no challenge tells the metadata', async () => {
  await using running = await runProtected({ discovery: 'well-known' });
  const session = await TestSession.open(running.url, await running.token());
  const refused = await session.call('note_list');
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get('www-authenticate')?.includes('resource_metadata'), false);
});
