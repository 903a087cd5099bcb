import { tokenRefusedByServer } from '../../errors/token.js';
import type { ProxyMount } from '../../ports/proxy.js';
import type { Secret } from '../../primitives/secret.js';
import type { KeptBody } from './kept-body.js';

/** Step-ups within one request. */
const mostWidened = 3;

/** What a request was, for those who count its refusals. */
export interface Asked {
  readonly method: string;
  readonly url: string;
}

/** How often one request is tried again, and with which token. */
export class Retries {
  readonly #mount: ProxyMount;
  readonly #asked: Asked;
  #stale = false;
  #renewed = false;
  #widened = 0;
  #helped: (() => Promise<void>) | undefined;

  constructor(mount: ProxyMount, asked: Asked) {
    this.#mount = mount;
    this.#asked = asked;
  }

  /** A connection ended before any byte of an answer: once more, where the request changes nothing (RFC 9110 9.2.2). */
  mayRepeat(hasBody: boolean): boolean {
    const may = !this.#stale && !hasBody && /^(?:GET|HEAD)$/.test(this.#asked.method);
    this.#stale = true;
    return may;
  }

  /**
   * The token to try again with after an answer of the server; undefined where the answer is the caller's. Rejects
   * where there is none, and where the body is gone: then the better token is for the next request.
   */
  after(
    answer: { readonly status: number; readonly challenges: readonly string[] },
    token: Secret,
    body: KeptBody,
  ): Promise<Secret> | undefined {
    const { status, challenges } = answer;
    if (status !== 403) this.#helped?.().catch(() => undefined);
    const better =
      status === 401
        ? this.#renew(token)
        : status === 403 && challenges.length > 0
          ? this.#widen(token, challenges, body)
          : undefined;
    return body.replayable ? better : better?.then(() => Promise.reject(this.#refused()));
  }

  #renew(token: Secret): Promise<Secret> {
    if (this.#renewed) return Promise.reject(this.#refused());
    this.#renewed = true;
    return this.#mount.renewed(token);
  }

  #widen(token: Secret, challenges: readonly string[], { whole }: KeptBody): Promise<Secret> | undefined {
    const asked = { ...this.#asked, ...(whole === undefined ? {} : { body: whole }) };
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
    return tokenRefusedByServer(this.#mount.server);
  }
}
