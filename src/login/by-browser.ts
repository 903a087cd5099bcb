import { isFailure } from '../core/failure.js';
import { saysYes } from '../core/text/says-yes.js';
import {
  type AuthorizationCode,
  type AuthorizationResponse,
  type AuthorizationResult,
  validateAuthorizationResponse,
} from '../oauth/authorization-response.js';
import { capabilityMissing } from '../oauth/failures.js';
import { loginBrakes } from '../tokens/budget.js';
import { keepChosenRedirectUri } from '../tokens/registrations.js';
import { AuthorizationRequests } from './authorization-requests.js';
import type { BrowserAvailability } from './browser/browser-availability.js';
import type { CallbackListener } from './browser/callback-listener.js';
import { linkTakenTwice } from './browser/failures.js';
import type { LoggedIn } from './browser/page.js';
import { hasToRegister, identifyClient, LazyClient } from './client/identify-client.js';
import { forgetRefusedClient, forgetUnanswered } from './client/register.js';
import { loginRefused, pageAdvice, redirectRemedy, type Tried, type UsedRedirect } from './client/way-out.js';
import { offerCode } from './device/offer-code.js';
import { authorizationDenied, responseFromAnotherIssuer, responseUnusable } from './failures.js';
import { openListener, planRedirect } from './open-listener.js';
import type { BegunLogin, IdentifiedClient, LoginPorts, PersonLogin } from './ports.js';
import { receiveResponse } from './receive-response.js';
import { askForToken, type Redeemed } from './redeem.js';

/** What differs between a login at a server and one at a company's provider. */
interface BrowserLogin<Kept> {
  /** Says in the terminal who asks for what. */
  readonly announce: (tried: Tried) => void;
  /** Stores the token: only then does the browser show success. */
  readonly keep: (redeemed: Redeemed, client: IdentifiedClient, redirect: UsedRedirect) => Promise<Kept>;
}

interface Attempt {
  readonly begun: BegunLogin<PersonLogin>;
  readonly client: LazyClient;
  readonly listener: CallbackListener;
  readonly redirect: UsedRedirect;
}

const triedBy = ({ begun, client, redirect }: Omit<Attempt, 'listener'>): Tried => ({
  begun,
  client: client.found,
  ...redirect,
});

/** A login by a person in the browser, from the callback listener to the stored token. @throws Failure of each step */
export async function byBrowser<Kept extends LoggedIn>(
  begun: BegunLogin<PersonLogin>,
  { announce, keep }: BrowserLogin<Kept>,
): Promise<Kept> {
  const { ports, discovery, request } = begun;
  const { person } = request;
  const plan = planRedirect(begun);
  await using listener = await openListener(ports, plan, person.listenAddress);
  const redirect = { redirectUri: listener.redirectUri, hasFixedPort: plan.hasFixedPort };
  const client = await clientOf(begun, redirect);
  const attempt = { begun, client, listener, redirect };
  announce(triedBy(attempt));
  try {
    const redeemed = await redeem(attempt);
    const kept = await keep(redeemed, await client.get(), redirect);
    const { issuer } = discovery.authorizationServer;
    if (person.redirectUri !== undefined) await keepChosenRedirectUri(ports, issuer, person.redirectUri);
    await listener.finish('stored', kept);
    return kept;
  } catch (error) {
    await listener.finish(isFailure(error, 'denied') ? 'declined' : 'failed');
    if (client.found !== undefined) await forgetRefusedClient(begun, client.found, error);
    throw loginRefused(begun, error, { tried: triedBy(attempt) });
  } finally {
    ports.progress.end();
  }
}

/** Where a browser is likely to be opened: elsewhere a code is offered with the address. */
const opensBrowsers: readonly BrowserAvailability[] = ['desktop', 'wsl'];

/** The client. Where the user has to agree first, nothing is sent to the authorization server before. */
async function clientOf(begun: BegunLogin<PersonLogin>, redirect: UsedRedirect): Promise<LazyClient> {
  const { mode, availability } = begun.request.person;
  const isOffered = mode === 'no-browser' || !opensBrowsers.includes(availability);
  const asked = { ...redirect, begun, userCode: isOffered ? 'offered' : 'none' } as const;
  const client = new LazyClient(() => identifyClient(asked));
  const isLazy = begun.consent !== undefined && mode === 'browser' && (await hasToRegister(asked));
  if (!isLazy) await client.get();
  return client;
}

/**
 * One authorization request, its response, and the token for it (rules 5.3 step 7, RFC 6749 section 4.1, RFC 7636, RFC
 * 9207): a fresh state and verifier for each browser that comes, kept in memory alone; exactly one response is redeemed. Or
 * the token of the fallback, where the person typed its code before any response came.
 * @throws Failure `request_too_long`, `denied`, `authorization_refused`, `issuer_mismatch`, `callback_unusable`,
 * `login_timed_out`, or as `askForToken`
 */
