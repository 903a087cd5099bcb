import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { validateClientId } from '../../../src/oauth/client-metadata/client-id.js';
import { validateDelivery } from '../../../src/oauth/client-metadata/delivery.js';
import { validateDocument } from '../../../src/oauth/client-metadata/document.js';
import { anyUrl } from '../../support/arbitraries.js';
import { address, changed, codesOf } from './sample.js';

const addresses: readonly (readonly [url: string, ...findings: readonly string[]])[] = [
  [address],
  ['https://me.postern:8443/client.json'],
  ['http://me.postern/client.json', 'failure client_id'],
  ['ftp://me.postern/client.json', 'failure client_id'],
  ['https://me.postern', 'failure client_id'],
  ['https://me.postern/', 'failure client_id'],
  ['https://me.postern/a/../client.json', 'failure client_id'],
  ['https://me.postern/a/%2E%2e/client.json', 'failure client_id'],
  ['https://me.postern/./client.json', 'failure client_id'],
  ['https://me@me.postern/client.json', 'failure client_id'],
  ['https://me:secret@me.postern/client.json', 'failure client_id'],
  ['https://me.postern/client.json#a', 'failure client_id'],
  ['https://me.postern/client.json?v=1', 'warning client_id'],
  ['HTTPS://me.postern/client.json', 'failure client_id'],
  ['https://Me.postern/client.json', 'failure client_id'],
  ['https://me.postern:443/client.json', 'failure client_id'],
  ['https://0x7f.1/client.json', 'failure client_id'],
  ['https://me.postern\\client.json', 'failure client_id'],
  ['https://me.postern/cli ent.json', 'failure client_id'],
  ['me.postern/client.json', 'failure client_id'],
  ['', 'failure client_id'],
  ['https://client-metadata.invalid/client.json', 'failure placeholder'],
  ['https://www.example.com/client.json', 'failure placeholder'],
  ['https://localhost:8443/client.json', 'warning not_public'],
  ['https://127.0.0.1:8443/client.json', 'warning not_public'],
  ['https://[::1]/client.json', 'warning not_public'],
  ['https://192.168.1.5/client.json', 'warning not_public'],
  ['https://printer.local/client.json', 'warning not_public'],
];

for (const [url, ...findings] of addresses) {
  test(`[R-2.3a] ${JSON.stringify(url)} as a client identifier: ${findings.join() || 'nothing found'}`, () => {
    assert.deepEqual(codesOf({ findings: validateClientId(url) }), findings);
  });
}

test('[R-2.3a] no text is thrown at, and what has no failure is https with a path, spelled as it is parsed', () => {
  const near = fc
    .tuple(fc.constantFrom('https://me.postern', 'https://', 'http://a.b', ''), fc.string())
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(near, anyUrl, fc.string()), (url) => {
      if (validateClientId(url).some(({ verdict }) => verdict === 'failure')) return;
      const { protocol, pathname, href, hash, username } = new URL(url);
      assert.deepEqual([protocol, href, hash, username], ['https:', url, '', '']);
      assert.notEqual(pathname, '/');
    }),
  );
});

test('[R-2.3b] no bytes are thrown at, and only an object is judged', () => {
  const near = fc.json().map((text) => new TextEncoder().encode(text));
  const members = fc
    .dictionary(fc.constantFrom(...Object.keys(JSON.parse(changed({}))), 'jwks', 'scope'), fc.jsonValue())
    .map((object) => new TextEncoder().encode(JSON.stringify(object)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), near, members), (bytes) => {
      const { object, findings } = validateDocument(bytes, address);
      assert.ok(object !== undefined || findings.length > 0);
    }),
  );
});

const json = ['content-type', 'application/json'] as const;
const cached = ['cache-control', 'public, max-age=3600'] as const;
type Headers = readonly (readonly [string, string])[];

const deliveries: readonly (readonly [
  what: string,
  status: number,
  headers: Headers,
  ...findings: readonly string[],
])[] = [
  ['as it should be', 200, [json, cached]],
  ['a media type of its own', 200, [['content-type', 'application/client-metadata+json; charset=utf-8'], cached]],
  ['a redirect', 302, [['location', 'https://me.postern/other.json']], 'failure status'],
  ['a permanent redirect', 308, [], 'failure status'],
  ['nothing there', 404, [json], 'failure status'],
  ['no content', 204, [], 'failure status'],
  ['a web page', 200, [['content-type', 'text/html'], cached], 'failure content-type'],
  ['plain text', 200, [['content-type', 'text/plain'], cached], 'failure content-type'],
  ['no media type', 200, [cached], 'failure content-type'],
  ['two media types', 200, [json, ['content-type', 'text/html'], cached], 'failure content-type'],
  ['compression', 200, [json, cached, ['content-encoding', 'gzip']], 'failure content-encoding'],
  ['nothing said of caching', 200, [json], 'warning cache-control'],
  ['an expiry date', 200, [json, ['expires', 'Sat, 21 Nov 2026 16:21:34 GMT']]],
  ['no-store', 200, [json, ['cache-control', 'no-store']], 'warning cache-control'],
  ['no time at all', 200, [json, ['cache-control', 'max-age=0']], 'warning cache-control'],
  ['a year', 200, [json, ['cache-control', 'max-age=31536000']], 'warning cache-control'],
  ['an age that is none', 200, [json, ['cache-control', 'max-age=soon']], 'warning cache-control'],
  ['a cookie', 200, [json, cached, ['set-cookie', 'a=b']], 'warning set-cookie'],
];

for (const [what, status, headers, ...findings] of deliveries) {
  test(`[R-5.7a] a document served with ${what}: ${findings.join() || 'nothing found'}`, () => {
    assert.deepEqual(codesOf({ findings: validateDelivery({ status, headers }) }), findings);
  });
}
