import type { IncomingMessage } from 'node:http';
import type { Interaction } from 'oidc-provider';
import { consentForAll, noConsent, stateUnbound } from '../faults/upstream.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';
import { redirectTo, type SentResponse } from '../wire/response.js';
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
  return leaving(location, cookie);
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
  return leaving(`${parts.issuerPath}/interaction/${consent.uid}`, forgetting);
}

const leaving = (location: string, cookie: string) =>
  redirectTo(location, [
    ['referrer-policy', 'no-referrer'],
    ['set-cookie', cookie],
  ]);
