import { setTimeout as sleep } from 'node:timers/promises';
import { jsonResponse, type SentResponse } from '../wire/response.js';
import { type Exchange, type Fault, faultsAt, html, patched, redirect, rewriteFault, slowJson } from './fault.js';

/** The name that the authorization server asks for, as it must not rotate then either. */
export const noRotation = 'refresh-no-rotation';

/** Milliseconds that a delayed response is held. */
const delayedMs = 3_000;

const revocation = faultsAt('revocation');

/** G: what a refresh gets back, and what a revocation does. */
export function refreshFaults(): readonly Fault[] {
  return [
    refused('refresh-invalid-grant', [141], 'invalid_grant', () => jsonResponse(400, { error: 'invalid_grant' })),
    refused('refresh-invalid-client', [143], 'invalid_client', () => jsonResponse(401, { error: 'invalid_client' })),
    refused('refresh-500', [142], '500 with a page', () => html(500, '<h1>oops</h1>')),
    refused('refresh-portal', [142], '200 with the page of a captive portal', () => html(200, '<h1>Free Wi-Fi</h1>')),
    refused('refresh-slow', [142, 254], 'a byte now and then', slowJson),
    rewriteFault(
      ...(['refresh-late', [136, 139], 'a refresh is done at once, and answered three seconds later'] as const),
      isRefresh,
      (_exchange, response) => sleep(delayedMs, response),
    ),
    rewriteFault(
      ...([noRotation, [144], 'no rotation, and no refresh token in the answer'] as const),
      (exchange, { status }) => isRefresh(exchange) && status === 200,
      (_exchange, reply) => patched(reply, () => ({ refresh_token: undefined })),
    ),
    revocation.instead('revocation-500', [152], '500', () => html(500, 'oops')),
    revocation.instead('revocation-slow', [152], 'a byte now and then', slowJson),
    revocation.instead('revocation-redirect', [152], '307 to another origin', ({ addresses }) =>
      redirect(307, `${addresses.serverOrigin}/stolen-revocation`),
    ),
  ];
}

function refused(name: string, rows: readonly number[], what: string, reply: () => SentResponse): Fault {
  return faultsAt('token').instead(name, rows, `a refresh gets ${what}`, (exchange) =>
    isRefresh(exchange) ? reply() : undefined,
  );
}

function isRefresh({ point, params }: Exchange): boolean {
  return point === 'token' && params.get('grant_type') === 'refresh_token';
}
