interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly host: string;
  readonly path: string;
}

/** What a browser would remember: cookies by host (they know no ports) and path (RFC 6265 section 5). */
export class CookieJar {
  #cookies: Cookie[] = [];

  /** Takes the `Set-Cookie` lines of a response from `url`. */
  take(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const equals = pair.indexOf('=');
      if (equals < 1) continue;
      const settings = new Map(
        attributes.map((one) => {
          const [name = '', ...value] = one.split('=');
          return [name.toLowerCase(), value.join('=')];
        }),
      );
      const cookie = {
        name: pair.slice(0, equals),
        value: pair.slice(equals + 1),
        host: url.hostname,
        path: settings.get('path') ?? '/',
      };
      this.#cookies = this.#cookies.filter((one) => !isSame(one, cookie));
      if (!isOver(settings)) this.#cookies.push(cookie);
    }
  }

  /** The `Cookie` header for a request to `url`; empty when there is none to send. */
  header(url: URL): string {
    return this.#cookies
      .filter((one) => one.host === url.hostname && covers(one.path, url.pathname))
      .map((one) => `${one.name}=${one.value}`)
      .join('; ');
  }
}

function isSame(one: Cookie, other: Cookie): boolean {
  return one.name === other.name && one.host === other.host && one.path === other.path;
}

function isOver(settings: ReadonlyMap<string, string>): boolean {
  const age = settings.get('max-age');
  if (age !== undefined) return Number(age) <= 0;
  const expires = settings.get('expires');
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

function covers(cookiePath: string, path: string): boolean {
  return cookiePath === path || path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}
