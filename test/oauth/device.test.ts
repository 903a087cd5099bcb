import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { validateDeviceResponse } from '../../src/oauth/device.js';
import { anyUrl } from '../support/arbitraries.js';

const good = {
  device_code: 'd',
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://as.example/device',
  verification_uri_complete: 'https://as.example/device?user_code=ABCD-EFGH',
  expires_in: 600,
};
const judge = (value: unknown, status = 200) =>
  validateDeviceResponse(new Response(JSON.stringify(value), { status }), { zone: 'public', now: 0 });
const device = async (change: object) => {
  const judged = await judge({ ...good, ...change });
  assert.ok(judged.ok);
  return judged.device;
};

test('a good answer is taken; the interval is 5 s by default and never an endless or a hot loop', async () => {
  assert.deepEqual([(await device({})).intervalMs, (await device({})).lifetimeMs], [5000, 600_000]);
  assert.deepEqual(
    await Promise.all([0, -5, 1e9, 'x', null, 7].map(async (interval) => (await device({ interval })).intervalMs)),
    [1000, 1000, 60_000, 5000, 5000, 7000],
  );
  assert.equal((await device({ expires_in: 1e9 })).lifetimeMs, 1_800_000);
  assert.equal(
    (await device({ verification_uri_complete: 'https://evil.example/' })).verificationUriComplete,
    undefined,
  );
});

test('what a person cannot be shown or sent to is refused', async () => {
  const bad = [
    { verification_uri: 'http://as.example/device' },
    { verification_uri: 'javascript:alert(1)' },
    { verification_uri: undefined },
    { user_code: '' },
    { user_code: 'x'.repeat(65) },
    { device_code: 'a b\n' },
    { expires_in: undefined },
  ];
  for (const change of bad) assert.equal((await judge({ ...good, ...change })).ok, false, JSON.stringify(change));
});

test('whatever an endpoint answers is judged, never thrown at', async () => {
  const field = fc.oneof(fc.jsonValue(), anyUrl, fc.constant('https://as.example/device'));
  const answer = fc.record(
    { device_code: field, user_code: field, verification_uri: field, expires_in: field, interval: field },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(answer, fc.constantFrom(200, 400, 500), async (value, status) => {
      const judged = await judge(value, status);
      if (judged.ok) assert.ok(judged.device.verificationUri.startsWith('https:'));
    }),
  );
});
