// A program that sends one request as the bridge does, and prints the response and what else it had loaded by then.
import { createRequire } from 'node:module';
import { openRelayOrigins } from '../../src/app/relay-origins.js';
import { RelayWire } from '../../src/bridge/relay-wire.js';
import { usualPoolLimits } from '../../src/http/pool.js';

const [, , url = ''] = process.argv;
const http = { env: {}, userAgent: 'postern-test' };
await using wire = new RelayWire(http.userAgent, openRelayOrigins(http, usualPoolLimits));
const body = await new Promise<string>((resolve, reject) => {
  let text = '';
  const request = { method: 'GET', url, headers: [], body: undefined } as const;
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
process.stdout.write(JSON.stringify({ body, loaded: Object.keys(createRequire(import.meta.url).cache) }));
