import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { listenForCallback } from '../../../src/login/browser/callback-listener.js';
import { enterOwnNetwork } from '../../support/own-network.js';

const skip = enterOwnNetwork({ 'lan.example': ['10.9.8.7'] });

test('[A-105] without IPv6 localhost is 127.0.0.1 alone, where nobody else can be, and [::1] is refused', {
  skip,
}, async () => {
  spawnSync('ip', ['address', 'del', '::1/128', 'dev', 'lo']);
  await using listener = await listenForCallback({ port: 0, host: 'localhost', path: '/callback' });
  assert.match(listener.redirectUri, /^http:\/\/localhost:\d+\/callback$/);
  await assert.rejects(listenForCallback({ port: 0, host: '[::1]', path: '/callback' }), {
    code: 'port_refused',
    message: /has no such address/,
  });
});

test('[A-108] what comes from an address that is not loopback gets no answer, though it reaches the listener', {
  skip,
}, async () => {
  await using listener = await listenForCallback({ port: 0, host: '127.0.0.1', path: '/callback' });
  const from = (address: string) => spawn('curl', ['-s', '--interface', address, listener.redirectUri]);
  assert.deepEqual(await once(from('127.0.0.1'), 'close'), [0, null]);
  const [code] = await once(from('10.9.8.7'), 'close');
  assert.ok([52, 56].includes(code), `curl ended with ${code}: neither an empty reply nor a reset`);
});
