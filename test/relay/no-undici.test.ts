import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { openRelayOrigins } from '../../src/app/relay-origins.js';
import { RelayWire } from '../../src/bridge/relay-wire.js';
import { usualPoolLimits } from '../../src/http/pool.js';
import { systemResolver } from '../../src/http/resolve-host.js';
import { startHttp } from '../support/http-server.js';

test('passing messages on loads no HTTP client beside our own: a bridge starts the sooner for it', async () => {
  await using server = await startHttp((_, response) => void response.end('ok'));
  const http = { env: {}, userAgent: 'postern-test', resolve: systemResolver };
  await using wire = new RelayWire(http.userAgent, openRelayOrigins(http, usualPoolLimits));
  const body = await new Promise<string>((resolve, reject) => {
    let text = '';
    const request = { method: 'GET', url: server.origin, headers: [], body: undefined } as const;
    wire.send(
      { ...request, lasting: false, headersMs: 10_000 },
      {
        head: () => undefined,
        data: (chunk) => {
          text += Buffer.from(chunk).toString();
        },
        end: () => resolve(text),
        failed: reject,
      },
    );
  });
  assert.equal(body, 'ok');
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.deepEqual(
    loaded.filter((file) => file.includes('undici')),
    [],
  );
});
