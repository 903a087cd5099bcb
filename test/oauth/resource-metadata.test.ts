import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/core/text/json.js';
import { validateResourceMetadata } from '../../src/oauth/resource-metadata.js';

const server = 'https://api.example/mcp';
const good: JsonObject = { resource: server, authorization_servers: ['https://as.example'] };
const url = 'https://api.example/.well-known/oauth-protected-resource/mcp';
const judge = (change: JsonObject, zone: 'public' | 'loopback' = 'public') =>
  validateResourceMetadata({ ...good, ...change }, { server, zone, url });

test('[R-2.1a][A-21][A-33] authorization_servers must be a list of at least one usable https issuer', async () => {
  for (const servers of [
    undefined,
    null,
    [],
    'https://as.example',
    {},
    [7],
    [null],
    ['not a url'],
    ['http://as.example'],
    ['https://as.example?x=1'],
    ['https://as.example#f'],
    ['https://user@as.example'],
    ['https://as.example', 'https://as.example'],
    ['https://as.example', 'javascript:alert(1)'],
  ]) {
    const judged = judge({ authorization_servers: servers as never });
    assert.ok(!judged.ok && judged.failure.code === 'metadata_unusable', JSON.stringify(servers));
    assert.match(judged.came, /authorization_servers/);
  }
  const many = Array.from({ length: 10_000 }, (_, index) => `https://as${index}.example`);
  const judged = judge({ authorization_servers: many });
  assert.ok(judged.ok && judged.protectedResource.authorizationServers.length === 16);
});

test('[R-2.1d] a resource that only its proxy can have hidden is the operator’s to correct, and nowhere to log in to', async () => {
  for (const [resource, hidden] of [
    ['http://api.example/mcp', 'https'],
    ['http://api.example:8000/mcp', 'https and the port'],
    ['https://api.example:8443/', 'the port'],
    ['http://localhost:8000/mcp', 'https and the host name'],
    ['https://127.0.0.1/mcp', 'the host name'],
  ] as const) {
    const judged = judge({ resource });
    assert.ok(!judged.ok && judged.failure.code === 'resource_mismatch');
    const remedy = `The server’s proxy hides ${hidden}: its operator has to set the public address.`;
    assert.equal(judged.failure.remedy, remedy, resource);
  }
  for (const resource of ['https://api.example/other', 'https://mcp.example/mcp', 'http://mcp.example/mcp', 'urn:x']) {
    const judged = judge({ resource });
    assert.ok(!judged.ok && /^If you meant .*, log in to that/.test(judged.failure.remedy), resource);
  }
});

test('[A-18][A-19] the same resource in another spelling is the same; an ancestor is told apart; a sibling is refused', async () => {
  const relation = async (resource: string) => {
    const judged = judge({ resource });
    return judged.ok ? judged.protectedResource.relation : judged.failure.code;
  };
  assert.equal(await relation('https://API.example:443/mcp'), 'same');
  assert.equal(await relation('https://api.example'), 'ancestor');
  assert.equal(await relation('https://api.example/'), 'ancestor');
  assert.equal(await relation('https://api.example/other'), 'resource_mismatch');
  assert.equal(await relation('https://api.example/mcp-evil'), 'resource_mismatch');
  assert.equal(await relation('https://api.example/mcp#f'), 'resource_mismatch');
  assert.equal(await relation('https://api.example/mcp/deeper'), 'resource_mismatch');
});

test('[R-4.8b] resource is kept exactly as the document spells it', async () => {
  const judged = judge({ resource: 'https://API.example:443/mcp' });
  assert.ok(judged.ok && judged.protectedResource.resource === 'https://API.example:443/mcp');
});

test('[R-2.1c][A-24][A-26] scopes_supported: absent is unknown, empty is none, malformed is refused', async () => {
  const scopes = async (value: unknown) => {
    const judged = judge({ scopes_supported: value as never });
    return judged.ok ? judged.protectedResource.scopesSupported : judged.failure.code;
  };
  assert.equal(await scopes(undefined), undefined);
  assert.deepEqual(await scopes([]), []);
  assert.deepEqual(await scopes(['a', 'b']), ['a', 'b']);
  assert.equal(await scopes('a b'), 'metadata_unusable');
  assert.equal(await scopes(['a"b']), 'metadata_unusable');
  assert.equal(await scopes(Array.from({ length: 10_000 }, (_, index) => `s${index}`)), 'metadata_unusable');
});
