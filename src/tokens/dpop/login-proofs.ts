import { Secret, type SecretHeader } from '../../core/secret.js';
import { bearerChallenge, dpopChallenge } from '../../oauth/challenge.js';
import { isProofProblem, proofRefused } from '../../oauth/dpop/failures.js';
import { RequestProofs } from '../../oauth/dpop/request-proofs.js';
import type { BoundToken, ProofChange, ProofResponse, ProvenRequest } from './bound-token.js';

/** The proofs of one login while a command runs: its nonces and what its server takes outlive its tokens. */
export class LoginProofs implements BoundToken {
  readonly #server: string;
  readonly #isRequired: boolean;
  readonly #proofs: RequestProofs;
  #authorization: { readonly token: string; readonly header: SecretHeader } | undefined;
  /** The server knows no proofs: it takes the bound token as a Bearer token (RFC 9449 section 7.2). */
  #isBare = false;
  /** The server has taken a proof: from then on the token never goes without one. */
  #isTaken = false;

  /** @param isRequired Without a proof the token goes nowhere. */
  constructor(about: {
    readonly server: string;
    readonly key: Secret;
    readonly isRequired: boolean;
    readonly now: () => number;
  }) {
    this.#server = about.server;
    this.#isRequired = about.isRequired;
    this.#proofs = new RequestProofs(about.key, about.now);
  }

  headers(request: ProvenRequest, own: readonly SecretHeader[]): readonly SecretHeader[] {
    if (this.#isBare) return own;
    const proof = { name: 'dpop', value: this.#proofs.proof(request, request.nonce) };
    return [this.#authorizationOf(request.token), proof, ...own.slice(1)];
  }

  learn(url: string, { status, header }: ProofResponse): void {
    this.#proofs.learn(url, header?.('dpop-nonce'));
    if (status < 300 && !this.#isBare) this.#isTaken = true;
  }

  afterRefusal(url: string, response: ProofResponse, tried: readonly ProofChange[]): ProofChange | undefined {
    const { challenges } = response;
    const header = (name: string) => response.header?.(name);
    const challenge = dpopChallenge(challenges);
    const error = challenge.kind === 'bearer' ? (challenge.error ?? '') : '';
    const was = (kind: ProofChange['kind']) => tried.some((one) => one.kind === kind);
    if (isProofProblem(error) && !this.#isBare) {
      const nonce = error === 'use_dpop_nonce' ? this.#proofs.learn(url, header('dpop-nonce')) : undefined;
      if (nonce !== undefined && !was('nonce')) return { kind: 'nonce', nonce };
      const skew = error === 'invalid_dpop_proof' ? this.#proofs.learnClock(header('date')) : undefined;
      if (skew !== undefined && !was('clock')) return { kind: 'clock' };
      throw proofRefused(this.#server, { problem: error, skew, said: '' });
    }
    if (challenge.kind === 'none' && bearerChallenge(challenges).kind === 'bearer') return this.#withoutProof();
    return undefined;
  }

  /** Only where nobody has demanded proofs, and none was ever taken. */
  #withoutProof(): ProofChange | undefined {
    if (this.#isRequired || this.#isTaken || this.#isBare) return undefined;
    this.#isBare = true;
    return { kind: 'scheme' };
  }

  #authorizationOf(token: Secret): SecretHeader {
    const text = token.reveal();
    if (this.#authorization?.token !== text) {
      this.#authorization = { token: text, header: { name: 'authorization', value: new Secret(`DPoP ${text}`) } };
    }
    return this.#authorization.header;
  }
}
