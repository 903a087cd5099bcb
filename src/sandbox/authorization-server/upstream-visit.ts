import type { IncomingMessage } from 'node:http';
import type { Interaction } from 'oidc-provider';
import { consentForAll, noConsent, stateUnbound } from '../faults/upstream.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';
import type { SentResponse } from '../wire/response.js';
import { askedIn } from './grant.js';
import { errorPage } from './pages/error-page.js';
import { upstreamScope } from './scopes.js';

/** What a login needs that asks for the person's account at the upstream. */
export interface VisitParts {
  readonly accounts: UpstreamAccounts;
  readonly issuerPath: string;
  readonly isFaulty: (name: string) => boolean;
}

/** Sends the browser to the upstream, for a client that the person has just allowed to use it. */
export function departure(parts: VisitParts, interaction: Interaction, scopes: readonly string[]): SentResponse {
  const { location, cookie } = parts.accounts.depart({
    uid: interaction.uid,
    subject: interaction.session?.accountId ?? '',
    clientId: askedIn(interaction).clientId,
    scopes,
  });
  return redirect(location, cookie);
}

/** Two ways to be a confused deputy, on demand: the consent of this client is taken for given. */
export function takesConsentForGiven(parts: VisitParts, interaction: Interaction): boolean {
  if (!askedIn(interaction).scopes.includes(upstreamScope)) return false;
  if (parts.isFaulty(noConsent)) return true;
  return parts.isFaulty(consentForAll) && parts.accounts.knows(interaction.session?.accountId ?? '');
}

/** The response of the upstream to a browser; the login that it belongs to goes on. */
export async function arrival(
  parts: VisitParts,
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<SentResponse> {
  const consent = await parts.accounts.arrive(request, query, !parts.isFaulty(stateUnbound));
  if (consent === undefined) {
    return errorPage(400, 'invalid_request', 'this answer of the upstream belongs to no login in this browser');
  }
  const forgetting = parts.accounts.forget(query.get('state') ?? '');
  return redirect(`${parts.issuerPath}/interaction/${consent.uid}`, forgetting);
}

function redirect(location: string, cookie?: string): SentResponse {
  return {
    status: 303,
    headers: [
      ['location', location],
      ['cache-control', 'no-store'],
      ['referrer-policy', 'no-referrer'],
      ...(cookie === undefined ? [] : [['set-cookie', cookie] as const]),
    ],
    body: new Uint8Array(),
  };
}
