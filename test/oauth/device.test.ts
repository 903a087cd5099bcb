import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { judgeDeviceAnswer } from '../../src/oauth/device.js';

const good = {
  device_code: 'd',
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://as.example/device',
  verification_uri_complete: 'https://as.example/device?user_code=ABCD-EFGH',
  expires_in: 600,
};
const judge = (value: unknown, status = 200) =>
  judgeDeviceAnswer(
    { status, bytes: new TextEncoder().encode(JSON.stringify(value)), retryAfter: undefined },
    'public',
  );
const device = (change: object) => {
  const judged = judge({ ...good, ...change });
  assert.ok(judged.ok);
  return judged.device;
};

test('a good answer is taken; the interval is 5 s by default and never an endless or a hot loop', () => {
  assert.deepEqual([device({}).intervalMs, device({}).lifetimeMs], [5000, 600_000]);
  assert.deepEqual(
    [0, -5, 1e9, 'x', null, 7].map((interval) => device({ interval }).intervalMs),
    [1000, 1000, 60_000, 5000, 5000, 7000],
  );
  assert.equal(device({ expires_in: 1e9 }).lifetimeMs, 1_800_000);
  assert.equal(
    device({ verification_uri_complete: 'https://evil.example/' }).verificationUriComplete,
    undefined,
  );
});

test('what a person cannot be shown or sent to is refused', () => {
  const bad = [
    { verification_uri: 'http://as.example/device' },
    { verification_uri: 'javascript:alert(1)' },
    { verification_uri: undefined },
    { user_code: '' },
    { user_code: 'x'.repeat(65) },
    { device_code: 'a b\n' },
    { expires_in: undefined },
  ];
  for (const change of bad) assert.equal(judge({ ...good, ...change }).ok, false, JSON.stringify(change));
});

test('whatever an endpoint answers is judged, never thrown at', () => {
  const field = fc.oneof(fc.jsonValue(), fc.webUrl(), fc.constant('https://as.example/device'));
  const answer = fc.record(
    { device_code: field, user_code: field, verification_uri: field, expires_in: field, interval: field },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(answer, fc.constantFrom(200, 400, 500), (value, status) => {
      const judged = judge(value, status);
      if (judged.ok) assert.ok(judged.device.verificationUri.startsWith('https:'));
    }),
  );
});
