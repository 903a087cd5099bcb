import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { failureOf, send, testHttp, textOf } from '../support/http.js';
import { goodHeaders, hostDocument } from './document-server.js';

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
