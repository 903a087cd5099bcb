import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { exitCode, type Failure } from '../../core/failure.js';
import { Secret } from '../../core/secret.js';
import { parseObject, stringField } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { failure } from '../failures.js';
import { proofAlgorithm, publicHalfOf } from './key.js';

/** Origins with a nonce that are remembered: a login has few. */
const maxKept = 64;

/**
 * Proofs of possession of a login's key (RFC 9449 section 4.2), each for one request, to the token endpoint or to the
 * protected server. Made here because the library only makes proofs for requests that it sends itself.
 */
export class Proofs {
  /** The login's private JWK. */
  readonly key: Secret;
  /** A Bearer token in return cannot be used; otherwise it makes a login without a key. */
  readonly isRequired: boolean;
  readonly #key: KeyObject;
  readonly #header: string;
  readonly #now: () => number;
  #skew = 0;
  /** By origin: a nonce goes to nobody but the server that gave it. */
  readonly #nonces = new Map<string, string>();

  /** @param now Milliseconds since 1970. @throws Error for what is no private key on P-256 */
  constructor(key: Secret, now: () => number, { isRequired }: { readonly isRequired: boolean }) {
    this.key = key;
    this.isRequired = isRequired;
    const jwk = publicHalfOf(key);
    if (jwk === undefined) throw new Error('the stored DPoP key is no private key on P-256');
    this.#key = createPrivateKey({ key: JSON.parse(key.reveal()), format: 'jwk' });
    this.#header = encoded({ typ: 'dpop+jwt', alg: proofAlgorithm, jwk });
    this.#now = now;
  }

  /** A fresh proof. @param nonce That of the response which asked for one, else the latest of that origin */
  proof(request: { readonly method: string; readonly url: string; readonly token?: Secret }, nonce?: string): Secret {
    const { origin, pathname } = new URL(request.url);
    const token = request.token?.reveal();
    const claims = {
      jti: randomBytes(16).toString('base64url'),
      htm: request.method,
      htu: origin + pathname, // RFC 9449 section 4.2: without query and fragment
      iat: Math.floor(this.#now() / 1000) + this.#skew,
      ath: token === undefined ? undefined : createHash('sha256').update(token, 'latin1').digest('base64url'),
      nonce: nonce ?? this.#nonces.get(origin),
    };
    const signed = `${this.#header}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return new Secret(`${signed}.${signature.toString('base64url')}`, { held: false }); // for this request alone
  }

  /** Takes the nonce of a response from that address, whatever it says. @returns it, where it can be used */
  learn(url: string, value: string | undefined): string | undefined {
    const nonce = usableNonce(value);
    if (nonce === undefined) return undefined;
    const { origin } = new URL(url);
    this.#nonces.delete(origin);
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size >= maxKept && oldest !== undefined) this.#nonces.delete(oldest);
    this.#nonces.set(origin, nonce);
    return nonce;
  }

  /** Goes by the clock of the server from now on. @returns seconds it is ahead of ours, where that explains a refusal */
  learnClock(date: string | undefined): number | undefined {
    const skew = skewOf(date, this.#now());
    if (skew !== undefined) this.#skew = skew;
    return skew;
  }

  /**
   * Why the token endpoint refused the proof, where another one may do: with its nonce (RFC 9449 section 8), or by its
   * clock. Nothing was spent by then.
   */
  async afterRefusal(response: Response): Promise<ProofProblem | undefined> {
    const { status, headers } = response;
    if (status !== 400 && status !== 401) return undefined;
    const object = parseObject(new Uint8Array(await response.clone().arrayBuffer())) ?? {};
    const error = stringField(object, 'error');
    if (error === 'use_dpop_nonce' && headers.has('dpop-nonce')) return error;
    const isSkewed = error === 'invalid_dpop_proof' && this.learnClock(headers.get('date') ?? undefined) !== undefined;
    return isSkewed ? error : undefined;
  }
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A server's clock is believed within so much of ours: further away it is not the clock that is wrong. In seconds. */
const maxSkew = 24 * 3600;

/** Proofs may be that much off everywhere: less is no reason to try again. In seconds. */
const minSkew = 5;

/**
 * Seconds by which the clock of a server is ahead of ours, by the `Date` of its response; undefined where there is none,
 * and where it says nothing that explains a refused proof.
 * @param now Of our clock, in milliseconds since 1970.
 */
export function skewOf(date: string | undefined, now: number): number | undefined {
  if (date === undefined || date.length > 64) return undefined;
  const skew = Math.round((Date.parse(date) - now) / 1000);
  return Math.abs(skew) >= minSkew && Math.abs(skew) <= maxSkew ? skew : undefined;
}

/** Longest nonce that is sent back, in characters. */
const longestNonce = 2_048;

/** A `DPoP-Nonce` that may stand in a proof (RFC 9449 section 8.1: NQCHAR). */
export function usableNonce(nonce: string | undefined): string | undefined {
  const isUsable = nonce !== undefined && nonce.length <= longestNonce && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(nonce);
  return isUsable ? nonce : undefined;
}

/** A Bearer token in return for a proof, where only a bound one will do (RFC 9449 section 5). */
export function tokenNotBound(issuer: string): Failure {
  const message = `The authorization server ${quoted(issuer)} issued a Bearer token, and this login has to be bound to a key (RFC 9449 section 5, token_type). It was thrown away.`;
  const remedy = 'Report it to the operator of the authorization server. An earlier login is as it was.';
  return failure(exitCode.serverBreaksRules, 'dpop_downgraded', message, remedy);
}

/** What a refused proof was refused for. */
export type ProofProblem = 'use_dpop_nonce' | 'invalid_dpop_proof';

export function isProofProblem(error: string): error is ProofProblem {
  return error === 'use_dpop_nonce' || error === 'invalid_dpop_proof';
}

/**
 * Proofs are refused, as often as they are tried.
 * @param who The server or authorization server. @param skew Seconds that its clock is ahead of ours, where it says so
 */
export function proofRefused(
  who: string,
  about: { readonly problem: ProofProblem; readonly skew: number | undefined; readonly said: string },
): Failure {
  const { problem, skew, said } = about;
  const quote = said === '' ? '' : `; it said: ${quoted(said)}`;
  if (problem === 'use_dpop_nonce') {
    const message = `${quoted(who)} asks for another nonce each time, or gives none with it (use_dpop_nonce, RFC 9449 section 8)${quote}.`;
    return failure(exitCode.serverBreaksRules, 'dpop_proof_refused', message, 'Report it to its operator.');
  }
  const clocks =
    skew === undefined
      ? 'Compare this machine’s clock with the time of day'
      : `Its clock is ${Math.abs(skew)} seconds ${skew > 0 ? 'ahead of' : 'behind'} this machine’s. Set the one that is wrong`;
  const message = `${quoted(who)} refused the proof of this login’s key (invalid_dpop_proof, RFC 9449)${quote}.`;
  const remedy = `${clocks}; if that is not it, report it to its operator.`;
  return failure(exitCode.refused, 'dpop_proof_refused', message, remedy);
}
