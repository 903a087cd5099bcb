import type { DPoPHandle } from 'oauth4webapi';
import type { Secret } from '../../core/secret.js';
import { parseObject, stringField } from '../../core/text/json.js';
import { isProofProblem, type ProofProblem } from './failures.js';
import { keyPairOf } from './key.js';
import { skewOf } from './server-clock.js';

/**
 * Proofs for the endpoints of an authorization server (RFC 9449 section 5): made, and given the nonces that it wants, by the
 * OAuth library. One for each login: its nonces are for the next request, too.
 */
export class TokenProofs {
  readonly key: Secret;
  /** What a Bearer token in return means: nothing that can be used, or a login without a key. */
  readonly isRequired: boolean;
  readonly #now: () => number;
  #handle: DPoPHandle;
  readonly #make: (skew: number) => DPoPHandle;

  private constructor({ key, isRequired, now }: TokenProofsOptions, make: (skew: number) => DPoPHandle) {
    this.key = key;
    this.isRequired = isRequired;
    this.#now = now;
    this.#make = make;
    this.#handle = make(0);
  }

  static async of(options: TokenProofsOptions): Promise<TokenProofs> {
    const { DPoP, clockSkew } = await import('oauth4webapi');
    const pair = await keyPairOf(options.key);
    return new TokenProofs(options, (skew) => DPoP({ [clockSkew]: skew }, pair));
  }

  /** What the library's request functions take. */
  get handle(): DPoPHandle {
    return this.#handle;
  }

  /**
   * Sends a request, and once more where the server wants its nonce in the proof (RFC 9449 section 8), or where the proof
   * was refused and the server's clock is another one than ours: nothing was spent by then.
   */
  async send(request: () => Promise<Response>): Promise<Response> {
    const tried = new Set<string>();
    for (;;) {
      const response = await request();
      const why = await refusalOf(response);
      if (why === undefined || tried.has(why) || !this.#helps(why, response)) return response;
      tried.add(why);
    }
  }

  #helps(why: ProofProblem, { headers }: Response): boolean {
    if (why === 'use_dpop_nonce') return headers.has('dpop-nonce'); // the library has taken it
    const skew = skewOf(headers.get('date') ?? undefined, this.#now());
    if (skew === undefined) return false;
    this.#handle = this.#make(skew);
    return true;
  }
}

interface TokenProofsOptions {
  /** The login's private JWK. */
  readonly key: Secret;
  readonly isRequired: boolean;
  readonly now: () => number;
}

async function refusalOf(response: Response): Promise<ProofProblem | undefined> {
  if (response.status !== 400 && response.status !== 401) return undefined;
  const object = parseObject(new Uint8Array(await response.clone().arrayBuffer()));
  const error = (object && stringField(object, 'error')) ?? '';
  return isProofProblem(error) ? error : undefined;
}
