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
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import { resourceToSend } from '../oauth/discover.js';
import { thumbprintOf } from '../oauth/dpop/key.js';
import type { RequestToOpen } from './browser/one-time-link.js';
import type { LazyClient } from './client/identify-client.js';
import { redirectRemedy, type UsedRedirect } from './client/way-out.js';
import { requestNotTaken, requestTooLong } from './failures.js';
import type { BegunLogin, PersonLogin } from './ports.js';
import { askAsClient } from './redeem.js';

interface Attempt {
  readonly endpoint: string;
  readonly client: LazyClient;
  readonly redirect: UsedRedirect;
}

/** What proves that a response belongs to a request, and as whom it was sent. */
type SentRequest = Proof & { readonly clientId: string };

/**
 * The authorization requests of one login, each with a state and a verifier of its own: the address in the opener's
 * arguments is no secret, so a response has to show by which of our addresses it came.
 */
export class AuthorizationRequests {
  readonly #begun: BegunLogin<PersonLogin>;
  readonly #attempt: Attempt;
  readonly #sent = new Map<string, SentRequest>();
  #prepared: { readonly request: RequestToOpen; readonly until: number } | undefined;
  #fail = (_reason: unknown): void => {};
  /** Rejects when no request can be made, or none any more. */
  readonly failed: Promise<never>;

  constructor(begun: BegunLogin<PersonLogin>, attempt: Attempt) {
    this.#begun = begun;
    this.#attempt = attempt;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined); // whoever has won does not look at it any more
  }

  /**
   * Makes the first one, for whoever comes first: what is wrong with it shows before any browser opens.
   * @throws Failure `request_too_long`, `authorization_refused`, `callback_unusable`, or the HTTP client's
   */
  async prepare(): Promise<void> {
    this.#prepared = await this.#make();
  }

  /** The next request. Where there is none to be had, the login fails, or goes on with those that there are. */
  readonly newRequest = async (): Promise<RequestToOpen | undefined> => {
    const { clock, terminal } = this.#begun.ports;
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined && clock.monotonic() < prepared.until) return prepared.request;
    try {
      return (await this.#make()).request;
    } catch (error) {
      const goesOn = this.#sent.size > 0 && error instanceof Failure && error.code !== 'invalid_client';
      if (!goesOn) {
        // The browser that waits for the request waits for the outcome first, and is sent to it.
        setImmediate(() => this.#fail(error));
        return undefined;
      }
      terminal.tell(`The login page was not opened again. ${printable(error.message, 600)}`);
      throw error;
    }
  };

  /** The request that this response belongs to. */
  sentFor(response: AuthorizationResponse): SentRequest {
    const state = response.find(([name]) => name === 'state')?.[1] ?? '';
    const sent = this.#sent.get(state);
    if (sent === undefined) throw new Error('a response that is taken has a state of ours');
    return sent;
  }

  async #make(): Promise<{ readonly request: RequestToOpen; readonly until: number }> {
    const { ports, discovery, scopes, dpop, added, isNew, request } = this.#begun;
    const { page } = request;
    const isOffered = discovery.authorizationServer.promptValues.includes('select_account');
    const client = await this.#attempt.client.get();
    const { clientId } = client;
    const proof = await newProof();
    const { codeChallenge } = proof;
    const state = proof.state.reveal();
    const resource = resourceToSend(discovery);
    const { redirectUri } = this.#attempt.redirect;
    const parameters = authorizationRequestParameters({
      clientId,
      redirectUri,
      resource,
      scopes,
      state,
      codeChallenge,
      added: { ...usualParameters(discovery.authorizationServer.issuer), ...added },
      dpopKey: dpop && (await thumbprintOf(dpop.key)),
      page,
      choosesAccount: isNew.account && isOffered && page?.loginHint === undefined,
    });
    const { url, lifetimeMs } = await this.#addressOf(parameters, client);
    this.#sent.set(state, { ...proof, clientId });
    const until = ports.clock.monotonic() + (lifetimeMs ?? Number.POSITIVE_INFINITY);
    return { request: { state: proof.state, url, once: lifetimeMs !== undefined }, until };
  }

  /**
   * The address of a request: pushed first (RFC 9126) where the authorization server demands that, or where it would be
   * too long. A pushed one runs out, often within a minute, which is little for who copies it to another computer.
   */
  async #addressOf(
    parameters: AuthorizationParameters,
    client: ClientAuthentication,
  ): Promise<{ readonly url: string; readonly lifetimeMs?: number }> {
    const { endpoint } = this.#attempt;
    const { terminal } = this.#begun.ports;
    const { pushedAuthorizationRequestEndpoint: pushTo, requiresPushedRequests } =
      this.#begun.discovery.authorizationServer;
    const url = authorizationRequestUrl(endpoint, parameters);
    const isLong = url.length > longestAuthorizationRequest;
    if (pushTo === undefined || !(requiresPushedRequests || isLong)) {
      if (isLong) throw requestTooLong(url.length);
      return { url };
    }
    const { parameters: pushed, lifetimeMs } = await this.#push(pushTo, parameters, client);
    if (this.#begun.request.person.mode === 'no-browser') {
      terminal.tell(`The address can be opened within ${Math.floor(lifetimeMs / 1000)} seconds, once.`);
    }
    return { url: authorizationRequestUrl(endpoint, pushed), lifetimeMs };
  }

  async #push(
    endpoint: string,
    parameters: AuthorizationParameters,
    client: ClientAuthentication,
  ): Promise<PushedRequest> {
    const { ports, discovery } = this.#begun;
    const { authorizationServer: server, zone } = discovery;
    const { issuer } = server;
    ports.progress.begin('Sending the authorization request');
    const step = { name: 'pushed-authorization', asked: `POST ${endpoint}`, rule: 'RFC 9126 section 2' } as const;
    const request = { endpoint, issuer, zone, parameters, now: ports.clock.now(), signal: this.#begun.request.signal };
    const { result } = await askAsClient(server, client, (as) =>
      takeStep(ports, step, () => pushAuthorizationRequest(ports.http, { ...request, client: as })),
    );
    if (!result.ok) {
      ports.journal.record({ ...step, came: result.problem, verdict: 'failure' });
      const tried = { begun: this.#begun, client: this.#attempt.client.found, ...this.#attempt.redirect };
      throw requestNotTaken(issuer, result, redirectRemedy(tried, result.problem === 'refused' ? result.said : ''));
    }
    ports.journal.record({ ...step, came: 'a request_uri', verdict: 'pass' });
    return result.pushed;
  }
}
