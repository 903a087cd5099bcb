import {
  answerFromAnotherIssuer,
  answerUnusable,
  authorizationDenied,
  requestTooLong,
} from '../../errors/authorization.js';
import { linkTakenTwice, tooManyTabs } from '../../errors/callback.js';
import type { CallbackListener, Ports } from '../../ports.js';
import type { Seat } from '../../primitives/seat.js';
import type { Secret } from '../../primitives/secret.js';
import {
  authorizationRequestUrl,
  longestAuthorizationRequest,
} from '../../protocol/oauth/authorization-request.js';
import { judgeAuthorizationAnswer } from '../../protocol/oauth/authorization-response.js';
import { newProof } from '../../protocol/oauth/proof-key.js';
import type { Discovery } from '../discovery/discover.js';
import { receiveAnswer } from '../receive-answer.js';

/** Tabs that may be opened for one server within an hour while nobody answers. */
const mostTabs = 3;

export interface Authorization {
  readonly code: Secret;
  readonly verifier: Secret;
}

/**
 * One authorization request and its answer (rules 5.3 step 7, RFC 6749 section 4.1, RFC 7636, RFC 9207): fresh state
 * and verifier for each attempt, kept in memory alone.
 * @throws Failure `request_too_long`, `denied`, `authorization_refused`, `issuer_mismatch`, `callback_unusable`,
 * `login_timed_out`
 */
export async function authorize(
  ports: Pick<Ports, 'door' | 'attempts' | 'browser' | 'terminal' | 'journal' | 'progress' | 'clock'>,
  request: {
    readonly discovery: Discovery;
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly listener: CallbackListener;
    readonly mode: 'browser' | 'no-browser';
    readonly seat: Seat;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  },
): Promise<Authorization> {
  const { discovery, listener, clientId, scopes } = request;
  const server = discovery.authorizationServer;
  const proof = await newProof();
  const { redirectUri } = listener;
  const { resource } = discovery.protectedResource;
  const { codeChallenge } = proof;
  const state = proof.state.reveal();
  const url = authorizationRequestUrl(server, {
    clientId,
    redirectUri,
    resource,
    scopes,
    state,
    codeChallenge,
  });
  if (url.length > longestAuthorizationRequest) {
    throw requestTooLong(url.length, ports.journal.steps);
  }
  // The browser is no way around the door: where it may not send a request, nobody is sent.
  const { authorizationEndpoint } = server;
  await ports.door.check({ url: authorizationEndpoint, namedBy: discovery.zone, signal: request.signal });
  const tabs = `tab ${discovery.server}`;
  if (request.mode === 'browser') {
    if (!(await ports.attempts.take(tabs, mostTabs))) {
      throw tooManyTabs(discovery.server, mostTabs);
    }
    ports.progress.begin('Waiting for the answer in the browser');
  }
  const answer = await receiveAnswer(ports, {
    ...request,
    listener,
    state: proof.state,
    authorizationUrl: url,
  });
  if (request.mode === 'browser') {
    await ports.attempts.forget(tabs);
  }
  if (listener.linkTakenTwice) {
    throw linkTakenTwice();
  }
  const judged = judgeAuthorizationAnswer(answer, server);
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
    return { code: judged.code, verifier: proof.verifier };
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
