import { randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Another protected resource, with an authorization server of its own, in this process: it tells the time to
 * whoever brings a token that it issued. It remembers the tokens it was shown, so that a test can see that no
 * other was ever sent to it.
 */
class UpstreamTime {
  readonly #received: string[] = [];
  readonly #issued = new Set<string>();
  readonly #secret: string;

  constructor(clientSecret: string) {
    this.#secret = clientSecret;
  }

  /** The latest hundred tokens that came, good or bad. */
  get received(): readonly string[] {
    return this.#received;
  }

  /** A token by client credentials (RFC 6749 section 4.4); undefined for a wrong secret. */
  issueToken(clientSecret: string): string | undefined {
    const [given, known] = [Buffer.from(clientSecret), Buffer.from(this.#secret)];
    if (given.length !== known.length || !timingSafeEqual(given, known)) return undefined;
    const token = randomBytes(32).toString('base64url');
    this.#issued.add(token);
    return token;
  }

  /** The time in ISO 8601; undefined for a token that is not its own. */
  time(token: string): string | undefined {
    this.#received.push(token);
    if (this.#received.length > 100) this.#received.shift();
    return this.#issued.has(token) ? new Date().toISOString() : undefined;
  }
}

/** This server as a client of the upstream: it has its own token, and never sees its callers'. */
export class UpstreamClient {
  readonly upstream: UpstreamTime;
  readonly #secret = randomBytes(32).toString('base64url');
  #token: string | undefined;

  constructor() {
    this.upstream = new UpstreamTime(this.#secret);
  }

  /** @throws Error when the upstream refuses */
  time(): string {
    this.#token ??= this.upstream.issueToken(this.#secret);
    const time = this.#token === undefined ? undefined : this.upstream.time(this.#token);
    if (time === undefined) throw new Error('the upstream refused this server');
    return time;
  }
}
