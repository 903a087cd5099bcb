const loopbackLiteral = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([0-9]{1,5}))?((?:[/?].*)?)$/;

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether a redirect URI of a request is one of the registered ones: character for character, but for the
 * port of a loopback literal (RFC 8252 section 7.3, RFC 9700 section 4.1.3). `localhost` is no literal.
 */
export function isRegistered(asked: string, registered: readonly string[], ports: 'any' | 'exact'): boolean {
  if (registered.includes(asked)) return true;
  const bare = withoutPort(asked);
  return ports === 'any' && bare !== undefined && registered.some((uri) => withoutPort(uri) === bare);
}

/** Whether a client may register it at all: https, or plain http on this machine (RFC 9700 section 2.6). */
export function isAcceptable(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.length > 2048 || !URL.canParse(uri)) return false;
  const url = new URL(uri);
  if (uri.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname));
}

/** Whether it leads to this machine, as every program on it may listen there. */
export function isLoopback(uri: string): boolean {
  return URL.canParse(uri) && loopbackHosts.has(new URL(uri).hostname);
}

function withoutPort(uri: string): string | undefined {
  const [, host, , rest] = loopbackLiteral.exec(uri) ?? [];
  return host === undefined ? undefined : `${host}${rest}`;
}
