import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocument } from '../../src/client-metadata/check.js';
import { writeDocument } from '../../src/oauth/client-metadata/write-document.js';
import { testHttp } from '../support/http.js';
import { startHttp } from '../support/http-server.js';
import type { CredentialIndex } from '../support/product.js';
import { goodHeaders, type HostedDocument, hostDocument } from './document-server.js';

const { signal } = new AbortController();
/** A machine without any key. */
const noKeys: CredentialIndex = {
  read: async () => ({ version: 1, logins: [], registrations: [] }),
  update: async (change) => change(await noKeys.read()),
};

function documentFor(url: string, members: Readonly<Record<string, unknown>> = {}): string {
  const text = writeDocument({ url, name: 'postern', contact: undefined, keys: [] });
  return JSON.stringify({ ...JSON.parse(text), ...members });
}

async function check(
  host: HostedDocument,
  wish: { readonly file?: string; readonly url?: string; readonly offline?: boolean },
) {
  await using http = testHttp({}, { caFile: host.certificateFile });
  const file = wish.file === undefined ? undefined : new TextEncoder().encode(wish.file);
  const request = { file, url: wish.url, offline: wish.offline ?? false, signal };
  const checked = await checkDocument({ http, index: noKeys }, request);
  const codes = checked.findings.map(({ where, verdict, code }) => `${where} ${verdict} ${code}`);
  // That it lies on loopback is a note on each of these.
  return { ...checked, codes: codes.filter((code) => !code.endsWith('not_public')) };
}

test('[R-5.7a] what an address serves is judged, and a local file, and both against each other', async () => {
  await using host = await hostDocument();
  const good = documentFor(host.url);
  host.publish(good, goodHeaders);
  assert.deepEqual((await check(host, { url: host.url })).codes, []);
  assert.deepEqual((await check(host, { file: good })).codes, []);
  const spaced = `\n${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(good)).toReversed()), undefined, 4)}`;
  assert.deepEqual((await check(host, { file: spaced })).codes, [], 'order and blanks are no difference');
  const renamed = documentFor(host.url, { client_name: 'another', 'x\u001b[31m': 1 });
  const differing = await check(host, { file: renamed });
  assert.deepEqual(differing.codes, ['served failure served_differs']);
  assert.match(differing.findings.at(-1)?.what ?? '', /client_name, x\\x1b\[31m/);
});

test('[R-5.7a] the id is compared with the address that was asked, character for character', async () => {
  await using host = await hostDocument();
  const served = async (clientId: string) => {
    host.publish(documentFor(host.url, { client_id: clientId }), goodHeaders);
    return (await check(host, { url: host.url })).codes;
  };
  const wrong = ['served failure client_id'];
  assert.deepEqual(await served(`${host.url}/`), wrong);
  assert.deepEqual(await served(`${host.url}?a`), wrong);
  assert.deepEqual(await served(host.url.replace('client', 'Client')), wrong);
  assert.deepEqual(await served(host.url.replace('127.0.0.1', 'localhost')), wrong);
  assert.deepEqual(await served(host.url), []);
});

test('[R-5.7a] what is wrong with how it is served is found: media type, size, caching', async () => {
  await using host = await hostDocument();
  const [, , nosniff] = goodHeaders;
  const good = documentFor(host.url);
  host.publish(good, [['Content-Type', 'text/html'], nosniff]);
  assert.deepEqual((await check(host, { url: host.url })).codes, [
    'served failure content-type',
    'served warning cache-control',
  ]);
  host.publish(documentFor(host.url, { more: 'x'.repeat(6000) }), goodHeaders);
  assert.deepEqual((await check(host, { url: host.url })).codes, ['served failure too_large']);
  host.publish('x'.repeat(200_000), goodHeaders);
  assert.deepEqual((await check(host, { url: host.url })).codes, ['served failure too_large']);
});

test('[R-5.7a] a redirect is a finding, and never followed; nothing of ours is sent along', async () => {
  await using host = await hostDocument();
  const seen: (string | undefined)[] = [];
  await using front = await startHttp((request, response) => {
    seen.push(`${request.url}`, request.headers.cookie, request.headers.authorization);
    response.writeHead(301, { location: host.url }).end();
  }, host.certificate);
  host.publish(documentFor(host.url), goodHeaders);
  const { codes, findings } = await check(host, { url: `${front.origin}/client.json` });
  assert.deepEqual(codes, ['served failure status']);
  assert.ok(findings[0]?.what.includes(host.url));
  assert.deepEqual(seen, ['/client.json', undefined, undefined]);
});

test('[R-5.7a] an address that may be no client identifier is not asked, nor is anybody with offline', async () => {
  await using host = await hostDocument();
  await using plain = await startHttp((_, response) => response.end('{}'));
  const http = await check(host, { url: `${plain.origin}/client.json` });
  assert.deepEqual([http.codes, http.fetched], [['served failure client_id'], false]);
  const { codes, fetched } = await check(host, { file: documentFor(host.url, { client_name: '' }), offline: true });
  assert.deepEqual([codes, fetched], [['file failure client_name'], false]);
  assert.deepEqual(plain.requests, []);
});

test('what is wrong with the file is told although its address cannot be reached', async () => {
  await using host = await hostDocument();
  const file = documentFor('https://127.0.0.1:1/client.json', { scope: 'a' });
  const { codes, unreachable } = await check(host, { file });
  assert.deepEqual(codes, ['file warning scope']);
  assert.equal(unreachable?.code, 'network_failed');
});
