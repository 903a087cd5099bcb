import { isFailure } from '../core/failure.js';
import { loginCommand } from '../core/login-command.js';
import type { Secret } from '../core/secret.js';
import { saysYes } from '../core/text/says-yes.js';
import {
  type AuthorizationResponse,
  type AuthorizationResult,
  validateAuthorizationResponse,
} from '../oauth/authorization-response.js';
import { capabilityMissing } from '../oauth/failures.js';
import { loginBrakes } from '../tokens/budget.js';
import { keepChosenRedirectUri } from '../tokens/registrations.js';
import { AuthorizationRequests } from './authorization-requests.js';
import type { CallbackListener } from './browser/callback-listener.js';
import { linkTakenTwice } from './browser/failures.js';
import type { LoggedIn } from './browser/page.js';
import { type Attempt, chooseClientWay, newAttempt } from './client/identify-client.js';
import { forgetRefusedClient, forgetUnanswered, keptRegistration } from './client/register.js';
import { loginRefused, pageAdvice, redirectRemedy } from './client/way-out.js';
import { authorizationDenied, responseFromAnotherIssuer, responseUnusable } from './failures.js';
import { openListener, planRedirect } from './open-listener.js';
import type { BegunLogin, LoginPorts, PersonLogin } from './ports.js';
import { receiveResponse } from './receive-response.js';
import { askForToken, type Redeemed } from './redeem.js';

interface BrowserLogin<Kept> {
  readonly announce: (attempt: Attempt) => void;
  /** Stores the token: only then does the browser show success. */
  readonly keep: (redeemed: Redeemed, attempt: Attempt) => Promise<Kept>;
}

/** A login by a person in the browser, from the callback listener to the stored token. @throws Failure of each step */
export async function byBrowser<Kept extends LoggedIn>(
  begun: BegunLogin<PersonLogin>,
  { announce, keep }: BrowserLogin<Kept>,
): Promise<Kept> {
  const { ports, discovery, request, consent } = begun;
  const { mode, listenAddress, redirectUri: chosen } = request.person;
  const { way, kept: registration } = await chooseClientWay(begun, false);
  const plan = planRedirect(begun, registration);
  await using listener = await openListener(ports, plan, listenAddress);
  const { redirectUri } = listener;
  const attempt = newAttempt({ begun, way, redirectUri, hasFixedPort: plan.hasFixedPort, byCode: false });
  // Where the user has to agree first, nothing is sent to the authorization server before.
  const isNew = way === 'dynamic' && (await keptRegistration(attempt)) === undefined;
  const asksFirst = isNew && consent !== undefined && mode === 'browser';
  if (!asksFirst) await attempt.identify();
  announce(attempt);
  try {
    const kept = await keep(await redeem(attempt, listener), attempt);
    if (chosen !== undefined) await keepChosenRedirectUri(ports, discovery.authorizationServer.issuer, chosen);
    await listener.finish('stored', kept);
    return kept;
  } catch (error) {
    await listener.finish(isFailure(error, 'denied') ? 'declined' : 'failed');
    await forgetRefusedClient(attempt, error);
    throw loginRefused(begun, error, { tried: attempt });
  } finally {
    ports.progress.end();
  }
}

/**
 * One authorization request, its response, and the token for it (rules 5.3 step 7, RFC 6749 section 4.1, RFC 7636, RFC
 * 9207): a fresh state and verifier for each browser that comes, kept in memory alone; exactly one response is redeemed.
 * @throws Failure `request_too_long`, `denied`, `authorization_refused`, `issuer_mismatch`, `callback_unusable`,
 * `login_timed_out`, or as `askForToken`
 */
async function redeem(attempt: Attempt, listener: CallbackListener): Promise<Redeemed> {
  const { begun, redirectUri } = attempt;
  const { ports, discovery, meant, request } = begun;
  const { person, signal } = request;
  const server = discovery.authorizationServer;
  const { authorizationEndpoint: endpoint } = server;
  if (endpoint === undefined) throw capabilityMissing(server.issuer, 'an authorization endpoint');
  // Where the HTTP client may not send a request, no browser is sent either.
  await ports.http.check({ url: endpoint, namedBy: discovery.zone, signal });
  if (person.mode === 'browser' && person.caller !== undefined) await loginBrakes(ports, meant).openTab();
  const requests = new AuthorizationRequests(attempt, endpoint);
  if (begun.consent === undefined) await requests.prepare();
  const response = await firstResponse(attempt, listener, requests).finally(() => noteIgnored(ports, listener));
  if (listener.doubtful) await askWhoseResponse(ports, signal);
  const { state, verifier } = requests.proofOf(response);
  const client = await attempt.identify();
  const result = await validateAuthorizationResponse(response, { server, state });
  const code = codeOf(attempt, result, response);
  ports.progress.begin('Redeeming the code');
  return await askForToken('redeem', { ...begun, client, signal }, { code, verifier, redirectUri });
}

/** The user may have opened the link in two browsers. Without a terminal the answer is no. */
async function askWhoseResponse({ terminal }: Pick<LoginPorts, 'terminal'>, signal: AbortSignal): Promise<void> {
  if (!terminal.interactive) throw linkTakenTwice();
  terminal.tell('The link that opens the login page was used by two browsers, or by another user of this machine.');
  const question = 'Was each of them you? Else you may be logged in as somebody else.';
  if (!(await saysYes(terminal, question, signal))) throw linkTakenTwice();
}

/** A response to another login, perhaps an earlier one, ends no wait; it is reported to the user. */
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
    note: 'Perhaps of an earlier login: close its tab, and log in again.',
  });
}

async function firstResponse(
  attempt: Attempt,
  listener: CallbackListener,
  { newRequest, failed }: AuthorizationRequests,
): Promise<AuthorizationResponse> {
  const { begun } = attempt;
  const { request, ports, consent, meant, discovery } = begun;
  const { deviceAuthorizationEndpoint } = discovery.authorizationServer;
  const { person } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  listener.arm({ newRequest, consent });
  const received = receiveResponse(ports, {
    ...person,
    ...{ listener, consent, signal },
    browser: request.browser ?? begun.held?.browser,
    byCode: deviceAuthorizationEndpoint && loginCommand(meant, '--device'),
    pageAdvice: pageAdvice(attempt),
  });
  try {
    return await Promise.race([received, failed, ...(person.overtaken ? [person.overtaken(signal)] : [])]);
  } catch (error) {
    // Where no response comes to a page that was shown, the page may be why.
    if (isFailure(error, 'login_timed_out') || request.signal.aborted) await forgetUnanswered(attempt);
    throw error;
  } finally {
    over.abort();
    await received.catch(() => undefined); // the prompt is gone before anything else is shown
  }
}

/** The code of a response, and the step on record; every other response is a failure. */
function codeOf(attempt: Attempt, result: AuthorizationResult, response: AuthorizationResponse): Secret {
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
      throw authorizationDenied(issuer, result, redirectRemedy(attempt, result.said));
    case 'unusable':
      record(result.why, 'failure');
      throw responseUnusable(result.why);
  }
}
