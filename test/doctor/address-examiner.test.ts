import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressExaminer } from '../../src/doctor/address-examiner.js';
import { startAuthority } from '../support/certificates.js';
import { failureOf } from '../support/http.js';
import { startHttp } from '../support/http-server.js';

const { signal } = new AbortController();
const nobody = (_request: unknown, response: { end(): unknown }) => void response.end();

test('each address of a host is connected to by itself: which one is dead, and until when each certificate is valid', async () => {
  await using authority = await startAuthority();
  const certificate = await authority.issue('DNS:two.example', 3);
  await using server = await startHttp(nobody, { cert: certificate.cert, key: certificate.key });
  const options = { userAgent: 'test', env: {}, caFile: authority.caFile };
  const examine = addressExaminer({ ...options, resolve: async () => ['127.0.0.1', '127.0.0.9'] });
  const [alive, dead] = await examine(`https://two.example:${server.port}/mcp`, signal);
  assert.equal(alive?.failure, undefined);
  const days = ((alive?.certificateUntil ?? 0) - Date.now()) / 86_400_000;
  assert.ok(days > 2.9 && days <= 3, String(days));
  assert.deepEqual([dead?.address, dead?.failure?.code], ['127.0.0.9', 'network_failed']);
  assert.deepEqual(server.requests, [], 'nothing was sent');
});

test('an address that may not be connected to is refused before it is', async () => {
  const examine = addressExaminer({ userAgent: 'test', env: {}, resolve: async () => ['169.254.169.254'] });
  await failureOf(examine('https://metadata.example/', signal), 'address_refused');
  await failureOf(examine('http://public.example/', signal), 'address_refused');
});
