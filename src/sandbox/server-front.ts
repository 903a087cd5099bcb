import type { IncomingMessage } from 'node:http';
import type { Addresses, Exchange, Point } from './faults/fault.js';
import type { ActiveFaults } from './faults/table.js';
import type { RequestLog } from './log.js';
import type { Handler } from './wire/listen.js';
import { parametersOf } from './wire/request.js';
import { send } from './wire/response.js';

interface ServerFrontParts {
  readonly addresses: Addresses;
  readonly log: RequestLog;
  readonly faults: ActiveFaults;
}

/** What comes before the protected server: the log and the faults. The body is left unread. */
export function serverFront(parts: ServerFrontParts, next: Handler): Handler {
  return async (request, response) => {
    const params = parametersOf(request, Buffer.alloc(0));
    parts.log.record('server', request, response, params, '');
    const exchange = exchangeOf(parts.addresses, request, params);
    const instead = parts.faults.instead(exchange);
    if (instead !== undefined) {
      send(response, instead);
      return;
    }
    response.hold((reply) => parts.faults.rewrite(exchange, reply));
    await next(request, response);
  };
}

function exchangeOf(
  addresses: Addresses,
  request: IncomingMessage,
  params: readonly (readonly [string, string])[],
): Exchange {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  return {
    point: pointOf(path, addresses),
    method: request.method ?? '',
    path,
    params: new Map(params),
    body: '',
    authorized: request.headers.authorization !== undefined,
    scheme: request.headers.authorization?.split(' ', 1)[0]?.toLowerCase(),
    apiKey: [request.headers['x-api-key']].flat()[0],
    newerMethod: [request.headers['mcp-method']].flat()[0],
    addresses: addresses,
  };
}

function pointOf(path: string, addresses: Addresses): Point {
  if (/^(\/\.well-known\/oauth-protected-resource|\/resource-metadata$)/.test(path)) return 'resource-metadata';
  return path === new URL(addresses.serverUrl).pathname ? 'protected' : 'other';
}
