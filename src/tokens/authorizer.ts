import { ignoreFailure } from '../core/failure.js';
import type { SecretHeader } from '../core/secret.js';
import { bearerChallenge } from '../oauth/challenge.js';
import { proveAddress, type RequestToken } from './credential-target.js';
import type { ProofChange, ProofResponse } from './login-proofs.js';
import { afterRefusal, bindingNeeded, requestNotKept, scopeRefused, tokenRefusedByServer } from './request-failures.js';
import { serverWords } from './server-words.js';
import { type WantedScope, wantedScope } from './step-up.js';
import type { TokenInUse } from './token-in-use.js';

/** Step-ups for one request, whatever the budget of the hour still holds (rule 5.6). */
const maxStepUps = 3;

/** A request to the protected server, as far as its token goes. */
export interface ProtectedTarget {
  readonly url: string;
  readonly method: string;
  /** What it does, for counting step-ups (rule 5.6). */
  operation(): string;
  /** Can its body be sent again? Asked once it was refused. */
  repeatable(): boolean;
  /** `host`: the server itself has named this address for messages, on its own origin (older transport). */
  reach?(): 'server' | 'host';
}

/** A target with a token on it. */
export interface AuthorizedRequest {
  readonly target: ProtectedTarget;
  /** Undefined without a login, which not every server asks for. */
  readonly token: RequestToken | undefined;
  /** To be put on the request, in the place of headers of these names: the token, and what the server wants beside it. */
  readonly own: readonly SecretHeader[];
  readonly tries: Tries;
  /** To be told of a success whose head is there long before its end; absent: nobody asks. */
  readonly succeeded?: (header: (name: string) => string | undefined) => void;
}

/** What was tried for a request so far. */
interface Tries {
  /** Was another token refused with a 401? */
  readonly refreshed: boolean;
  readonly stepUps: number;
  readonly helped?: () => Promise<void>;
  /** What was another in its proofs, where the token is bound to a key. */
  readonly proofs?: readonly ProofChange[] | undefined;
}

const noTries: Tries = { refreshed: false, stepUps: 0 };

export interface RefusalHead extends ProofResponse {
  /** Where it was read. */
  readonly body?: Uint8Array | undefined;
}

/** Where the tokens come from. The authorizer decides when another one is asked for, this one how it is got. */
export type TokenSource = Pick<
  TokenInUse,
  'meant' | 'current' | 'replace' | 'widen' | 'accepted' | 'doubt' | 'withoutToken'
>;

/** Puts tokens on requests: the only code that does. One refresh and three step-ups for a request at most. */
export class Authorizer {
  readonly #tokens: TokenSource;

  constructor(tokens: TokenSource) {
    this.#tokens = tokens;
  }

