import type { LoginRecord } from '../core/records.js';
import { Secret, type SecretHeader } from '../core/secret.js';
import { withSecretHeaders } from '../core/text/secret-headers.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/request.js';
import { bearerChallenge, dpopChallenge } from '../oauth/challenge.js';
import { isProofProblem, Proofs, proofRefused } from '../oauth/dpop/proofs.js';
import type { StoredCredential } from '../stores/credential-item.js';

/** What changes after a refusal: the nonce, the clock, no proof at all (`bearer`), or one after all (`dpop`). */
export type ProofChange =
  | { readonly kind: 'nonce'; readonly nonce: string }
  | { readonly kind: 'clock' | 'bearer' | 'dpop' };

/** The head of a response. */
export interface ProofResponse {
  readonly status: number;
  readonly challenges: readonly string[];
  /** The first value of a header; `name` is in lower case. */
  header?(name: string): string | undefined;
}

/**
 * The proofs of one login whose tokens are bound to its key (RFC 9449) while a command runs: its nonces and what its server
 * takes outlive its tokens.
 */
export class LoginProofs {
  readonly #server: string;
  /** Without a proof the token goes only where a 401 does not say what is taken. */
  readonly #isRequired: boolean;
  readonly #proofs: Proofs;
  #authorization: { readonly token: string; readonly header: SecretHeader } | undefined;
  #isBare: boolean;
  /** The server has taken a proof: from then on the token never goes without one. */
  #isTaken: boolean;

  constructor(
    { binding, dpopRequired }: StoredCredential,
    key: Secret,
    about: { readonly schemeTaken?: LoginRecord['schemeTaken']; readonly now: () => number },
  ) {
    this.#server = binding.server;
    this.#isRequired = dpopRequired === true;
    this.#isBare = about.schemeTaken === 'bearer';
    this.#isTaken = about.schemeTaken === 'dpop';
    this.#proofs = new Proofs(key, about.now, { isRequired: true });
  }

  /**
   * The server knows no proofs: it takes the bound token as a Bearer token (RFC 9449 section 7.2), and a request begins with
   * the change `bearer`.
   */
  get isBare(): boolean {
    return this.#isBare;
  }

  /** The headers of one request: a fresh proof each time. @param own As the Bearer token has them */
  headers(
    request: { readonly method: string; readonly url: string; readonly token: Secret },
    change: ProofChange | undefined,
    own: readonly SecretHeader[],
  ): readonly SecretHeader[] {
    if (change?.kind === 'bearer') return own;
    const proof = this.#proofs.proof(request, change?.kind === 'nonce' ? change.nonce : undefined);
    return [this.#authorizationOf(request.token), { name: 'dpop', value: proof }, ...own.slice(1)];
  }

  /** Learns what a response says about proofs. @param change That of its request */
  learn(url: string, { status, header }: ProofResponse, change: ProofChange | undefined): void {
    this.#proofs.learn(url, header?.('dpop-nonce'));
    if (status >= 300) return;
    if (change?.kind !== 'bearer') this.#isTaken = true;
    this.#isBare = !this.#isTaken;
  }

  /**
   * What to change after a 401, where that may help; undefined: the proof is not why.
   * @throws Failure `dpop_proof_refused`
   */
  afterRefusal(url: string, response: ProofResponse, tried: readonly ProofChange[]): ProofChange | undefined {
    const { challenges } = response;
    const header = (name: string) => response.header?.(name);
    const challenge = dpopChallenge(challenges);
    const was = (kind: ProofChange['kind']) => tried.some((one) => one.kind === kind);
    if (tried.at(-1)?.kind === 'bearer') {
      return challenge.kind === 'none' || was('dpop') ? undefined : { kind: 'dpop' };
    }
    const error = challenge.kind === 'bearer' ? (challenge.error ?? '') : '';
    if (isProofProblem(error)) {
      const nonce = error === 'use_dpop_nonce' ? this.#proofs.learn(url, header('dpop-nonce')) : undefined;
      if (nonce !== undefined && !was('nonce')) return { kind: 'nonce', nonce };
      const skew = error === 'invalid_dpop_proof' ? this.#proofs.learnClock(header('date')) : undefined;
      if (skew !== undefined && !was('clock')) return { kind: 'clock' };
      throw proofRefused(this.#server, { problem: error, skew, said: '' });
    }
    return !this.#isTaken && !was('bearer') && this.#mayGoBare(challenges) ? { kind: 'bearer' } : undefined;
  }

  /** A 401 that says nothing may be of a server that knows no proofs; one that names Bearer alone is. */
  #mayGoBare(challenges: readonly string[]): boolean {
    if (challenges.length === 0) return true;
    const challenge = bearerChallenge(challenges);
    return !this.#isRequired && challenge.kind === 'bearer' && dpopChallenge(challenges).kind === 'none';
  }

  #authorizationOf(token: Secret): SecretHeader {
    const text = token.reveal();
    if (this.#authorization?.token !== text) {
      this.#authorization = { token: text, header: { name: 'authorization', value: new Secret(`DPoP ${text}`) } };
    }
    return this.#authorization.header;
  }
}

/**
 * An HTTP client that sends a proof with each request that has a Bearer token, in place of that scheme.
 * @param changed Called with what a refusal changes in the next proof.
 */
export function provingHttp(http: HttpClient, bound: LoginProofs, changed: (change: ProofChange) => void): HttpClient {
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const { url, method, headers = [] } = request;
    const token = bearerIn(headers);
    if (token === undefined) return await http.send(request);
    const bearer = [{ name: 'authorization', value: new Secret(`Bearer ${token.reveal()}`) }];
    const tried: ProofChange[] = bound.isBare ? [{ kind: 'bearer' }] : [];
    for (;;) {
      const last = tried.at(-1);
      const own = bound.headers({ method, url, token }, last, bearer);
      const response = await http.send({ ...request, headers: withSecretHeaders(headers, own) });
      const all = (wanted: string) => response.headers.flatMap(([name, value]) => (name === wanted ? value : []));
      const seen = {
        status: response.status,
        challenges: all('www-authenticate'),
        header: (name: string) => all(name)[0],
      };
      bound.learn(url, seen, last);
      const change = response.status === 401 ? bound.afterRefusal(url, seen, tried) : undefined;
      if (change === undefined) return response;
      await response[Symbol.asyncDispose]();
      changed(change);
      tried.push(change);
    }
  };
  return { ...http, send };
}

function bearerIn(headers: NonNullable<HttpRequest['headers']>): Secret | undefined {
  const value = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? '';
  return value.startsWith('Bearer ') ? new Secret(value.slice('Bearer '.length)) : undefined;
}
