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
  ['http://me.postern/client.json', 'failure not_https'],
  ['ftp://me.postern/client.json', 'failure not_https'],
  ['https://me.postern', 'failure no_path'],
  ['https://me.postern/', 'failure no_path'],
  ['https://me.postern/a/../client.json', 'failure dot_segments'],
  ['https://me.postern/a/%2E%2e/client.json', 'failure dot_segments'],
  ['https://me.postern/./client.json', 'failure dot_segments'],
  ['https://me@me.postern/client.json', 'failure has_userinfo'],
  ['https://me:secret@me.postern/client.json', 'failure has_userinfo'],
  ['https://me.postern/client.json#a', 'failure has_fragment'],
  ['https://me.postern/client.json?v=1', 'warning has_query'],
  ['HTTPS://me.postern/client.json', 'failure not_plain'],
  ['https://Me.postern/client.json', 'failure not_plain'],
  ['https://me.postern:443/client.json', 'failure not_plain'],
  ['https://0x7f.1/client.json', 'failure not_plain'],
  ['https://me.postern\\client.json', 'failure no_path'],
  ['https://me.postern/cli ent.json', 'failure not_plain'],
  ['me.postern/client.json', 'failure not_a_url'],
  ['', 'failure not_a_url'],
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
const nosniff = ['x-content-type-options', 'nosniff'] as const;
type Headers = readonly (readonly [string, string])[];

const deliveries: readonly (readonly [
  what: string,
  status: number,
  headers: Headers,
  ...findings: readonly string[],
])[] = [
  ['as it should be', 200, [json, cached, nosniff]],
  [
    'a media type of its own',
    200,
    [['content-type', 'application/client-metadata+json; charset=utf-8'], cached, nosniff],
  ],
  ['a redirect', 302, [['location', 'https://me.postern/other.json']], 'failure redirects'],
  ['a permanent redirect', 308, [], 'failure redirects'],
  ['nothing there', 404, [json], 'failure status'],
  ['no content', 204, [], 'failure status'],
  ['a web page', 200, [['content-type', 'text/html'], cached, nosniff], 'failure media_type'],
  ['plain text', 200, [['content-type', 'text/plain'], cached, nosniff], 'failure media_type'],
  ['no media type', 200, [cached, nosniff], 'failure media_type'],
  ['two media types', 200, [json, ['content-type', 'text/html'], cached, nosniff], 'failure media_type'],
  ['compression', 200, [json, cached, nosniff, ['content-encoding', 'gzip']], 'failure content_encoding'],
  ['nothing said of caching', 200, [json, nosniff], 'warning cache_missing'],
  ['an expiry date', 200, [json, nosniff, ['expires', 'Sat, 21 Nov 2026 16:21:34 GMT']]],
  ['no-store', 200, [json, nosniff, ['cache-control', 'no-store']], 'warning cache_forbidden'],
  ['no time at all', 200, [json, nosniff, ['cache-control', 'max-age=0']], 'warning cache_forbidden'],
  ['a year', 200, [json, nosniff, ['cache-control', 'max-age=31536000']], 'warning cache_too_long'],
  ['an age that is none', 200, [json, nosniff, ['cache-control', 'max-age=soon']], 'warning cache_unreadable'],
  ['a cookie', 200, [json, cached, nosniff, ['set-cookie', 'a=b']], 'warning sets_cookie'],
  ['sniffing left open', 200, [json, cached], 'warning sniffing_open'],
];

for (const [what, status, headers, ...findings] of deliveries) {
  test(`[R-5.7a] a document served with ${what}: ${findings.join() || 'nothing found'}`, () => {
    assert.deepEqual(codesOf({ findings: validateDelivery({ status, headers }) }), findings);
  });
}
