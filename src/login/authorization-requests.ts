import { Failure } from '../core/failure.js';
import { takeStep } from '../core/ports.js';
import { printable } from '../core/text/printable.js';
import {
  type AuthorizationParameters,
  authorizationRequestParameters,
  authorizationRequestUrl,
  longestAuthorizationRequest,
  newProof,
  type Proof,
  type PushedRequest,
  pushAuthorizationRequest,
  usualParameters,
} from '../oauth/authorization-request.js';
import type { AuthorizationResponse } from '../oauth/authorization-response.js';
import { resourceToSend } from '../oauth/discover.js';
import { thumbprintOf } from '../oauth/dpop/key.js';
import type { RequestToOpen } from './browser/one-time-link.js';
import type { Attempt } from './client/identify-client.js';
import { redirectRemedy } from './client/way-out.js';
import { requestNotTaken, requestTooLong } from './failures.js';
import { askAsClient } from './redeem.js';

interface Made {
  readonly request: RequestToOpen;
  /** Until it runs out, on the monotonic clock. */
  readonly until: number;
}

/**
 * The authorization requests of one login, each with a state and a verifier of its own: the address in the opener's
 * arguments is no secret, so a response has to show by which of our addresses it came.
 */
export class AuthorizationRequests {
  readonly #attempt: Attempt;
  readonly #endpoint: string;
  readonly #proofs = new Map<string, Proof>();
  #prepared: Made | undefined;
  #fail = (_reason: unknown): void => {};
  /** Rejects if no request can be made, or none any more. */
  readonly failed: Promise<never>;

  constructor(attempt: Attempt, endpoint: string) {
    this.#attempt = attempt;
    this.#endpoint = endpoint;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined); // the login may end without anyone waiting for it
  }

  /**
   * Makes the first one ahead of time: what is wrong with it shows before any browser opens.
   * @throws Failure `request_too_long`, `authorization_refused`, `callback_unusable`, or the HTTP client's
   */
  async prepare(): Promise<void> {
    this.#prepared = await this.#make();
  }

  /** The next request. If it cannot be made, the login goes on with those that were, or fails. */
  readonly newRequest = async (): Promise<RequestToOpen> => {
    const { clock, terminal } = this.#attempt.begun.ports;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined && clock.monotonic() < prepared.until) return prepared.request;
    try {
      return (await this.#make()).request;
    } catch (error) {
      const goesOn = this.#proofs.size > 0 && error instanceof Failure && error.code !== 'invalid_client';
      if (goesOn) terminal.tell(`The login page was not opened again. ${printable(error.message, 600)}`);
      else setImmediate(() => this.#fail(error)); // once the browser has its page
      throw error;
    }
  };

  /** State and verifier of the request that this response belongs to. */
  proofOf(response: AuthorizationResponse): Proof {
    const proof = this.#proofs.get(response.find(([name]) => name === 'state')?.[1] ?? '');
    if (proof === undefined) throw new Error('a response that is taken has a state of ours');
    return proof;
  }

  async #make(): Promise<Made> {
    const { begun, redirectUri } = this.#attempt;
    const { ports, discovery, scopes, dpop, added, isNew, request } = begun;
    const { page } = request;
    const { issuer, promptValues } = discovery.authorizationServer;
    const { clientId } = await this.#attempt.identify();
    const proof = await newProof();
    const parameters = authorizationRequestParameters({
      ...{ clientId, redirectUri, scopes, page },
      resource: resourceToSend(discovery),
      state: proof.state.reveal(),
      codeChallenge: proof.codeChallenge,
      added: { ...usualParameters(issuer), ...added },
      dpopKey: dpop && (await thumbprintOf(dpop.key)),
      choosesAccount: isNew.account && promptValues.includes('select_account') && page?.loginHint === undefined,
    });
    const { url, lifetimeMs } = await this.#addressOf(parameters);
    this.#proofs.set(proof.state.reveal(), proof);
    const until = ports.clock.monotonic() + (lifetimeMs ?? Number.POSITIVE_INFINITY);
    return { request: { state: proof.state, url, once: lifetimeMs !== undefined }, until };
  }

  /**
   * The address of a request: pushed first (RFC 9126) if the authorization server demands that, or if it would be too
   * long. A pushed one expires, often within a minute, which is little time to copy it to another computer.
   */
  async #addressOf(
    parameters: AuthorizationParameters,
  ): Promise<{ readonly url: string; readonly lifetimeMs?: number }> {
    const { ports, discovery, request } = this.#attempt.begun;
    const { pushedAuthorizationRequestEndpoint: pushTo, requiresPushedRequests } = discovery.authorizationServer;
    const url = authorizationRequestUrl(this.#endpoint, parameters);
    const isLong = url.length > longestAuthorizationRequest;
    if (pushTo === undefined || !(requiresPushedRequests || isLong)) {
      if (isLong) throw requestTooLong(url.length);
      return { url };
    }
    const { parameters: pushed, lifetimeMs } = await this.#push(pushTo, parameters);
    if (request.person.mode === 'no-browser') {
      ports.terminal.tell(`The address can be opened within ${Math.floor(lifetimeMs / 1000)} seconds, once.`);
    }
    return { url: authorizationRequestUrl(this.#endpoint, pushed), lifetimeMs };
  }

  async #push(endpoint: string, parameters: AuthorizationParameters): Promise<PushedRequest> {
    const { ports, discovery, request } = this.#attempt.begun;
    const { authorizationServer: server, zone } = discovery;
    const { issuer } = server;
    ports.progress.begin('Sending the authorization request');
    const step = { name: 'pushed-authorization', asked: `POST ${endpoint}`, rule: 'RFC 9126 section 2' } as const;
    const push = { endpoint, issuer, zone, parameters, now: ports.clock.now(), signal: request.signal };
    const { result } = await askAsClient(server, await this.#attempt.identify(), (client) =>
      takeStep(ports, step, () => pushAuthorizationRequest(ports.http, { ...push, client })),
    );
    if (!result.ok) {
      ports.journal.record({ ...step, came: result.problem, verdict: 'failure' });
      const said = result.problem === 'refused' ? result.said : '';
      throw requestNotTaken(issuer, result, redirectRemedy(this.#attempt, said));
    }
    ports.journal.record({ ...step, came: 'a request_uri', verdict: 'pass' });
    return result.pushed;
  }
}
