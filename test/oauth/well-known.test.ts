import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { authorizationServerMetadataUrls, protectedResourceMetadataUrls } from '../../src/oauth/discovery-document.js';
import { anyUrlWithoutFragment } from '../support/arbitraries.js';

test('protected resource metadata: the path form, then the root form (rule 4.2)', () => {
  assert.deepEqual(protectedResourceMetadataUrls('https://host/mcp'), [
    'https://host/.well-known/oauth-protected-resource/mcp',
    'https://host/.well-known/oauth-protected-resource',
  ]);
  assert.deepEqual(protectedResourceMetadataUrls('http://127.0.0.1:3000/a/mcp/?x=1'), [
    'http://127.0.0.1:3000/.well-known/oauth-protected-resource/a/mcp/',
    'http://127.0.0.1:3000/.well-known/oauth-protected-resource',
  ]);
});

test('protected resource metadata: a server without a path has the root form alone', () => {
  for (const server of ['https://host', 'https://host/', 'https://host?x=1']) {
    assert.deepEqual(protectedResourceMetadataUrls(server), ['https://host/.well-known/oauth-protected-resource']);
  }
});

test('authorization server metadata: three addresses for an issuer with a path (rule 4.3)', () => {
  const three = [
    'https://as:8443/.well-known/oauth-authorization-server/tenant/1',
    'https://as:8443/.well-known/openid-configuration/tenant/1',
    'https://as:8443/tenant/1/.well-known/openid-configuration',
  ];
  assert.deepEqual(authorizationServerMetadataUrls('https://as:8443/tenant/1'), three);
  assert.deepEqual(authorizationServerMetadataUrls('https://as:8443/tenant/1/'), three);
});

test('authorization server metadata: two addresses for an issuer without a path (rule 4.3)', () => {
  for (const issuer of ['https://as', 'https://as/', 'HTTPS://AS:443']) {
    assert.deepEqual(authorizationServerMetadataUrls(issuer), [
      'https://as/.well-known/oauth-authorization-server',
      'https://as/.well-known/openid-configuration',
    ]);
  }
});

test('what is no URL has no addresses', () => {
  for (const text of ['', 'host/mcp', '/mcp', 'urn:x:y']) {
    assert.deepEqual(protectedResourceMetadataUrls(text), []);
    assert.deepEqual(authorizationServerMetadataUrls(text), []);
  }
});

test('no address leaves the origin it was made from', () => {
  fc.assert(
    fc.property(anyUrlWithoutFragment, (url) => {
      for (const address of [...protectedResourceMetadataUrls(url), ...authorizationServerMetadataUrls(url)]) {
        assert.equal(new URL(address).origin, new URL(url).origin);
        assert.equal(new URL(address).search, '');
      }
    }),
  );
});
