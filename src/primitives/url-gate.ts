/** What the gate made of a raw string: a parsed URL, or why it is none that may be used. */
export type GatedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly problem: string };

const shape = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/i;
const authorityShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(:[0-9]{1,5})?$/i;
const unreservedAndReserved = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const wellFormed = /^(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const defaultPort: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/**
 * The strict gate for every URL that the program is about to use, whoever named it (RFC 3986; WHATWG
 * parsing repairs what it should refuse: it drops TAB and LF, reads `\` as `/`, turns `0x7f.1` into
 * 127.0.0.1). The raw string is judged first: RFC 3986 characters only, absolute http or https, no
 * user name. Then it is parsed, and must read back as it was written; three differences are let pass,
 * because none of them changes where the URL leads: letter case of scheme and host, the scheme's own
 * port spelled out (`:443`, `:80`), and an empty path that reads back as `/`. (A `'` in the query reads
 * back as `%27`, which is the same query.)
 *
 * `problem` finishes the sentence "this address cannot be used: …" and never quotes the input, so it
 * holds no user name, password or query. Never throws.
 */
export function gateUrl(raw: string, maxLength = 2048): GatedUrl {
  if (raw.length > maxLength) return refuse(`it is longer than ${maxLength} characters`);
  if (!unreservedAndReserved.test(raw)) return refuse('it holds a character that no URL may hold');
  const parts = shape.exec(raw);
  if (parts === null) return refuse('it is not an absolute URL with a scheme and a host');
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = parts;
  const lowerScheme = scheme.toLowerCase();
  if (lowerScheme !== 'https' && lowerScheme !== 'http') return refuse('its scheme is not https');
  if (authority.includes('@')) return refuse('it holds a user name or password');
  if (!authorityShape.test(authority)) return refuse('its host is not a plain name or address');
  if (![path, query, fragment.slice(1)].every((part) => wellFormed.test(part))) {
    return refuse('it holds a character that must be percent-encoded');
  }
  const url = parse(raw);
  if (url === undefined) return refuse('its host or port is not valid');
  const plainAuthority = withoutDefaultPort(authority.toLowerCase(), lowerScheme);
  const asRead = `${lowerScheme}://${plainAuthority}${path || '/'}${query.replaceAll("'", '%27')}${fragment}`;
  if (url.href !== asRead) return refuse('it is not written in its plain form (host, port or dot segments)');
  return { ok: true, url };
}

function refuse(problem: string): GatedUrl {
  return { ok: false, problem };
}

function parse(raw: string): URL | undefined {
  return URL.canParse(raw) ? new URL(raw) : undefined;
}

function withoutDefaultPort(authority: string, scheme: string): string {
  const suffix = defaultPort[scheme] ?? '';
  return authority.endsWith(suffix) ? authority.slice(0, authority.length - suffix.length) : authority;
}
