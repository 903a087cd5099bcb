import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { OutboundRequest } from '../../primitives/outbound.js';
import { Exchange } from './exchange.js';
import { loadClient } from './load-client.js';
import type { Place } from './place.js';
import { makeResponse } from './response.js';

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const request: Pick<OutboundRequest, 'method' | 'limits'> = {
  method: 'POST',
  limits: { totalMs: 1_000, headersMs: 1_000, maxBytes: 64 },
};
const nowhere: Place = {
  origin: 'http://rehearsal.invalid',
  host: 'rehearsal.invalid',
  port: 80,
  secure: false,
  classes: [],
  addresses: [],
  proxy: undefined,
  zone: 'public',
};

/**
 * Reads a made-up answer, without a network, in just the way in which a real one is read. What runs for the first time in
 * a process has to be compiled: 7 ms of processor time for an answer, most of it for undici's parser (WebAssembly). For one
 * that cannot be had again, a kill within that time loses it; so it is spent before the request is sent.
 */
export async function rehearse(): Promise<void> {
  const client = await loadClient();
  const wire = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      wire.push(answer);
      done();
    },
  });
  const undici = new client(nowhere.origin, {
    connect: (_, callback) => queueMicrotask(() => callback(null, wire as Socket)),
  });
  const exchange = new Exchange(nowhere, request.method, () => undefined);
  const limit = setTimeout(() => exchange.fail(new Error('the rehearsal hangs')), 1_000);
  try {
    undici.dispatch({ path: '/', method: 'POST', headers: ['accept', '*/*'], body: 'a' }, exchange);
    const head = await exchange.head;
    await makeResponse({
      request,
      url: nowhere.origin,
      place: nowhere,
      head,
      exchange,
      keepCoding: false,
    }).bytes();
  } finally {
    clearTimeout(limit);
    wire.destroy();
    await undici.destroy();
  }
}
