import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rpcCode } from '../../src/mcp/messages.js';

test('[Q-3.8] codes of our own keep out of what JSON-RPC and the protocol claim', () => {
  const { notJson, notAMessage, unknownMethod, ...own } = rpcCode;
  assert.deepEqual([notJson, notAMessage, unknownMethod], [-32700, -32600, -32601], 'JSON-RPC 2.0 section 5.1');
  for (const [name, code] of Object.entries(own)) assert.ok(code < -32768 || code > -32000, name);
});
