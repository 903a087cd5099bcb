import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../../src/core/secret.js';
import { deviceLines } from '../../../src/login/device/show-code.js';

test('how long a code is good for is never said to be longer than it is waited for', () => {
  const device = {
    deviceCode: new Secret('d'),
    userCode: 'ABCD',
    verificationUri: 'https://as.example/device',
    verificationUriComplete: undefined,
    lifetimeMs: 600_000,
    intervalMs: 5_000,
  };
  const said = (timeoutMs: number) => deviceLines(device, { timeoutMs, isFallback: false }).at(-1);
  assert.equal(said(10_000), 'The code is good for 10 seconds.');
  assert.equal(said(119_000), 'The code is good for 1 minute.');
  assert.equal(said(900_000), 'The code is good for 10 minutes.');
});
