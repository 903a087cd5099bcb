import {
  answerFromAnotherIssuer,
  answerUnusable,
  authorizationDenied,
  requestTooLong,
} from '../../errors/authorization.js';
import { linkTakenTwice, tooManyTabs } from '../../errors/callback.js';
import { capabilityMissing } from '../../errors/discovery.js';
import type { AuthorizationAnswer, CallbackListener, Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import type { Seat } from '../../primitives/seat.js';
import type { Secret } from '../../primitives/secret.js';
import {
  authorizationRequestUrl,
  longestAuthorizationRequest,
} from '../../protocol/oauth/authorization-request.js';
import {
  type AuthorizationJudgement,
  judgeAuthorizationAnswer,
} from '../../protocol/oauth/authorization-response.js';
import type { AuthorizationServer } from '../../protocol/oauth/authorization-server-metadata.js';
import { newProof } from '../../protocol/oauth/proof-key.js';
import type { Discovery } from '../discovery/discover.js';
import { receiveAnswer } from '../receive-answer.js';
import type { DeviceBeside } from './device-beside.js';
import type { Redeemed } from './redeem.js';

/** Tabs that may be opened for one server within an hour while nobody answers. */
const mostTabs = 3;

export interface Authorization {
  readonly code: Secret;
  readonly verifier: Secret;
}

export interface AuthorizationRequest {
  readonly discovery: Discovery;
  readonly login: LoginMeant;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly listener: CallbackListener;
  /** Shown beside the address where no browser was opened. */
  readonly beside: DeviceBeside;
  readonly mode: 'browser' | 'no-browser';
  readonly seat: Seat;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * One authorization request and its answer (rules 5.3 step 7, RFC 6749 section 4.1, RFC 7636, RFC 9207): fresh state
 * and verifier for each attempt, kept in memory alone. Or a token, where the person typed the code that stood beside
 * the address before any answer came.
 * @throws Failure `request_too_long`, `denied`, `authorization_refused`, `issuer_mismatch`, `callback_unusable`,
 * `login_timed_out`
 */
export async function authorize(
  ports: Pick<Ports, 'door' | 'attempts' | 'browser' | 'terminal' | 'journal' | 'progress' | 'clock'>,
  request: AuthorizationRequest,
): Promise<Authorization | Redeemed> {
  const { discovery, listener } = request;
  const server = discovery.authorizationServer;
  const { authorizationEndpoint } = server;
  if (authorizationEndpoint === undefined) {
    throw capabilityMissing(server.issuer, 'an authorization endpoint', ports.journal.steps);
  }
  const proof = await newProof();
  const authorizationUrl = authorizationRequestUrl(authorizationEndpoint, {
    clientId: request.clientId,
    redirectUri: listener.redirectUri,
    resource: discovery.protectedResource.resource,
    scopes: request.scopes,
    state: proof.state.reveal(),
    codeChallenge: proof.codeChallenge,
  });
  if (authorizationUrl.length > longestAuthorizationRequest) {
    throw requestTooLong(authorizationUrl.length, ports.journal.steps);
  }
  // The browser is no way around the door: where it may not send a request, nobody is sent.
  await ports.door.check({ url: authorizationEndpoint, namedBy: discovery.zone, signal: request.signal });
  const tabs = `tab ${discovery.server}`;
  if (request.mode === 'browser') {
    if (!(await ports.attempts.take(tabs, mostTabs))) {
      throw tooManyTabs(request.login, mostTabs);
    }
    ports.progress.begin('Waiting for the answer in the browser');
  }
  const answer = await firstAnswer(ports, { ...request, state: proof.state, authorizationUrl });
  if (request.mode === 'browser') {
    await ports.attempts.forget(tabs);
  }
  if ('token' in answer) {
    return answer;
  }
  if (listener.linkTakenTwice) {
    throw linkTakenTwice();
  }
  const code = codeOf(ports, server, judgeAuthorizationAnswer(answer, server));
  return { code, verifier: proof.verifier };
}

/** From the callback, the terminal or the code beside: the first one ends the others. */
async function firstAnswer(
  ports: Pick<Ports, 'browser' | 'terminal' | 'clock'>,
  request: AuthorizationRequest & { readonly state: Secret; readonly authorizationUrl: string },
): Promise<AuthorizationAnswer | Redeemed> {
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const received = receiveAnswer(ports, { ...request, beside: request.beside.begin, signal });
  try {
    return await Promise.race([received, request.beside.redeemed]);
  } finally {
    over.abort();
    await received.catch(() => undefined); // the prompt is gone before anything else is shown
  }
}

/** The code of an answer, and the step on record; every other answer is a failure. */
function codeOf(
  ports: Pick<Ports, 'journal'>,
  server: AuthorizationServer,
  judged: AuthorizationJudgement,
): Secret {
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
      record(
        judged.found === undefined ? 'no iss' : `iss ${judged.found}`,
        'failure',
        'RFC 9207 section 2.4',
      );
      throw answerFromAnotherIssuer(server.issuer, judged.found, ports.journal.steps);
    case 'refused':
      record(`error ${judged.error}`, 'failure');
      throw authorizationDenied(server.issuer, judged.error, judged.said, ports.journal.steps);
    case 'unusable':
      record(judged.why, 'failure');
      throw answerUnusable(judged.why, ports.journal.steps);
  }
}
