import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { asObject, parseJson } from '../../src/primitives/json.js';
import { gateUrl } from '../../src/primitives/url-gate.js';

const bytes = await readFile('client-metadata/client.json');
const parsed = parseJson(bytes);
const document = parsed.ok ? asObject(parsed.value) : undefined;

test('[R-2.3a] the document has client_id, client_name and redirect_uris; client_id is https with a path', () => {
  assert.ok(document !== undefined, 'strict JSON, no name twice');
  const gated = gateUrl(String(document['client_id']));
  assert.ok(gated.ok && gated.url.protocol === 'https:' && gated.url.pathname !== '/');
  assert.ok(String(document['client_id']).endsWith('/client.json'), 'the name of the file that is hosted');
  assert.equal(document['client_name'], 'postern');
  assert.ok(Array.isArray(document['redirect_uris']) && document['redirect_uris'].length > 0);
});

test('[R-2.3b] optional members carry right values, nothing in it is a secret, and it is small', () => {
  assert.ok(document !== undefined);
  assert.deepEqual(document['grant_types'], ['authorization_code', 'refresh_token']);
  assert.deepEqual(document['response_types'], ['code']);
  assert.equal(document['token_endpoint_auth_method'], 'none');
  assert.equal(document['application_type'], 'native');
  assert.ok(!Object.keys(document).some((name) => /secret|private/.test(name)));
  assert.ok(bytes.byteLength < 5 * 1024);
});

test('[R-5.8d][A-63] its redirect URIs are loopback, with the path that the callback listener has', () => {
  const uris = document?.['redirect_uris'];
  assert.ok(Array.isArray(uris));
  for (const uri of uris) {
    assert.match(String(uri), /^http:\/\/(127\.0\.0\.1|localhost)\/callback$/);
  }
});
