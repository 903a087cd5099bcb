import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceCovers } from '../../src/core/resource.js';

test('a published resource is the same but for case of host, own port and an empty path [A-19]', () => {
  const same: readonly (readonly [string, string])[] = [
    ['https://host/mcp', 'https://host/mcp'],
    ['HTTPS://HOST:443/mcp', 'https://host/mcp'],
    ['https://host/', 'https://host'],
    ['https://host', 'https://host'],
    ['https://host/mcp?x=1', 'https://host/mcp?x=1'],
    ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
  ];
  for (const [resource, server] of same) {
    assert.equal(resourceCovers(resource, server), 'same', resource);
  }
});

test('a published resource that differs in anything else is another one [A-17] [A-19]', () => {
  const others = ['https://bank.example/mcp', 'http://host/mcp', 'https://host:8443/mcp', 'https://sub.host/mcp'];
  others.push(
    'https://host/mcp/',
    'https://host/MCP',
    'https://host/mc%70',
    'https://host/mcp?x=1',
    'https://host/mcp#',
  );
  others.push(
    'https://host/mcp#f',
    'https://user@host/mcp',
    'https://host./mcp',
    'host/mcp',
    '',
    '/mcp',
    'urn:host:mcp',
  );
  others.push('https://host/mcp\n', 'https://host\\@evil/mcp', 'https://host/mcp/deeper', ' https://host/mcp');
  for (const resource of others) {
    assert.equal(resourceCovers(resource, 'https://host/mcp'), 'no', resource);
  }
  assert.equal(resourceCovers('https://host/%7Ea', 'https://host/~a'), 'no');
});

test('an address above on the same origin is an ancestor, a sibling is not [A-18]', () => {
  const server = 'https://host/b/mcp';
  for (const resource of ['https://host', 'https://host/', 'https://host/b', 'https://host/b/', 'HTTPS://host:443/b']) {
    assert.equal(resourceCovers(resource, server), 'ancestor', resource);
  }
  const siblings = [
    'https://host/a/mcp',
    'https://host/b/m',
    'https://host/bb',
    'https://host/b/mcp/x',
    'https://host/B',
  ];
  siblings.push('https://other', 'https://host/b?x=1', 'https://host/b#', 'https://host/x/../b', 'https://host/%2e/b');
  for (const resource of siblings) {
    assert.equal(resourceCovers(resource, server), 'no', resource);
  }
  assert.equal(resourceCovers('https://host/mcp', 'https://host/mcp?tenant=1'), 'ancestor');
});

test('[A-18] an address above that may be read as leading up is no ancestor', () => {
  for (const up of ['/b/..%2fa', '/b/%2e%2e', '/b/..;/a', '/b/%252e%252e']) {
    assert.equal(resourceCovers(`https://host${up}`, `https://host${up}/mcp`), 'no', up);
  }
});
