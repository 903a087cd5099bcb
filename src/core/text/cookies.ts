import { isFieldName, isHeaderValue } from './characters.js';

/** Maximum number of cookies, and maximum length of a `Set-Cookie` line in characters. */
const maxCookies = 20;

const maxCookie = 4_096;

interface Cookie {
  readonly origin: string;
  readonly path: string;
  /** `name=value`. */
  readonly pair: string;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * Cookies of one conversation (RFC 6265), in memory only: load balancers pin sessions with them. Ignores `Domain`: a cookie
 * goes back only to the origin that set it.
 */
export class CookieJar {
  readonly #cookies = new Map<string, Cookie>();

  /** Takes the `Set-Cookie` lines of a response from that address. */
  take(lines: readonly string[], url: string, now = Date.now()): void {
    for (const line of lines) {
      const cookie = line.length > maxCookie ? undefined : readCookie(line, new URL(url), now);
      if (cookie === undefined) continue;
      const key = JSON.stringify([cookie.origin, cookie.path, cookie.pair.slice(0, cookie.pair.indexOf('='))]);
      this.#cookies.delete(key);
      if (cookie.until > now) this.#cookies.set(key, cookie);
      const [oldest = ''] = this.#cookies.keys();
      if (this.#cookies.size > maxCookies) this.#cookies.delete(oldest);
    }
  }

  /** The value of `Cookie` for that address; undefined without any. */
  headerFor(url: string, now = Date.now()): string | undefined {
    if (this.#cookies.size === 0) return undefined;
    const { origin, pathname } = new URL(url);
    const sent = [...this.#cookies.values()]
      .filter((cookie) => cookie.origin === origin && cookie.until > now && isWithin(pathname, cookie.path))
      .sort((one, other) => other.path.length - one.path.length);
    return sent.length === 0 ? undefined : sent.map(({ pair }) => pair).join('; ');
  }
}

/** Undefined for an invalid cookie. */
function readCookie(line: string, { origin, pathname }: URL, now: number): Cookie | undefined {
  const [first = '', ...rest] = line.split(';');
  const at = first.indexOf('=');
  const [name, value] = [first.slice(0, at).trim(), first.slice(at + 1).trim()];
  if (at < 1 || !isFieldName(name) || !isHeaderValue(value)) return undefined;
  const attributes = new Map(
    rest.map((part) => {
      const [key = '', ...text] = part.split('=');
      return [key.trim().toLowerCase(), text.join('=').trim()] as const;
    }),
  );
  const given = attributes.get('path') ?? '';
  const path = given.startsWith('/') ? given : pathname.slice(0, Math.max(pathname.lastIndexOf('/'), 1));
  // A copy: V8 keeps the whole head alive for a substring of it.
  const pair = Buffer.from(`${name}=${value}`, 'latin1').toString('latin1');
  return { origin, path, pair, until: endOf(attributes, now) };
}

function endOf(attributes: ReadonlyMap<string, string>, now: number): number {
  const age = attributes.get('max-age') ?? '';
  const date = /^-?[0-9]+$/.test(age) ? now + Number(age) * 1000 : Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
}

/** RFC 6265 section 5.1.4. */
function isWithin(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}