  /**
   * The request with the login's token. The stored item has to be for exactly its server, query included, or an address
   * above it, whatever name, index or option led to that item.
   * @param signal Ends the waiting of this request alone.
   * @throws Failure `token_not_for_url`, `login_needed`, `login_expired`, or the store's and HTTP client's; rejects with them
   */
  authorize(target: ProtectedTarget, signal?: AbortSignal): AuthorizedRequest | Promise<AuthorizedRequest> {
    try {
      const token = this.#tokens.current(target, signal);
      return token instanceof Promise
        ? token.then((ready) => this.#with(target, ready, noTries))
        : this.#with(target, token, noTries);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * To be called with each response. The same request once more with another token; undefined, or resolving to it after a
   * success: this response is final.
   * @throws Failure `token_refused`, `login_expired`, `login_needed`, `insufficient_scope`, `scope_refused`, …
   */
  retry(
    request: AuthorizedRequest,
    response: RefusalHead,
    signal?: AbortSignal,
  ): Promise<AuthorizedRequest | undefined> | undefined {
    const { status, challenges, body } = response;
    request.token?.bound?.learn(request.target.url, response, request.tries.proofs?.at(-1));
    if (status < 300) return this.#accepted(request);
    const isRefused = status === 401 || (request.token !== undefined && namesInvalidToken(response));
    if (isRefused) return this.#afterRefusal(request, response, signal);
    const wanted = status === 403 ? wantedScope(challenges, body) : undefined;
    return wanted && this.#afterForbidden(request, wanted, signal);
  }

  #accepted({ token, tries: { helped } }: AuthorizedRequest): Promise<undefined> | undefined {
    const noted = token && this.#tokens.accepted(token);
    if (noted === undefined && helped === undefined) return undefined;
    // A request that went well does not fail for a count.
    return Promise.all([noted, helped?.()]).then(() => undefined, ignoreFailure);
  }

  async #afterRefusal(
    { target, token, tries }: AuthorizedRequest,
    refusal: RefusalHead,
    signal?: AbortSignal,
  ): Promise<AuthorizedRequest> {
    try {
      const { proofs = [] } = tries;
      const change = token?.bound?.afterRefusal(target.url, refusal, proofs);
      // It is the proof that was refused, or its absence: the token is as good as it was.
      if (token && change) return this.#again(target, token, { ...tries, proofs: [...proofs, change] });
      // Another token without a key would be refused, too.
      if (token && !token.bound && asksForProofs(refusal)) throw bindingNeeded(this.#tokens.meant);
      if (tries.refreshed) {
        this.#tokens.doubt(token);
        throw tokenRefusedByServer(this.#tokens.meant);
      }
      const other = await this.#tokens.replace(token, signal, { url: target.url, ...refusal });
      return this.#again(target, other, { ...tries, proofs: undefined, refreshed: token !== undefined });
    } catch (error) {
      throw afterRefusal(error, serverWords(refusal));
    }
  }

  async #afterForbidden(
    { target, token, tries }: AuthorizedRequest,
    wanted: WantedScope,
    signal?: AbortSignal,
  ): Promise<AuthorizedRequest> {
    if (token === undefined) return this.#again(target, await this.#tokens.replace(undefined, signal), tries);
    const { refreshed, stepUps } = tries;
    if (stepUps === maxStepUps) throw scopeRefused(this.#tokens.meant.server, wanted.scopes);
    const wider = await this.#tokens.widen(token, { wanted, operation: target.operation(), stepUps }, signal);
    return this.#again(target, wider.token, { refreshed, stepUps: stepUps + 1, helped: () => wider.helped() });
  }

  /** A body that was not kept is never sent twice; the better token is for the next request then. */
  #again(target: ProtectedTarget, token: RequestToken, tries: Tries): AuthorizedRequest {
    if (!target.repeatable()) throw requestNotKept(this.#tokens.meant);
    return this.#with(target, token, tries);
  }

  /**
   * The last step before a request leaves. It makes one small object and spreads none: the collector keeps those that the
   * proxy would spread for each request, 25 MB of them.
   * @throws Failure `token_not_for_url`
   */
  #with(target: ProtectedTarget, token: RequestToken | undefined, tries: Tries): AuthorizedRequest {
    const { url } = target;
    if (token === undefined) return { target, token, own: this.#withoutToken(target), tries };
    if (!token.proven.has(url)) {
      proveAddress(token, url, target.reach?.());
      if (token.proven.size < maxProven) token.proven.add(url);
    }
    const { bound } = token;
    if (bound === undefined) return { target, token, own: token.own, tries };
    const sent = bound.isBare && tries.proofs === undefined ? { ...tries, proofs: [bare] } : tries;
    const change = sent.proofs?.at(-1);
    const own = bound.headers({ method: target.method, url, token: token.accessToken }, change, token.own);
    const succeeded = (header: (name: string) => string | undefined) =>
      bound.learn(url, { status: 200, challenges: [], header }, change);
    return { target, token, own, tries: sent, succeeded };
  }

  /** The same once more, as its connection broke before a response: with a proof of its own, which a server takes once. */
  repeat(request: AuthorizedRequest): AuthorizedRequest {
    const { target, token, tries } = request;
    return token?.bound === undefined ? request : this.#with(target, token, tries);
  }

  /** What was given for this run goes to its server alone, too. */
  #withoutToken({ url, reach }: ProtectedTarget): readonly SecretHeader[] {
    const { withoutToken, meant } = this.#tokens;
    if (withoutToken.length > 0) proveAddress({ server: meant.server }, url, reach?.());
    return withoutToken;
  }
}

/** Some servers use another status than 401 for this (RFC 6750 section 3.1). */
function namesInvalidToken({ status, challenges }: RefusalHead): boolean {
  if (status !== 400 && status !== 403) return false;
  const challenge = bearerChallenge(challenges);
  return challenge.kind === 'bearer' && challenge.error === 'invalid_token';
}

/** Is DPoP the only scheme it names? */
function asksForProofs({ challenges }: RefusalHead): boolean {
  const challenge = bearerChallenge(challenges);
  return challenge.kind === 'bearer' && challenge.scheme === 'dpop';
}

const bare = { kind: 'bearer' } as const;

/** Addresses that are remembered as proven for one token: most programs ask for the same few. */
const maxProven = 64;
