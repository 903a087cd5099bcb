import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { Secret } from '../../core/secret.js';
import { proofAlgorithm, publicHalfOf } from './key.js';
import { skewOf, usableNonce } from './server-clock.js';

/** Addresses, and origins with a nonce, that are remembered: a login has few. */
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
  readonly #addresses = new Map<string, Address>();
  #hashed: { readonly token: string; readonly ath: string } | undefined;

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
    const { origin, htu } = this.#addressOf(request.url);
    const claims = {
      jti: randomBytes(16).toString('base64url'),
      htm: request.method,
      htu,
      iat: Math.floor(this.#now() / 1000) + this.#skew,
      ath: this.#hashOf(request.token.reveal()),
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
    const { origin } = this.#addressOf(url);
    if (this.#nonces.get(origin) !== nonce) keep(this.#nonces, origin, nonce);
    return nonce;
  }

  /** Goes by the clock of the server from now on. @returns seconds it is ahead of ours, where that explains a refusal */
  learnClock(date: string | undefined): number | undefined {
    const skew = skewOf(date, this.#now());
    if (skew !== undefined) this.#skew = skew;
    return skew;
  }

  #addressOf(url: string): Address {
    const known = this.#addresses.get(url);
    if (known !== undefined) return known;
    const { origin, pathname } = new URL(url);
    // RFC 9449 section 4.2: without query and fragment.
    const address = { origin, htu: origin + pathname };
    keep(this.#addresses, url, address);
    return address;
  }

  #hashOf(token: string): string {
    if (this.#hashed?.token !== token) {
      this.#hashed = { token, ath: createHash('sha256').update(token, 'latin1').digest('base64url') };
    }
    return this.#hashed.ath;
  }
}

interface Address {
  readonly origin: string;
  readonly htu: string;
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= maxKept && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
