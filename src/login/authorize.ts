import type { LoginMeant } from '../core/login-command.js';
import type { CorePorts, Terminal } from '../core/ports.js';
import type { HttpPorts } from '../http/request.js';
import {
  type AuthorizationCode,
  type AuthorizationResponse,
  type AuthorizationResult,
  validateAuthorizationResponse,
} from '../oauth/authorization-response.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import type { Discovery } from '../oauth/discover.js';
import { capabilityMissing } from '../oauth/failures.js';
import type { AuthorizationServer } from '../oauth/server-metadata.js';
import type { StorePorts } from '../stores/ports.js';
import { loginBrakes } from '../tokens/budget.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { linkTakenTwice } from './browser/failures.js';
import { receiveResponse } from './browser/receive-response.js';
import type { DeviceBeside } from './device/device-fallback.js';
import { authorizationDenied, responseFromAnotherIssuer, responseUnusable } from './failures.js';
import type { BrowserPorts, CallbackListener, LoginConsent, LoginRequest } from './ports.js';
import type { Authorization, Redeemed } from './redeem.js';

export interface AuthorizationRequest
  extends Pick<LoginRequest, 'mode' | 'availability' | 'caller' | 'overtaken' | 'timeoutMs' | 'signal'> {
  readonly discovery: Discovery;
  readonly login: LoginMeant;
  /** Identifies the client: where a person is to agree first, nothing does before. */
  readonly client: () => Promise<ClientAuthentication>;
  readonly scopes: readonly string[];
  readonly listener: CallbackListener;
  /** What a person is to agree to first; undefined: a person typed the login, or knows server and issuer. */
  readonly consent: LoginConsent | undefined;
  /** What to do where the page shows an error: it sends no answer then. */
  readonly whenPageFails: string;
  /** Shown beside the address where no browser was opened. */
  readonly beside: DeviceBeside;
}

/**
 * One authorization request and its answer (rules 5.3 step 7, RFC 6749 section 4.1, RFC 7636, RFC 9207): a fresh
 * state and verifier for each browser that comes, kept in memory alone; exactly one answer is redeemed. Or a token, where the person typed the code that stood beside
 * the address before any answer came.
 * @throws Failure `request_too_long`, `denied`, `authorization_refused`, `issuer_mismatch`, `callback_unusable`,
 * `login_timed_out`
 */
export async function authorize(
  ports: Pick<HttpPorts, 'http'> &
    Pick<StorePorts, 'attempts'> &
    Pick<BrowserPorts, 'browser'> &
    Pick<CorePorts, 'terminal' | 'journal' | 'progress' | 'clock'>,
  request: AuthorizationRequest,
): Promise<Authorization | Redeemed> {
  const { discovery, listener } = request;
  const server = discovery.authorizationServer;
  const { authorizationEndpoint } = server;
  if (authorizationEndpoint === undefined) {
    throw capabilityMissing(server.issuer, 'an authorization endpoint');
  }
  // The browser is no way around the HTTP client: where it may not send a request, nobody is sent.
  await ports.http.check({ url: authorizationEndpoint, namedBy: discovery.zone, signal: request.signal });
  if (request.mode === 'browser' && request.caller !== undefined) await loginBrakes(ports, request.login).openTab();
  const requests = new AuthorizationRequests(ports, { ...request, endpoint: authorizationEndpoint });
  // What a person has to agree to first sends nothing to the authorization server before.
  if (request.consent === undefined) await requests.prepare();
  const answer = await firstResponse(ports, request, requests).finally(() => noteIgnored(ports, listener));
  if ('token' in answer) return answer;
  if (listener.doubtful) await askWhoseAnswer(ports.terminal, request.signal);
  const { state, verifier, clientId } = requests.sentFor(answer);
  const code = codeOf(ports, server, await validateAuthorizationResponse(answer, { server, clientId, state }));
  return { code, verifier };
}

/** The person may have opened the link in two browsers. Nobody there to ask means no. */
async function askWhoseAnswer(terminal: Terminal, signal: AbortSignal): Promise<void> {
  if (!terminal.interactive) throw linkTakenTwice();
  terminal.tell('The link that opens the login page was used by two browsers, or by another user of this machine.');
  const question = 'Was each of them you? Else you may be logged in as somebody else. [y/N] ';
  const typed = await terminal.ask(question, { hidden: false, signal });
  if (!/^\s*y(?:es)?\s*$/i.test(typed ?? '')) throw linkTakenTwice();
}

/** An answer to another login, an earlier one perhaps, ends no wait; whoever waited in vain wants to know of it. */
function noteIgnored({ journal }: Pick<CorePorts, 'journal'>, { ignored, redirectUri }: CallbackListener): void {
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

/** From the callback, the terminal or the code beside: the first one ends the others. */
async function firstResponse(
  ports: Pick<BrowserPorts, 'browser'> & Pick<CorePorts, 'terminal' | 'clock' | 'progress'>,
  request: AuthorizationRequest,
  requests: AuthorizationRequests,
): Promise<AuthorizationResponse | Redeemed> {
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const { newRequest } = requests;
  const received = receiveResponse(ports, { ...request, newRequest, beside: request.beside.begin, signal });
  try {
    const overtaken = request.overtaken?.(signal);
    return await Promise.race([received, requests.failed, request.beside.redeemed, ...(overtaken ? [overtaken] : [])]);
  } finally {
    over.abort();
    await received.catch(() => undefined); // the prompt is gone before anything else is shown
  }
}

/** The code of an answer, and the step on record; every other answer is a failure. */
function codeOf(
  ports: Pick<CorePorts, 'journal'>,
  server: AuthorizationServer,
  judged: AuthorizationResult,
): AuthorizationCode {
  const record = (came: string, verdict: 'pass' | 'failure', rule = 'R-2.5b') =>
    ports.journal.record({
      name: 'authorization',
      asked: `GET ${server.authorizationEndpoint}`,
      came,
      rule,
      verdict,
    });
  if (judged.ok) {
    record('a code, with our state', 'pass');
    return judged.code;
  }
  switch (judged.problem) {
    case 'other_issuer':
      record(judged.found === undefined ? 'no iss' : `iss ${judged.found}`, 'failure', 'RFC 9207 section 2.4');
      throw responseFromAnotherIssuer(server.issuer, judged.found);
    case 'refused':
      record(`error ${judged.error}`, 'failure');
      throw authorizationDenied(server.issuer, judged.error, judged.said);
    case 'unusable':
      record(judged.why, 'failure');
      throw responseUnusable(judged.why);
  }
}
