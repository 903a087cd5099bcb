import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/core/text/json.js';
import { ParameterHeaders } from '../../../src/mcp/headers/message-headers.js';
import { bareHome, scriptedServer, startBridge, usualOfBoth } from '../../bridge/host.js';

const properties = {
  region: { type: 'string', 'x-mcp-header': 'Region' },
  count: { type: 'integer', 'x-mcp-header': 'Count' },
  deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } },
  plain: { type: 'string' },
};
const list = { tools: [{ name: 'query', inputSchema: { type: 'object', properties } }] };

test('parameters that a tool marks go into headers on the wire without sessions, and on that alone', async () => {
  await using server = await scriptedServer((seen, response) => {
    const { method, id } = seen.message;
    if (method !== 'tools/list') return usualOfBoth(seen, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: list }));
  });
  await using home = await bareHome();
  await using host = startBridge(home, server.url);
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  await host.ask({ id: 1, method: 'tools/list', params: { _meta } });
  const args = { region: 'Zürich', count: 3, deep: { on: false }, plain: 'y' };
  await host.ask({ id: 2, method: 'tools/call', params: { name: 'query', arguments: args, _meta } });
  await host.ask({ id: 3, method: 'tools/call', params: { name: 'query', arguments: { region: null }, _meta } });
  await host.ask({ id: 4, method: 'tools/call', params: { name: 'query', arguments: args } });
  const sent = server.seen
    .slice(1) // asked for the tools
    .map(({ headers }) => Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')));
  const region = `=?base64?${Buffer.from('Zürich').toString('base64')}?=`;
  assert.deepEqual(sent, [
    [
      ['mcp-param-region', region],
      ['mcp-param-count', '3'],
      ['mcp-param-on', 'false'],
    ],
    [],
    [],
  ]);
});

test('names that differ in their letter case only, and numbers that are not exact, make no header', () => {
  const learn = (schema: JsonObject) => {
    const headers = new ParameterHeaders();
    const tools = [{ name: 't', inputSchema: { properties: schema } }];
    headers.learn(tools);
    return headers;
  };
  const call = (args: string) => Buffer.from(`{"params":{"arguments":${args}}}`);
  const marked = (name: string, type = 'string') => ({ type, 'x-mcp-header': name });
  assert.deepEqual(learn({ a: marked('X'), b: marked('x') }).headersFor('t', call('{"a":"1","b":"2"}')), []);
  assert.deepEqual(learn({ a: marked('X', 'integer') }).headersFor('t', call('{"a":9007199254740993}')), []);
  assert.deepEqual(learn({ toString: marked('X') }).headersFor('t', call('{}')), []);
  assert.deepEqual(learn({ a: marked('X') }).headersFor('t', call('{"a":"a\\nb"}')), [
    ['mcp-param-X', `=?base64?${Buffer.from('a\nb').toString('base64')}?=`],
  ]);
});
