import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../core/ports.js';
import type { KeeperView } from './keeper.js';
import { metricsText } from './metrics.js';
import type { ListenLocally } from './ports.js';

/** What a monitor gets by with. */
const limits = { connections: 16, headMs: 5_000, headBytes: 8_192 } as const;

/**
 * `/healthz` and `/metrics` for monitors of this machine. Other names than ours are refused, and whatever a web page sends
 * (DNS rebinding); nothing is changed by a request, and nothing secret is there.
 * @throws Failure of `listen`
 */
export async function openStatusPage(
  view: () => KeeperView,
  options: {
    readonly clock: Pick<Clock, 'now'>;
    readonly listen: ListenLocally;
    readonly where: { readonly port: number } | { readonly socket: string };
  },
): Promise<{ readonly origin: string } & AsyncDisposable> {
  let authorities: ReadonlySet<string> = new Set();
  const server = createServer({ maxHeaderSize: limits.headBytes }, (request, response) => {
    const [status, text] = respond(request, authorities, view(), options.clock.now());
    send(response, status, text, request.method === 'HEAD');
  });
  server.maxConnections = limits.connections;
  server.headersTimeout = limits.headMs;
  server.requestTimeout = limits.headMs;
  server.on('clientError', (_, socket) => socket.destroy());
  const listening = await options.listen(server, options.where);
  authorities = listening.authorities;
  return { origin: listening.origin, [Symbol.asyncDispose]: () => closed(server) };
}

function respond(
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  authorities: ReadonlySet<string>,
  view: KeeperView,
  now: number,
): readonly [status: number, text: string] {
  if (!authorities.has(headers.host ?? '')) return [421, 'This address is not served here.\n'];
  if (headers.origin !== undefined || !['none', undefined].includes(headers['sec-fetch-site'] as string | undefined)) {
    return [403, 'This is not for web pages.\n'];
  }
  if (method !== 'GET' && method !== 'HEAD') return [405, 'GET or HEAD.\n'];
  if (url === '/metrics') return [200, metricsText(view, now)];
  if (url === '/healthz') {
    const role = view.isLeader ? 'leading' : 'standing by';
    return view.isStoreThere ? [200, `ok, ${role}\n`] : [503, `the store is out of reach, ${role}\n`];
  }
  return [404, '/healthz or /metrics\n'];
}

function send(response: ServerResponse, status: number, text: string, headOnly: boolean): void {
  response.writeHead(status, {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(headOnly ? undefined : text);
}

async function closed(server: Server): Promise<void> {
  const gone = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await gone;
}
