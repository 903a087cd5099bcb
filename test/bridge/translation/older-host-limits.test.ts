import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareHome, startBridge } from '../host.js';
import { newerOnly, open, until } from './newer-only.js';

test('only lent tools are passed on, translated too', async () => {
  const tool = (name: string, readOnlyHint: boolean) => ({
    name,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint },
  });
  await using server = await newerOnly(({ method }) =>
    method === 'tools/list'
      ? { result: { tools: [tool('read', true), tool('write', false)] } }
      : { result: { content: [] } },
  );
  await using home = await bareHome();
  await using host = startBridge(home, server.url, '--read-only');
  await open(host);
  assert.ok((await host.ask({ id: 1, method: 'tools/call', params: { name: 'read' } })).result !== undefined);
  assert.equal((await host.ask({ id: 2, method: 'tools/call', params: { name: 'write' } })).error?.code, -31013);
  const { result } = await host.ask({ id: 3, method: 'tools/list' });
  assert.equal((result?.['tools'] as object[] | undefined)?.length, 1);
});

test('a host that dies while it is asked something leaves nothing behind', async () => {
  await using server = await newerOnly(() => ({
    result: { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } },
  }));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host, { roots: {} });
  await host.ask({ id: 1, method: 'tools/call', params: { name: 't' } });
  host.program.stdin.end();
  assert.equal((await host.program.finished).code, 0);
  await until(() => server.streams.length === 0);
});

test('[Q-3.12] structured content that only the newer era has is left out, and all else of a tool stays, numbers beyond a double too', async () => {
  const tools =
    '[{"name":"list","outputSchema":{"type":"array"},"x":12345678901234567891},{"name":"plain","outputSchema":{"type":"object","minProperties":1e400}}]';
  await using server = await newerOnly(({ id, method }, _seen, response) => {
    if (method === 'tools/call')
      return { result: { content: [{ type: 'text', text: '[1]' }], structuredContent: [1] } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}}}`);
    return undefined;
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host);
  host.send({ id: 1, method: 'tools/list' });
  const line = await host.line();
  assert.ok(line.includes(tools.replace('"outputSchema":{"type":"array"},', '')), line);
  const called = await host.ask({ id: 2, method: 'tools/call', params: { name: 'list' } });
  assert.deepEqual(called.result, { content: [{ type: 'text', text: '[1]' }] });
});

test('a response that the host gives too late goes nowhere', async () => {
  await using server = await newerOnly(() => ({ result: { tools: [] } }));
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  await open(host);
  host.send({ id: 'postern-guessed', result: { action: 'accept' } });
  await host.ask({ id: 1, method: 'tools/list' });
  assert.ok(server.seen.every(({ message }) => message.method !== undefined));
});
