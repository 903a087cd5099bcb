import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { clockOff, nonceEachTime } from '../../faults/dpop.js';
import { forgetOldest } from '../../one-time.js';
import type { ChallengeError } from '../challenge.js';
import { dpopOf, type ProtectedServerSettings } from '../options.js';
import type { Caller } from '../verify-token.js';
import { ProofVerifier } from './verify-proof.js';

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
