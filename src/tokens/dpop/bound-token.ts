import type { Secret, SecretHeader } from '../../core/secret.js';

/** The proofs of a login whose tokens are bound to its key (RFC 9449). */
export interface BoundToken {
  /** The headers of one request: another proof each time. @param own As the Bearer token has them */
  headers(request: ProvenRequest, own: readonly SecretHeader[]): readonly SecretHeader[];
  /** What a response says about proofs is taken. */
  learn(url: string, response: ProofResponse): void;
  /** Once more with another proof, where that may help after a 401; undefined: the proof is not why. @throws Failure `dpop_proof_refused` */
  afterRefusal(url: string, response: ProofResponse, tried: readonly ProofChange[]): ProofChange | undefined;
}

/** A request, as far as its proof names it. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  readonly token: Secret;
  /** That of the response which asked for one. */
  readonly nonce?: string | undefined;
}

/** What is another in the proof that follows on a refused one. `scheme`: there is none. */
export type ProofChange = { readonly kind: 'nonce'; readonly nonce: string } | { readonly kind: 'clock' | 'scheme' };

/** The head of a response, and of a 401 what it says. */
export interface ProofResponse {
  readonly status: number;
  readonly challenges: readonly string[];
  /** The first value of a header, whose name is given in lower case. */
  header?(name: string): string | undefined;
}
