import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Secret } from '../../core/secret.js';
import { proofAlgorithm, publicHalfOf } from './key.js';
import { skewOf, usableNonce } from './server-clock.js';

/** Origins with a nonce that are remembered: a login has few. */
const maxKept = 64;

/**
 * Proofs for requests to the protected server (RFC 9449 sections 4.2 and 7), each for one request. By hand, for the proxy and
 * the bridge: the library's take four times the processor time, and a turn of the event loop.
 */
export class RequestProofs {
  readonly #key: KeyObject;
  readonly #header: string;
  readonly #now: () => number;
  #skew = 0;
  /** By origin: a nonce goes to nobody but the server that gave it. */
  readonly #nonces = new Map<string, string>();

  /** @param now Milliseconds since 1970. @throws Error for what is no private key on P-256 */
  constructor(key: Secret, now: () => number) {
    const jwk = publicHalfOf(key);
    if (jwk === undefined) throw new Error('the stored DPoP key is no private key on P-256');
    this.#key = createPrivateKey({ key: JSON.parse(key.reveal()), format: 'jwk' });
    this.#header = encoded({ typ: 'dpop+jwt', alg: proofAlgorithm, jwk });
    this.#now = now;
  }

  /** A fresh proof. @param nonce That of the response which asked for one, else the latest of that origin */
  proof(request: { readonly method: string; readonly url: string; readonly token: Secret }, nonce?: string): Secret {
    const { origin, pathname } = new URL(request.url);
    const claims = {
      jti: randomBytes(16).toString('base64url'),
      htm: request.method,
      htu: origin + pathname, // RFC 9449 section 4.2: without query and fragment
      iat: Math.floor(this.#now() / 1000) + this.#skew,
      ath: createHash('sha256').update(request.token.reveal(), 'latin1').digest('base64url'),
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
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
