import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { errors, Interaction, Provider } from 'oidc-provider';
import { consentForAll, noConsent, stateUnbound } from '../faults/upstream.js';
import { isSameSecret } from '../one-time.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';
import { strictCookie } from '../wire/request.js';
import { redirectTo, type SentResponse, send } from '../wire/response.js';
import { accountById } from './accounts.js';
import { consentPage } from './pages/consent-page.js';
import { errorPage } from './pages/error-page.js';
import { loginPage } from './pages/login-page.js';
import { scopeInWords, upstreamScope } from './scopes.js';

export interface InteractionPages {
  /** Answers a GET (the page) or POST (the decision) of `/interaction/:uid`. */
  handle(request: IncomingMessage, response: ServerResponse, form: URLSearchParams): Promise<void>;
  /** Answers `/upstream/callback`: a browser comes back from the upstream. */
  returned(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void>;
}

interface Shared {
  readonly accounts: UpstreamAccounts;
  readonly issuerPath: string;
  readonly isFaulty: (name: string) => boolean;
  readonly provider: Provider;
  readonly secret: string;
  /** Identifiers of the clients that the sandbox was started with. */
  readonly preregistered: ReadonlySet<string>;
}

/** The two questions of a login: who are you, and may this client act for you. */
export function interactionPages(shared: Shared): InteractionPages {
  return {
    handle: async (request, response, form) => {
      let interaction: Interaction;
      try {
        interaction = await shared.provider.interactionDetails(request, response);
      } catch (error) {
        const reason = (error as errors.OIDCProviderError).error_description ?? 'unknown login';
        send(response, errorPage(400, 'session_not_found', reason));
        return;
      }
      if (!(request.url ?? '').endsWith(`/${interaction.uid}`)) {
        send(response, errorPage(400, 'session_not_found', 'this page belongs to another login'));
      } else if (interaction.result !== undefined) {
        send(response, errorPage(409, 'already_decided', 'this question has been answered already'));
      } else if (await wentOn(shared, interaction, request, response)) {
        return;
      } else if (request.method === 'POST') {
        await decide(shared, interaction, request, response, form);
      } else {
        send(response, await show(shared, interaction));
      }
    },
    returned: async (request, response, query) => send(response, await arrival(shared, request, query)),
  };
}

/** A login whose browser is back from the upstream ends here, without another question. */
async function wentOn(
  shared: Shared,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const visit = shared.accounts.takeVisit(interaction.uid);
  if (visit === undefined) return false;
  const { consent, connected } = visit;
  const scopes = consent.scopes.filter((scope) => connected || scope !== upstreamScope);
  const grantId = await makeGrant(shared.provider, interaction, scopes);
  await shared.provider.interactionFinished(request, response, { consent: { grantId } });
  return true;
}

async function show(shared: Shared, interaction: Interaction): Promise<SentResponse> {
  const params = askedIn(interaction);
  let client: Awaited<ReturnType<Provider['Client']['find']>>;
  try {
    client = await shared.provider.Client.find(params.clientId);
  } catch (error) {
    // Its metadata document was there when the login began, and is not any more.
    return errorPage(400, 'invalid_client', (error as errors.OIDCProviderError).error_description ?? 'unknown client');
  }
  const form = {
    action: `${shared.issuerPath}/interaction/${interaction.uid}`,
    csrf: tokenFor(shared.secret, interaction.uid),
  };
  const clientName = client?.clientName ?? params.clientId;
  const account = accountById(interaction.session?.accountId ?? '');
  if (asksWho(interaction) || account === undefined)
    return loginPage({ ...form, client: clientName, leadsTo: params.redirectUri });
  if (takesConsentForGiven(shared, interaction)) return departure(shared, interaction, params.scopes);
  return consentPage({
    ...form,
    clientId: params.clientId,
    clientName,
    preregistered: shared.preregistered.has(params.clientId),
    redirectUri: params.redirectUri,
    resource: params.resource,
    scopes: params.scopes,
    leadsTo: params.scopes.includes(upstreamScope) ? [shared.accounts.origin] : [],
    account,
  });
}

async function decide(
  shared: Shared,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
  form: URLSearchParams,
): Promise<void> {
  if (!isOurs(shared.secret, interaction.uid, form)) {
    send(response, errorPage(403, 'forbidden', 'the form did not come from this page'));
    return;
  }
  const { provider } = shared;
  const decision = form.get('decision');
  if (decision === 'switch') {
    send(response, anew(shared, interaction));
  } else if (asksWho(interaction)) {
    const account = accountById(form.get('account') ?? '');
    if (account === undefined) send(response, errorPage(400, 'invalid_request', 'there is no such account'));
    else {
      const login = { accountId: account.id, remember: false };
      await provider.interactionFinished(request, response, { [interaction.prompt.name]: {}, login });
    }
  } else if (decision === 'allow' && form.getAll('scope').includes(upstreamScope)) {
    send(response, departure(shared, interaction, form.getAll('scope')));
  } else if (decision === 'allow') {
    const grantId = await makeGrant(provider, interaction, form.getAll('scope'));
    await provider.interactionFinished(request, response, { consent: { grantId } });
  } else {
    const refusal = { error: 'access_denied', error_description: 'the person said no' };
    await provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
  }
}

const asksWho = ({ prompt }: Interaction): boolean => prompt.name === 'login' || prompt.name === 'select_account';

/** The same authorization request from the start, for a person with another account. */
function anew(shared: Shared, interaction: Interaction): SentResponse {
  const query = new URLSearchParams(interaction.params as Record<string, string>);
  const cookie = strictCookie(shared.provider.cookieName('session'), '', 0);
  return redirectTo(`${shared.issuerPath}/authorize?${query}`, [['set-cookie', cookie]]);
}

function tokenFor(secret: string, uid: string): string {
  return createHmac('sha256', secret).update(`form ${uid}`).digest('base64url');
}

function isOurs(secret: string, uid: string, form: URLSearchParams): boolean {
  return isSameSecret(tokenFor(secret, uid), form.get('csrf') ?? '');
}

/** Sends the browser to the upstream, for a client that the person has just allowed to use it. */
function departure(parts: Shared, interaction: Interaction, scopes: readonly string[]): SentResponse {
  const { location, cookie } = parts.accounts.depart({
    uid: interaction.uid,
    subject: interaction.session?.accountId ?? '',
    clientId: askedIn(interaction).clientId,
    scopes,
  });
  return leaving(location, cookie);
}

/** Two ways to be a confused deputy, on demand: the consent of this client is taken for given. */
function takesConsentForGiven(parts: Shared, interaction: Interaction): boolean {
  if (!askedIn(interaction).scopes.includes(upstreamScope)) return false;
  if (parts.isFaulty(noConsent)) return true;
  return parts.isFaulty(consentForAll) && parts.accounts.knows(interaction.session?.accountId ?? '');
}

/** The response of the upstream to a browser; the login that it belongs to goes on. */
async function arrival(parts: Shared, request: IncomingMessage, query: URLSearchParams): Promise<SentResponse> {
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

/** What an authorization request asks for, as far as it is known here. */
interface Asked {
  readonly clientId: string;
  /** Undefined at a login with a device code. */
  readonly redirectUri: string | undefined;
  readonly resource: string;
  readonly scopes: readonly string[];
}

function askedIn(interaction: Interaction): Asked {
  const { client_id, redirect_uri, resource, scope } = interaction.params;
  const asked = String(scope ?? '').split(' ');
  return {
    clientId: String(client_id),
    redirectUri: typeof redirect_uri === 'string' ? redirect_uri : undefined,
    resource: String(resource),
    scopes: asked.filter((one) => scopeInWords(one) !== undefined),
  };
}

/** A grant of its own for this login: what was ticked, and, so that it is not asked again, what was not. */
async function makeGrant(provider: Provider, interaction: Interaction, ticked: readonly string[]): Promise<string> {
  const { clientId, resource, scopes } = askedIn(interaction);
  const accountId = interaction.session?.accountId ?? '';
  const made = new provider.Grant({ clientId, accountId });
  const allowed = scopes.filter((scope) => ticked.includes(scope)).join(' ');
  const refused = scopes.filter((scope) => !ticked.includes(scope)).join(' ');
  if (allowed !== '') {
    made.addOIDCScope(allowed);
    made.addResourceScope(resource, allowed);
  }
  if (refused !== '') {
    made.rejectOIDCScope(refused);
    made.rejectResourceScope(resource, refused);
  }
  return made.save();
}
