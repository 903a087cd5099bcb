import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { after, before, describe, test } from 'node:test';
import { ClientDocuments } from '../../../src/sandbox/authorization-server/client-documents/client-documents.js';
import type { ClientDocumentRules } from '../../../src/sandbox/client-document-rules.js';
import { needs } from '../../support/needs.js';
import { type DocumentHost, startDocumentHost } from '../document-host.js';

const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

describe('the shelf of metadata documents', { skip: needs('openssl') }, () => {
  let host: DocumentHost;
  let now: number;

  before(async () => {
    host = await startDocumentHost();
  });

  after(() => host[Symbol.asyncDispose]());

  /** The fetcher with a clock and a resolver of ours; `fetches` counts connections. */
  function open(
    answers: readonly (readonly LookupAddress[])[] = [[loopback]],
    more: ClientDocumentRules = {},
    otherwise: Promise<readonly LookupAddress[]> = Promise.resolve([]),
  ) {
    now = Date.now();
    const seen = { fetches: 0, lookups: 0 };
    const documents = new ClientDocuments({
      rules: { ...host.rules, ...more },
      resolve: async () => answers[Math.min(seen.lookups++, answers.length - 1)] ?? otherwise,
      now: () => now,
      closing: new AbortController().signal,
      onFetch: () => {
        seen.fetches += 1;
      },
    });
    return { documents, seen };
  }

  const named = (path: string): string => `https://localhost:${host.server.port}/${path}`;
  const cannotBeRead = /could not be read/;
  const reason = (pattern: RegExp) => (error: unknown) =>
    pattern.test(String((error as { error_description?: string }).error_description));

  test('[R-4.4a] a fresh document is served from the shelf, a stale one is fetched again and its changes are seen', async () => {
    const { documents, seen } = open();
    host.serve(undefined, { 'cache-control': 'max-age=60' });
    await documents.load(named('fresh'));
    now += 55_000;
    host.serve((document) => ({ ...document, client_name: 'Renamed' }), { 'cache-control': 'max-age=60' });
    assert.match(await documents.load(named('fresh')), /Hosted client/);
    assert.equal(seen.fetches, 1);
    now += 6_000;
    assert.match(await documents.load(named('fresh')), /Renamed/);
    assert.equal(seen.fetches, 2);
  });

  test('[R-4.4a] no-store is not kept, an age of a century is kept for a day, and silence for five seconds', async () => {
    const { documents, seen } = open();
    const fetchesAfter = async (header: Record<string, string>, seconds: number): Promise<number> => {
      host.serve(undefined, header);
      const before = seen.fetches;
      await documents.load(named(`kept${before}`));
      now += seconds * 1000;
      await documents.load(named(`kept${before}`));
      return seen.fetches - before;
    };
    assert.equal(await fetchesAfter({ 'cache-control': 'no-store' }, 0), 2);
    assert.equal(await fetchesAfter({ 'cache-control': 'max-age=3155760000' }, 86_399), 1);
    assert.equal(await fetchesAfter({ 'cache-control': 'max-age=3155760000' }, 86_401), 2);
    assert.equal(await fetchesAfter({}, 4), 1);
    assert.equal(await fetchesAfter({}, 6), 2);
  });

  test('[R-4.4a] a key that the kept document does not know makes it be fetched again, at most every ten seconds', async () => {
    const { documents, seen } = open();
    const keys = (...kids: readonly string[]): void =>
      host.serve((document) => ({ ...document, jwks: { keys: kids.map((kid) => ({ kty: 'EC', kid })) } }), {
        'cache-control': 'max-age=3600',
      });
    keys('old');
    await documents.load(named('keys'), 'old');
    keys('old', 'new');
    now += 11_000;
    await documents.load(named('keys'), 'old');
    assert.equal(seen.fetches, 1);
    assert.match(await documents.load(named('keys'), 'new'), /"new"/);
    assert.equal(seen.fetches, 2);
    await documents.load(named('keys'), 'made up');
    now += 9_000;
    await documents.load(named('keys'), 'made up');
    assert.equal(seen.fetches, 2);
  });

  test('[R-5.8g] no address is visited more than 60 times in a minute, whatever names and documents lead there', async () => {
    const { documents, seen } = open();
    host.serve(undefined, { 'cache-control': 'no-store' });
    for (let at = 0; at < 60; at += 1) await documents.load(named(`many${at % 7}`));
    await assert.rejects(documents.load(named('one-more')), reason(cannotBeRead));
    await assert.rejects(documents.load(`${host.origin}/by-address`), reason(cannotBeRead));
    assert.equal(seen.fetches, 60);
    now += 61_000;
    await documents.load(named('later'));
  });

  test('[R-5.8g] [A-272] a name is looked up once for each fetch, and the connection goes to what was judged (DNS rebinding)', async () => {
    const elsewhere: LookupAddress = { address: '203.0.113.7', family: 4 };
    const { documents, seen } = open([[loopback], [elsewhere], [loopback]]);
    host.serve(undefined, { 'cache-control': 'no-store' });
    await documents.load(named('pinned'));
    assert.deepEqual(seen, { fetches: 1, lookups: 1 });
    await assert.rejects(documents.load(named('pinned')), reason(cannotBeRead));
    assert.deepEqual(seen, { fetches: 1, lookups: 2 });
  });

  test('[R-5.8g] [A-272] one forbidden address among good ones, in whatever spelling, is enough to refuse them all', async () => {
    const spoiling = [
      '127.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:0:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b::a9fe:a9fe',
      '2002:7f00:1::',
      '10.1.2.3',
      '100.64.0.1',
      '169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      'fc00::1',
      '0.0.0.0',
      '::',
      '255.255.255.255',
    ];
    await Promise.all(
      spoiling.map(async (address) => {
        const bad = { address, family: address.includes(':') ? 6 : 4 };
        const { documents, seen } = open([[{ address: '1.1.1.1', family: 4 }, bad]], { allow: [] });
        await assert.rejects(documents.load(named('mixed')), reason(cannotBeRead), address);
        assert.equal(seen.fetches, 0, address);
      }),
    );
  });

  test('[R-5.8g] [A-272] what is never opened: link-local and reserved addresses, even of a host that is on the list', async () => {
    for (const address of ['169.254.169.254', '0.0.0.0', '224.0.0.1', 'fe80::1']) {
      const { documents, seen } = open([[{ address, family: address.includes(':') ? 6 : 4 }]]);
      await assert.rejects(documents.load(named('listed')), reason(cannotBeRead), address);
      assert.equal(seen.fetches, 0, address);
    }
  });
});
