import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, event, scriptedServer, startBridge, usualOfBoth } from './host.js';

const marked = (name: string, mark: object) => ({
  name,
  inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A', ...mark } } },
});

/** A response as no library would write it. */
const good =
  '{ "name":"good" , "inputSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":1e2,"x-mcp-header":"N"}}} }';
const plain = '{"name":"plain","inputSchema":{"type":"object","minProperties":9007199254740993}}';
const bad = [marked('empty', { 'x-mcp-header': '' }), marked('number', { type: 'number' })];

const texts = (id: unknown) => ({
  sent: `{ "jsonrpc":"2.0", "id":${id}, "result":{"ttlMs":0, "tools":[${[JSON.stringify(bad[0]), good, JSON.stringify(bad[1]), plain].join(' , ')}],"x":1.0}}`,
  kept: `{ "jsonrpc":"2.0", "id":${id}, "result":{"ttlMs":0, "tools":[${good},${plain}],"x":1.0}}`,
});

for (const form of ['json', 'events'] as const) {
  test(`[Q-2.9] tools whose header marks break the rules are left out of a list, as ${form}, with one line for each`, async () => {
    await using server = await scriptedServer((seen, response) => {
      const { method, id } = seen.message;
      if (method !== 'tools/list') return usualOfBoth(seen, response);
      const { sent } = texts(id);
      response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });
      response.end(form === 'json' ? sent : `data: ${sent}\n\n`);
    });
    await using home = await bareHome();
    await using host = startBridge(home, server.url);
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    for (const id of [1, 2]) {
      host.send({ id, method: 'tools/list', params: { _meta } });
      assert.equal(await host.line(), texts(id).kept);
    }
    host.send({ id: 3, method: 'tools/list' });
    assert.equal(await host.line(), texts(3).sent, 'to the older era marks mean nothing');
    host.program.stdin.end();
    const { stderr } = await host.program.finished;
    assert.equal(stderr.match(/^.*"empty".*$/gm)?.length, 1, stderr);
    assert.equal(stderr.match(/^.*"number".*$/gm)?.length, 1);
  });
}

test('[Q-2.9] a name in a warning is quoted and cut, and 1,000 broken tools make 100 lines', async () => {
  const tools = Array.from({ length: 1_000 }, (_, at) => marked(`\u001b[2J${at}\n`, { type: 'array' }));
  await using server = await scriptedServer((seen, response) => {
    const { method, id } = seen.message;
    if (method !== 'tools/list') return usualOfBoth(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(event({ jsonrpc: '2.0', id, result: { tools } }));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  assert.deepEqual((await host.ask({ id: 1, method: 'tools/list', params: { _meta } })).result, { tools: [] });
  host.program.stdin.end();
  const { stderr } = await host.program.finished;
  assert.equal(stderr.match(/\bleft out\b/g)?.length, 100);
  assert.ok(!stderr.includes('\u001b'));
});
