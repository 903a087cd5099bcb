import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose';
import { clockOff, nonceEachTime } from '../faults/dpop.js';
import { forgetOldest } from '../one-time.js';
import type { ChallengeError } from './challenge.js';
import { dpopOf, type ProtectedServerSettings } from './options.js';
import type { Caller } from './verify-token.js';

/** What a request brought, beside its verified token. */
export interface PresentedProof {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
  readonly caller: Caller;
}

/** With the fault, this server's clock is so far ahead, in milliseconds. */
const aheadMs = 600_000;

/** Decides about proofs, once the token is known to be good (RFC 9449 sections 7 and 9). */
export class ProofGate {
  readonly #settings: ProtectedServerSettings;
  readonly #nonces = new Nonces(Date.now);
  readonly #verifier: ProofVerifier;

  constructor(settings: ProtectedServerSettings) {
    this.#settings = settings;
    this.#verifier = new ProofVerifier(() => this.#now());
  }

  /** In which schemes a token is taken here. */
  get schemes(): readonly ('Bearer' | 'DPoP')[] {
    const dpop = dpopOf(this.#settings);
    if (dpop === 'off') return ['Bearer'];
    return dpop === 'required' ? ['DPoP'] : ['Bearer', 'DPoP'];
  }

  /** What is wrong with the proof, or its absence; undefined: nothing. */
  async problem(request: IncomingMessage, presented: PresentedProof): Promise<ChallengeError | undefined> {
    const { scheme, token, caller } = presented;
    const { dpopNonce, resource, isFaulty } = this.#settings;
    const dpop = dpopOf(this.#settings);
    if (scheme === 'bearer') {
      const isBare = dpop === 'off' || (caller.boundTo === undefined && dpop !== 'required');
      return isBare ? undefined : { error: 'invalid_token', description: 'The access token needs a proof (DPoP)' };
    }
    const proofs = request.headersDistinct['dpop'] ?? [];
    const { method = '' } = request;
    const about = { proofs, method, url: resource, token, thumbprint: caller.boundTo };
    const { problem, nonce } = await this.#verifier.verify(about);
    if (problem !== undefined) return { error: 'invalid_dpop_proof', description: problem };
    const isOnce = isFaulty(nonceEachTime);
    if (!(dpopNonce || isOnce) || this.#nonces.takes(nonce, isOnce)) return undefined;
    return { error: 'use_dpop_nonce', description: 'The proof must hold a nonce of this server' };
  }

  /** What each response says about proofs. */
  headers(): readonly (readonly [name: string, value: string])[] {
    const { dpopNonce, isFaulty } = this.#settings;
    const isOnce = isFaulty(nonceEachTime);
    const date = isFaulty(clockOff) ? ([['date', new Date(this.#now()).toUTCString()]] as const) : [];
    if (!(dpopNonce || isOnce)) return date;
    return [...date, ['dpop-nonce', isOnce ? this.#nonces.fresh() : this.#nonces.latest()]];
  }

  #now(): number {
    return Date.now() + (this.#settings.isFaulty(clockOff) ? aheadMs : 0);
  }
}

/** How long a nonce is the latest, in milliseconds; one that was is taken for as long again. */
const rotatesMs = 30_000;

/** Most nonces that are remembered. */
const maxKept = 1_000;

/** The nonces that proofs have to hold (RFC 9449 section 9). */
export class Nonces {
  readonly #now: () => number;
  /** With the time when each was made, the latest last. */
  readonly #made = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The one to hold from now on. */
  latest(): string {
    const [nonce, at] = [...this.#made].at(-1) ?? ['', Number.NEGATIVE_INFINITY];
    return this.#now() - at < rotatesMs ? nonce : this.fresh();
  }

  /** Another one. */
  fresh(): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#made.set(nonce, this.#now());
    forgetOldest(this.#made, maxKept);
    return nonce;
  }

  /** @param once Takes none twice. */
  takes(nonce: unknown, once: boolean): boolean {
    const at = typeof nonce === 'string' ? this.#made.get(nonce) : undefined;
    if (at === undefined || this.#now() - at > 2 * rotatesMs) return false;
    if (once) this.#made.delete(String(nonce));
    return true;
  }
}

/** Seconds that a proof may be older or newer than this server's clock. */
const windowSeconds = 60;

/** Most proofs that are remembered, so that none is taken twice. */
const maxSeen = 100_000;

/** A request with a proof, as this server sees it. */
export interface ProvenRequest {
  /** All values of the `DPoP` header. */
  readonly proofs: readonly string[];
  readonly method: string;
  /** This server's own address, without query. */
  readonly url: string;
  readonly token: string;
  /** `cnf.jkt` of the token. */
  readonly thumbprint: string | undefined;
}

/** Undefined: it is a good one. In constant words. */
export type ProofProblem = string | undefined;

/** Verifies proofs as RFC 9449 section 4.3 says. */
export class ProofVerifier {
  readonly #now: () => number;
  /** By thumbprint and `jti`: the time when it may be forgotten, in seconds. */
  readonly #seen = new Map<string, number>();

  /** @param now Of this server's clock, in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  async verify(request: ProvenRequest): Promise<{ readonly problem: ProofProblem; readonly nonce?: unknown }> {
    const [proof, ...more] = request.proofs;
    if (proof === undefined) return { problem: 'There is no DPoP header' };
    if (more.length > 0 || proof.includes(',')) return { problem: 'There must be one DPoP header' };
    try {
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        algorithms: ['ES256'],
        typ: 'dpop+jwt',
        currentDate: new Date(this.#now()),
      });
      const { jwk } = protectedHeader;
      if (jwk === undefined || 'd' in jwk) return { problem: 'The proof must hold a public key' };
      const thumbprint = await calculateJwkThumbprint(jwk);
      const problem = this.#claimsProblem(payload, request) ?? this.#keyProblem(thumbprint, request);
      return { problem: problem ?? this.#replayProblem(thumbprint, payload), nonce: payload['nonce'] };
    } catch (error) {
      if (error instanceof errors.JOSEError) return { problem: 'The proof is malformed, or its signature is wrong' };
      throw error;
    }
  }

  #claimsProblem({ htm, htu, ath, iat, jti }: JWTPayload, { method, url, token }: ProvenRequest): ProofProblem {
    if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number') return 'The proof lacks jti or iat';
    if (Math.abs(this.#now() / 1000 - iat) > windowSeconds) return 'The proof is too old, or from the future';
    if (htm !== method) return 'The proof is for another method';
    if (htu !== url) return 'The proof is for another address';
    const hash = createHash('sha256').update(token).digest('base64url');
    return ath === hash ? undefined : 'The proof is for another access token';
  }

  #keyProblem(thumbprint: string, request: ProvenRequest): ProofProblem {
    return thumbprint === request.thumbprint ? undefined : 'The access token is bound to another key, or to none';
  }

  #replayProblem(thumbprint: string, { jti, iat = 0 }: JWTPayload): ProofProblem {
    const name = `${thumbprint} ${jti}`;
    if (this.#seen.has(name)) return 'The proof was used before';
    this.#seen.set(name, iat + 2 * windowSeconds);
    for (const [old, until] of this.#seen) {
      if (until > this.#now() / 1000 && this.#seen.size <= maxSeen) break;
      this.#seen.delete(old);
    }
    return undefined;
  }
}
