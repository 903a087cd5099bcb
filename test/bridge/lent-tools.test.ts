import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeHome } from '../support/home.js';
import { startHere } from '../support/in-process.js';
import { startToolServer } from '../support/tool-server.js';
import { scriptedServer, usual } from './host.js';

const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } };

test('a tool is not said to be missing where the server’s list could not be read to its end [A-257]', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { id, method } = seen.message;
    if (method !== 'tools/list') return usual(seen, response);
    const result = { tools: [{ name: 'read_note', annotations: { readOnlyHint: true } }], nextCursor: 'same' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await using home = await makeHome({ POSTERN_TOKEN: 'a-token', POSTERN_TOKEN_SERVER: server.url });
  await using bridge = startHere(home, ['bridge', server.url, '--read-only']);
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening })}\n`);
  await bridge.waitForStdout(/"id":1,/);
  bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  bridge.stdin.write(`${JSON.stringify(call(2, 'far_away'))}\n`);
  const [refusal] = await bridge.waitForStdout(/^\{.*"id":2,.*\}$/m);
  assert.match(JSON.parse(refusal).error.message, /cursor twice/);
  assert.equal(server.seen.filter(({ message }) => message.method === 'tools/list').length, 2);
});

for (const form of ['json', 'events'] as const) {
  test(`a bridge lends what is read-only, as ${form}: the server is asked once, other calls do not leave`, async () => {
    await using server = await startToolServer(form);
    await using home = await makeHome({ POSTERN_TOKEN: 'a-token', POSTERN_TOKEN_SERVER: server.url });
    await using bridge = startHere(home, [
      'bridge',
      server.url,
      '--read-only',
      '--deny-tool',
      'hidden*',
      '--deny-tool',
      'delet_note',
    ]);
    const say = (message: object | string) =>
      bridge.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    const answer = (id: number) => bridge.waitForStdout(new RegExp(`^\\{.*"id":${id},.*\\}$`, 'm'));
    say({ jsonrpc: '2.0', id: 1, method: 'initialize', params: opening });
    await answer(1);
    say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    say(call(2, 'read_note'));
    assert.match((await answer(2))[0], /"did":"read_note"/);
    assert.deepEqual(server.methods(), ['tools/list', 'tools/list', 'tools/call'], 'both pages, then the call');
    for (const [id, name] of [
      [3, 'delete_note'],
      [4, 'write_note'],
      [5, 'nobody_knows'],
      [6, 'hidden_note'],
    ] as const) {
      say(call(id, name));
      assert.match((await answer(id))[0], new RegExp(`-31013.*${name}.*tool_not_lent`), name);
    }
    say({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
    const [list] = await answer(7);
    assert.match(list, /read_note/);
    assert.doesNotMatch(list, /write_note|delete_note|other/);
    say(JSON.stringify(call(8, 'read_note')).replace('"method"', '"method":"ping","Method"'));
    say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'delete_note' } });
    await bridge.waitForStdout(/"id":null,"error":\{"code":-32600/);
    say(call(9, 'read_note'));
    await answer(9);
    assert.deepEqual(server.called, ['read_note', 'read_note']);
    assert.doesNotMatch(bridge.stdout, /postern-tools/, 'the host sees no answer to a question of ours');
    assert.match(bridge.stderr, /tools\/call of delete_note/);
    const slips = bridge.stderr.match(/--deny-tool "delet_note" does not fit[^\n]* Did you mean "delete_note"\?/g);
    assert.equal(slips?.length, 1, bridge.stderr);
  });
}