async function redeem(attempt: Attempt): Promise<Redeemed> {
  const { begun, client, listener, redirect } = attempt;
  const { ports, discovery, meant, request } = begun;
  const { person, signal } = request;
  const server = discovery.authorizationServer;
  const { authorizationEndpoint: endpoint } = server;
  if (endpoint === undefined) throw capabilityMissing(server.issuer, 'an authorization endpoint');
  // Where the HTTP client may not send a request, no browser is sent either.
  await ports.http.check({ url: endpoint, namedBy: discovery.zone, signal });
  if (person.mode === 'browser' && person.caller !== undefined) await loginBrakes(ports, meant).openTab();
  const requests = new AuthorizationRequests(begun, { endpoint, client, redirect });
  if (begun.consent === undefined) await requests.prepare();
  const response = await firstResponse(attempt, requests).finally(() => noteIgnored(ports, listener));
  if ('token' in response) return response;
  if (listener.doubtful) await askWhoseResponse(ports, signal);
  const { state, verifier, clientId } = requests.sentFor(response);
  const result = await validateAuthorizationResponse(response, { server, clientId, state });
  const code = codeOf(attempt, result, response);
  ports.progress.begin('Redeeming the code');
  const grant = { code, verifier, redirectUri: redirect.redirectUri };
  return await askForToken('redeem', { ...begun, client: await client.get(), signal }, grant);
}

/** The person may have opened the link in two browsers. Nobody there to ask means no. */
async function askWhoseResponse({ terminal }: Pick<LoginPorts, 'terminal'>, signal: AbortSignal): Promise<void> {
  if (!terminal.interactive) throw linkTakenTwice();
  terminal.tell('The link that opens the login page was used by two browsers, or by another user of this machine.');
  const question = 'Was each of them you? Else you may be logged in as somebody else.';
  if (!(await saysYes(terminal, question, signal))) throw linkTakenTwice();
}

/** A response to another login, an earlier one perhaps, ends no wait; whoever waited in vain wants to know of it. */
function noteIgnored({ journal }: Pick<LoginPorts, 'journal'>, { ignored, redirectUri }: CallbackListener): void {
  if (ignored === 0) return;
  const were =
    ignored === 1 ? '1 answer came with another state and was' : `${ignored} answers came with another state and were`;
  journal.record({
    name: 'callback',
    asked: `GET ${redirectUri}`,
    came: `${were} ignored`,
    rule: 'RFC 6749 section 10.12',
    verdict: 'warning',
    note: 'Of an earlier login, perhaps: close its tab, and log in anew.',
  });
}

/** The response, or the token that a code typed elsewhere has brought, whichever comes first. */
async function firstResponse(
  attempt: Attempt,
  { newRequest, failed }: AuthorizationRequests,
): Promise<AuthorizationResponse | Redeemed> {
  const { begun, client, listener } = attempt;
  const { request, ports, consent } = begun;
  const { person } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  listener.arm({ newRequest, consent });
  const received = receiveResponse(ports, {
    ...person,
    ...{ listener, consent, signal },
    browser: request.browser ?? begun.held?.browser,
    offerCode: () => offerCode(begun, () => client.get(), signal),
    pageAdvice: pageAdvice(triedBy(attempt)),
  });
  try {
    return await Promise.race([received, failed, ...(person.overtaken ? [person.overtaken(signal)] : [])]);
  } catch (error) {
    // Where no response comes to a page that was shown, the page may be why.
    const isUnanswered = isFailure(error, 'login_timed_out') || request.signal.aborted;
    if (client.found !== undefined && isUnanswered) await forgetUnanswered(begun, client.found);
    throw error;
  } finally {
    over.abort();
    await received.catch(() => undefined); // the prompt is gone before anything else is shown
  }
}

/** The code of a response, and the step on record; every other response is a failure. */
function codeOf(attempt: Attempt, result: AuthorizationResult, response: AuthorizationResponse): AuthorizationCode {
  const { begun } = attempt;
  const { issuer, authorizationEndpoint } = begun.discovery.authorizationServer;
  const step = { name: 'authorization', asked: `GET ${authorizationEndpoint}` };
  const record = (came: string, verdict: 'pass' | 'failure', rule = 'R-2.5b', reason?: 'iss-missing') =>
    begun.ports.journal.record({ ...step, came, rule, verdict, ...(reason && { reason }) });
  if (result.ok) {
    const hasIss = response.some(([name]) => name === 'iss');
    record(`a code, with our state ${hasIss ? 'and iss' : 'and no iss'}`, 'pass');
    return result.code;
  }
  switch (result.problem) {
    case 'other_issuer':
      if (result.found === undefined) record('no iss', 'failure', 'RFC 9207 section 2.4', 'iss-missing');
      else record(`iss ${result.found}`, 'failure', 'RFC 9207 section 2.4');
      throw responseFromAnotherIssuer(issuer, result.found);
    case 'refused':
      record(`error ${result.error}`, 'failure', 'RFC 6749 section 4.1.2.1');
      throw authorizationDenied(issuer, result, redirectRemedy(triedBy(attempt), result.said));
    case 'unusable':
      record(result.why, 'failure');
      throw responseUnusable(result.why);
  }
}
