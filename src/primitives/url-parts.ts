/** A URL in the parts of RFC 3986 section 3, nothing decoded, added or dropped. */
export interface UrlParts {
  /** As written, without the colon. */
  readonly scheme: string;
  /** What stands before `@`; undefined without one. */
  readonly userinfo: string | undefined;
  readonly host: string;
  /** As written, without the colon; '' for none. */
  readonly port: string;
  readonly path: string;
  /** With its `?`; '' for none. */
  readonly query: string;
  /** With its `#`; '' for none. */
  readonly fragment: string;
}

const shape = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s;
const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/;

/**
 * Splits an absolute URL with an authority; undefined for whatever is none. WHATWG's `URL` repairs what it
 * reads and adds a slash to an empty path, so identities are never taken from it.
 */
export function splitUrl(raw: string): UrlParts | undefined {
  const [, scheme, authority, path = '', query = '', fragment = ''] = shape.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined) {
    return undefined;
  }
  const at = authority.lastIndexOf('@');
  const [, host, port = ''] = hostAndPort.exec(authority.slice(at + 1)) ?? [];
  if (host === undefined) {
    return undefined;
  }
  const userinfo = at === -1 ? undefined : authority.slice(0, at);
  return { scheme, userinfo, host, port, path, query, fragment };
}

/** Scheme, host and port in lower case, the scheme's own port left out: two URLs of one origin give one text. */
export function originOf(parts: UrlParts): string {
  const scheme = parts.scheme.toLowerCase();
  const port = parts.port === '' ? '' : String(Number(parts.port));
  const isDefault =
    port === '' || (scheme === 'https' && port === '443') || (scheme === 'http' && port === '80');
  return `${scheme}://${parts.host.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}
