import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createServeDocument } from '../../src/client-metadata/document-server.js';
import { makeSelfSigned } from '../../src/client-metadata/self-signed.js';
import { createClock } from '../../src/stores/clock.js';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { temporaryFolder } from '../support/temporary.js';
import { goodHeaders, hostDocument } from './document-server.js';

const day = 24 * 3600 * 1000;

test('a certificate made here is for this machine’s names alone, signs no others, and is good for two days', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const certificate = new X509Certificate(makeSelfSigned(now).cert);
  assert.ok(certificate.verify(certificate.publicKey));
  assert.equal(certificate.ca, false);
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.equal(certificate.checkHost('example.com'), undefined);
  assert.deepEqual([Date.parse(certificate.validFrom), Date.parse(certificate.validTo)], [now - day, now + 2 * day]);
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
  await using trusting = testHttp({ localhost: ['127.0.0.1'] }, { caFile: host.certificateFile });
  for (const url of [host.url, host.url.replace('127.0.0.1', 'localhost')]) {
    await using response = await send(trusting, url);
    assert.equal(response.status, 200);
    const got = new Map(response.headers);
    for (const [name, value] of goodHeaders) assert.equal(got.get(name.toLowerCase()), value);
    assert.equal(got.has('set-cookie'), false);
    assert.equal(await textOf(response), '{"a":1}');
  }
  await using other = testHttp();
  await failureOf(send(other, host.url), 'tls_failed');
  const written = await readFile(host.certificateFile, 'utf8');
  assert.doesNotMatch(written, /PRIVATE/);
  assert.equal((await stat(host.certificateFile)).mode & 0o077, 0);
});

test('two at once have a certificate file each; it is gone when its server ends', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'client.json');
  await writeFile(path, '{}');
  const certificateFile = (port: number) => join(folder.path, 'state', `${port}.pem`);
  const serve = createServeDocument(createClock(), certificateFile);
  const site = new Map([['/client.json', { path, headers: goodHeaders }]]);
  const start = () => serve({ port: 0, tls: 'self-signed', site });
  const files: string[] = [];
  {
    await using one = await start();
    await using other = await start();
    for (const { port, certificateFile: caFile = '' } of [one, other]) {
      files.push(caFile);
      await using http = testHttp({}, { caFile });
      await using response = await send(http, `https://127.0.0.1:${port}/client.json`);
      assert.equal(response.status, 200);
    }
  }
  for (const file of files) await assert.rejects(stat(file), { code: 'ENOENT' });
});

test('nothing but the files of the site can be asked for, and only be read', async () => {
  await using host = await hostDocument();
  await host.publish('{"a":1}', goodHeaders);
  await using http = testHttp({}, { caFile: host.certificateFile });
  const { origin } = new URL(host.url);
  for (const path of [
    '/',
    '/client.json/',
    '/client.json?x=1',
    '/state/certificate.pem',
    '/%2e%2e%2fetc%2fpasswd',
    '/CLIENT.JSON',
  ]) {
    await using response = await send(http, origin + path);
    assert.equal(response.status, 404, path);
  }
  await using post = await send(http, host.url, { method: 'POST', body: 'x' });
  assert.equal(post.status, 405);
  await using head = await send(http, host.url, { method: 'HEAD' });
  assert.deepEqual([head.status, await textOf(head)], [200, '']);
});

test('the person’s own certificate and key are used; what is no pair, or not there, is told, exit 2', async () => {
  await using folder = await temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  const [one, other] = [makeSelfSigned(Date.now()), makeSelfSigned(Date.now())];
  await writeFile(file('cert.pem'), one.cert);
  await writeFile(file('key.pem'), one.key);
  await writeFile(file('other.pem'), other.key);
  await writeFile(file('client.json'), '{}');
  const site = new Map([['/client.json', { path: file('client.json'), headers: goodHeaders }]]);
  const serveDocument = createServeDocument(createClock(), () => file('none'));
  const serve = (certFile: string, keyFile: string) =>
    serveDocument({ port: 0, tls: { certFile: file(certFile), keyFile: file(keyFile) }, site });
  {
    await using server = await serve('cert.pem', 'key.pem');
    assert.equal(server.certificateFile, undefined);
    await using http = testHttp({}, { caFile: file('cert.pem') });
    await using response = await send(http, `https://127.0.0.1:${server.port}/client.json`);
    assert.equal(response.status, 200);
  }
  for (const [cert, key] of [
    ['cert.pem', 'other.pem'],
    ['key.pem', 'key.pem'],
    ['missing.pem', 'key.pem'],
  ] as const) {
    const failure = await failureOf(serve(cert, key), 'tls_files_unusable');
    assert.equal(failure.exit, 2);
    assert.doesNotMatch(failure.message + failure.remedy, /BEGIN/);
  }
  const nothing = new Map([['/client.json', { path: file('gone.json'), headers: goodHeaders }]]);
  await failureOf(serveDocument({ port: 0, tls: 'self-signed', site: nothing }), 'file_unreadable');
});

test('a connection on which nothing came gets no byte and waits for its request; one that stalls is cut off', async () => {
  await using hosted = await hostDocument();
  await hosted.publish('{}', goodHeaders);
  const ca = await readFile(hosted.certificateFile);
  const open = async (begin: string) => {
    const socket = connect({ port: hosted.server.port, host: '127.0.0.1', ca }, () => socket.write(begin));
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket.setEncoding('latin1');
  };
  const spare = await open('');
  let received = '';
  spare.on('data', (text) => {
    received += text;
  });
  const stalled = (await open('GET /client.json HTTP/1.1\r\nHost: ')).resume();
  await once(stalled, 'close');
  assert.deepEqual([received, spare.destroyed], ['', false]);
  spare.write(`GET /client.json HTTP/1.1\r\nHost: 127.0.0.1:${hosted.server.port}\r\nConnection: close\r\n\r\n`);
  await once(spare, 'end');
  assert.match(received, /^HTTP\/1\.1 200 OK/);
  spare.destroy();
});
