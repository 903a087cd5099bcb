import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openRelayOrigins } from '../../src/app/relay-origins.js';
import { RelayWire } from '../../src/bridge/relay-wire.js';
import { usualPoolLimits } from '../../src/http/pool.js';
import { ask as askProxy, mountOf, openStand } from '../proxy/stand.js';
import { startHttp } from '../support/http-server.js';

test('many requests that wait for their turn are no warning on the terminal', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(`${warning.name}: ${warning.message}`);
  process.on('warning', note);
  await using server = await startHttp((_, response) => void response.end('ok'));
  const http = { env: {}, userAgent: 'postern-test' };
  await using wire = new RelayWire(http.userAgent, openRelayOrigins(http, usualPoolLimits));
  await using stand = await openStand(mountOf(server.origin));
  const request = { method: 'GET', url: server.origin, headers: [], body: undefined } as const;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const nothing = () => undefined;
      const watcher = { head: nothing, data: nothing, end: resolve, failed: reject };
      wire.send({ ...request, lasting: false, headersMs: 10_000 }, watcher);
    });
  await Promise.all(Array.from({ length: 50 }, one));
  await Promise.all(Array.from({ length: 50 }, () => askProxy(stand, stand.at())));
  await turn();
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});
