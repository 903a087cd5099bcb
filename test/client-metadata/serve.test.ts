import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { makeSelfSigned } from '../../src/system/document-server/self-signed.js';
import { failureOf, send, testDoor, textOf } from '../support/door.js';
import { goodHeaders, hostDocument } from './document-server.js';

const day = 24 * 3600 * 1000;

test('a certificate made here is for this machine’s names alone, signs no others, and is good for two days', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const certificate = new X509Certificate(makeSelfSigned(now).cert);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.equal(certificate.ca, false);
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.equal(certificate.checkHost('example.com'), undefined);
  assert.deepEqual(
    [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)],
    [now - day, now + 2 * day],
  );
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  const other = new X509Certificate(makeSelfSigned(now).cert);
  assert.notEqual(other.serialNumber, certificate.serialNumber);
  assert.equal(certificate.verify(other.publicKey), false);
});

test('dates and serial numbers of every length are encoded so that they read back', () => {
  for (let count = 0; count < 50; count += 1) {
    const now = Date.UTC(2025 + (count % 20), count % 12, 1 + (count % 28), count % 24);
    const certificate = new X509Certificate(makeSelfSigned(now).cert);
    assert.equal(Date.parse(certificate.validFrom), now - day);
    assert.match(certificate.serialNumber, /^[0-9A-F]+$/);
  }
});

test('who is given the certificate reaches the server, nobody else does; its key is written nowhere', async () => {
  await using host = await hostDocument();
  await host.publish('{"a":1}', goodHeaders);
  await using trusting = testDoor({ localhost: ['127.0.0.1'] }, { caFile: host.certificateFile });
  for (const url of [host.url, host.url.replace('127.0.0.1', 'localhost')]) {
    await using response = await send(trusting, url);
    assert.equal(response.status, 200);
    const got = new Map(response.headers);
    for (const [name, value] of goodHeaders) assert.equal(got.get(name.toLowerCase()), value);
    assert.equal(got.has('set-cookie'), false);
    assert.equal(await textOf(response), '{"a":1}');
  }
  await using other = testDoor();
  await failureOf(send(other, host.url), 'tls_failed');
  const written = await readFile(host.certificateFile, 'utf8');
  assert.doesNotMatch(written, /PRIVATE/);
  assert.equal((await stat(host.certificateFile)).mode & 0o077, 0);
});

test('nothing but the files of the site can be asked for, and only be read', async () => {
  await using host = await hostDocument();
  await host.publish('{"a":1}', goodHeaders);
  await using door = testDoor({}, { caFile: host.certificateFile });
  const { origin } = new URL(host.url);
  for (const path of [
    '/',
    '/client.json/',
    '/client.json?x=1',
    '/state/certificate.pem',
    '/%2e%2e%2fetc%2fpasswd',
    '/CLIENT.JSON',
  ]) {
    await using response = await send(door, origin + path);
    assert.equal(response.status, 404, path);
  }
  await using post = await send(door, host.url, { method: 'POST', body: 'x' });
  assert.equal(post.status, 405);
  await using head = await send(door, host.url, { method: 'HEAD' });
  assert.deepEqual([head.status, await textOf(head)], [200, '']);
});
