import { Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { takeStep } from '../core/ports.js';
import { printable } from '../core/text/printable.js';
import type { HttpPorts } from '../http/request.js';
import {
  authorizationRequestParameters,
  authorizationRequestUrl,
  longestAuthorizationRequest,
  newProof,
  type Proof,
  pushAuthorizationRequest,
  pushedRequestParameters,
} from '../oauth/authorization-request.js';
import type { AuthorizationResponse } from '../oauth/authorization-response.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import type { Discovery } from '../oauth/discover.js';
import { requestNotTaken, requestTooLong } from './failures.js';
import type { CallbackListener, RequestToOpen } from './ports.js';
import { askAsClient } from './redeem.js';

/** What all requests of one login have in common. */
interface Common {
  readonly discovery: Discovery;
  readonly endpoint: string;
  readonly client: () => Promise<ClientAuthentication>;
  readonly scopes: readonly string[];
  readonly listener: CallbackListener;
  readonly mode: 'browser' | 'no-browser';
  readonly signal: AbortSignal;
}

/** What proves that a response belongs to a request, and as whom it was sent. */
type SentRequest = Proof & { readonly clientId: string };

type Needs = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'terminal' | 'journal' | 'progress' | 'clock'>;

/**
 * The authorization requests of one login, each with a state and a verifier of its own: the address in the opener's
 * arguments is no secret, so that an answer has to tell by which of our addresses it came.
 */
export class AuthorizationRequests {
  readonly #ports: Needs;
  readonly #common: Common;
  readonly #sent = new Map<string, SentRequest>();
  #prepared: { readonly request: RequestToOpen; readonly until: number } | undefined;
  #isAnyMade = false;
  #fail = (_reason: unknown): void => {};
  /** Rejects when no request can be made, or none any more. */
  readonly failed: Promise<never>;

  constructor(ports: Needs, common: Common) {
    this.#ports = ports;
    this.#common = common;
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
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined && this.#ports.clock.monotonic() < prepared.until) return prepared.request;
    try {
      return (await this.#make()).request;
    } catch (error) {
      const goesOn = this.#isAnyMade && error instanceof Failure && error.code !== 'invalid_client';
      if (!goesOn) {
        // The browser that waits for the request waits for the outcome first, and is told of it.
        setImmediate(() => this.#fail(error));
        return undefined;
      }
      this.#ports.terminal.tell(`The login page was not opened again. ${printable(error.message, 600)}`);
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
    const { listener, discovery, scopes } = this.#common;
    const client = await this.#common.client();
    const proof = await newProof();
    const parameters = authorizationRequestParameters({
      clientId: client.clientId,
      redirectUri: listener.redirectUri,
      resource: discovery.protectedResource.resource,
      scopes,
      state: proof.state.reveal(),
      codeChallenge: proof.codeChallenge,
    });
    const { url, lifetimeMs } = await requestAddress(this.#ports, { ...this.#common, client }, parameters);
    this.#sent.set(proof.state.reveal(), { ...proof, clientId: client.clientId });
    this.#isAnyMade = true;
    const once = lifetimeMs !== undefined;
    const until = once ? this.#ports.clock.monotonic() + lifetimeMs : Number.POSITIVE_INFINITY;
    return { request: { state: proof.state, url, once }, until };
  }
}

/**
 * The address of a request: pushed first (RFC 9126) where the authorization server demands that, or where it would be
 * too long. Elsewhere a request that is only offered would cost a person nothing less, and make the address one that
 * runs out, often within a minute, which is little for somebody who copies it to another computer.
 */
async function requestAddress(
  ports: Needs,
  {
    discovery,
    client,
    endpoint,
    mode,
    signal,
  }: Omit<Common, 'client'> & {
    readonly client: ClientAuthentication;
  },
  parameters: readonly (readonly [string, string])[],
): Promise<{ readonly url: string; readonly lifetimeMs?: number }> {
  const server = discovery.authorizationServer;
  const url = authorizationRequestUrl(endpoint, parameters);
  const isLong = url.length > longestAuthorizationRequest;
  const pushTo = server.pushedAuthorizationRequestEndpoint;
  if (pushTo === undefined || !(server.requiresPushedRequests || isLong)) {
    if (isLong) throw requestTooLong(url.length);
    return { url };
  }
  ports.progress.begin('Sending the authorization request');
  const step = { name: 'pushed-authorization', asked: `POST ${pushTo}`, rule: 'RFC 9126 section 2' } as const;
  const { issuer } = server;
  const { judged } = await askAsClient(server, client, (as) =>
    takeStep(ports, step, () =>
      pushAuthorizationRequest(ports.http, {
        endpoint: pushTo,
        issuer,
        zone: discovery.zone,
        client: as,
        parameters,
        now: ports.clock.now(),
        signal,
      }),
    ),
  );
  if (!judged.ok) {
    ports.journal.record({ ...step, came: judged.problem, verdict: 'failure' });
    throw requestNotTaken(issuer, judged);
  }
  const { requestUri, lifetimeMs } = judged.pushed;
  ports.journal.record({ ...step, came: 'a request_uri', verdict: 'pass' });
  if (mode === 'no-browser') {
    ports.terminal.tell(`The address can be opened within ${Math.floor(lifetimeMs / 1000)} seconds, once.`);
  }
  return {
    url: authorizationRequestUrl(endpoint, pushedRequestParameters(client.clientId, requestUri)),
    lifetimeMs,
  };
}
