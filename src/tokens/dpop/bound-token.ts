import type { Secret, SecretHeader } from '../../core/secret.js';

/** The proofs of a login whose tokens are bound to its key (RFC 9449). */
export interface BoundToken {
  /** Is the server known to take it as a Bearer token alone? Then a request begins with the change `bearer`. */
  readonly isBare: boolean;
  /** The headers of one request: another proof each time. @param own As the Bearer token has them */
  headers(request: ProvenRequest, own: readonly SecretHeader[]): readonly SecretHeader[];
  /** What a response says about proofs is taken. @param change That of its request */
  learn(url: string, response: ProofResponse, change: ProofChange | undefined): void;
  /** Once more with another proof, where that may help after a 401; undefined: the proof is not why. @throws Failure `dpop_proof_refused` */
  afterRefusal(url: string, response: ProofResponse, tried: readonly ProofChange[]): ProofChange | undefined;
}

/** A request, as far as its proof names it. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  readonly token: Secret;
  /** What is another in it than in the one that was refused before. */
  readonly change: ProofChange | undefined;
}

/** What is another after a refusal: the nonce, the clock, no proof at all (`bearer`), or one after all (`dpop`). */
export type ProofChange =
  | { readonly kind: 'nonce'; readonly nonce: string }
  | { readonly kind: 'clock' | 'bearer' | 'dpop' };

/** The head of a response, and of a 401 what it says. */
export interface ProofResponse {
  readonly status: number;
  readonly challenges: readonly string[];
  /** The first value of a header, whose name is given in lower case. */
  header?(name: string): string | undefined;
}
