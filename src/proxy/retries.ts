import type { Secret } from '../core/secret.js';
import { tokenRefusedByServer, withServerWords } from '../tokens/failures.js';
import { serverWords } from '../tokens/server-words.js';
import type { KeptBody } from './bodies.js';
import type { ExchangeParts } from './exchange-parts.js';
import type { ProxyMount } from './ports.js';

/** Step-ups within one request. */
const mostWidened = 3;

/** How often one request is tried again, and with which token. */
export class Retries {
  readonly #parts: ExchangeParts;
  #stale = false;
  #renewed = false;
  #widened = 0;
  #helped: (() => Promise<void>) | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
  }

  /** A connection ended before any byte of an answer: once more, where the request changes nothing (RFC 9110 9.2.2). */
  mayRepeat(hasBody: boolean): boolean {
    const may = !this.#stale && !hasBody && /^(?:GET|HEAD)$/.test(this.#parts.method);
    this.#stale = true;
    return may;
  }

  /**
   * The token to try again with after an answer of the server; undefined where the answer is the caller's. Rejects
   * where there is none, and where the body is gone: then the better token is for the next request.
   */
  after(
    status: number,
    challenges: readonly string[],
    token: Secret,
    body: KeptBody,
  ): Promise<Secret> | undefined {
    if (status !== 403) this.#helped?.().catch(() => undefined);
    const better =
      status === 401
        ? this.#renew(token, serverWords({ challenges }))
        : status === 403 && challenges.length > 0
          ? this.#widen(token, challenges, body)
          : undefined;
    return body.replayable ? better : better?.then(() => Promise.reject(this.#refused()));
  }

  async #renew(token: Secret, said: string): Promise<Secret> {
    if (this.#renewed) throw withServerWords(this.#refused(), said);
    this.#renewed = true;
    try {
      return await this.#mount.renewed(token);
    } catch (error) {
      throw withServerWords(error, said);
    }
  }

  #widen(token: Secret, challenges: readonly string[], { whole }: KeptBody): Promise<Secret> | undefined {
    const { method, admitted } = this.#parts;
    const url = admitted.mounted.origin + admitted.target;
    const asked = { method, url, ...(whole === undefined ? {} : { body: whole }) };
    if (this.#widened >= mostWidened) return undefined;
    const widened = this.#mount.widened(token, challenges, asked);
    if (widened === undefined) return undefined;
    this.#widened += 1;
    return widened.then((wider) => {
      this.#helped = () => wider.helped();
      return wider.token;
    });
  }

  #refused(): Error {
    return tokenRefusedByServer(this.#mount.login);
  }

  get #mount(): ProxyMount {
    return this.#parts.admitted.mounted.mount;
  }
}
