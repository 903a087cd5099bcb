import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Exchange, type Fault, html, insteadFault, jsonOf, redirect, slowJson, withJson } from './fault.js';

/** The name that the authorization server asks for, as it must not rotate then either. */
export const noRotation = 'refresh-no-rotation';

/** Milliseconds that a delayed response is held. */
const delayedMs = 3_000;

/** G: what a refresh gets back, and what a revocation does. */
export function refreshFaults(): readonly Fault[] {
  return [
    refused('refresh-invalid-grant', [141], 'invalid_grant', () => jsonResponse(400, { error: 'invalid_grant' })),
    refused('refresh-invalid-client', [143], 'invalid_client', () => jsonResponse(401, { error: 'invalid_client' })),
    refused('refresh-500', [142], '500 with a page', () => html(500, '<h1>oops</h1>')),
    refused('refresh-portal', [142], '200 with the page of a captive portal', () => html(200, '<h1>Free Wi-Fi</h1>')),
    refused('refresh-slow', [142, 254], 'a byte now and then', slowJson),
    {
      name: 'refresh-late',
      rows: [136, 139],
      what: 'a refresh is done at once, and answered three seconds later',
      rewrite: async (exchange, response) => {
        if (isRefresh(exchange)) await sleep(delayedMs);
        return response;
      },
    },
    {
      name: noRotation,
      rows: [144],
      what: 'no rotation, and no refresh token in the answer',
      rewrite: (exchange, reply) =>
        isRefresh(exchange) && reply.status === 200
          ? withJson(reply, { ...jsonOf(reply), refresh_token: undefined })
          : reply,
    },
    insteadFault('revocation', { name: 'revocation-500', rows: [152], what: '500' }, () => html(500, 'oops')),
    insteadFault('revocation', { name: 'revocation-slow', rows: [152], what: 'a byte now and then' }, slowJson),
    insteadFault(
      'revocation',
      { name: 'revocation-redirect', rows: [152], what: '307 to another origin' },
      ({ addresses }) => redirect(307, `${addresses.serverOrigin}/stolen-revocation`),
    ),
  ];
}

function refused(name: string, rows: readonly number[], what: string, reply: () => SentResponse): Fault {
  return insteadFault('token', { name, rows, what: `a refresh gets ${what}` }, (exchange) =>
    isRefresh(exchange) ? reply() : undefined,
  );
}

function isRefresh(exchange: Exchange): boolean {
  return exchange.point === 'token' && exchange.params.get('grant_type') === 'refresh_token';
}
