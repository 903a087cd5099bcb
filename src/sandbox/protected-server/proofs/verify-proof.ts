import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose';

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
