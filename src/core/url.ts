import { domainToUnicode } from 'node:url';

/** The gate's result: a parsed URL, or why it may not be used. */
export type GatedUrl = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: string };

// Both letter cases are spelled out in these two: V8 takes four times as long to make a pattern of a class under `i`.
const shape = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s;

const authorityShape = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::[0-9]{1,5})?$/;

const unreservedAndReserved = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

const wellFormed = /^(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;

const defaultPort: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * The strict gate for every URL before it is used, from any source (RFC 3986). WHATWG parsing repairs what it should
 * refuse: it drops TAB and LF, reads `\` as `/`, turns `0x7f.1` into 127.0.0.1. So the raw string is validated first: RFC
 * 3986 characters only, absolute http or https, no user name. Then it is parsed, and must read back as written, with three
 * differences that do not change where it leads: letter case of scheme and host, the default port spelled out, and an
 * empty path that reads back as `/`. (A `'` in the query reads back as `%27`, which is the same query.)
 *
 * `problem` completes "this address cannot be used: …" and never quotes the input, so it holds no user name, password or
 * query. Never throws.
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
  if (!URL.canParse(raw)) return refuse('its host or port is not valid');
  const url = new URL(raw);
  if (!namesLetters(url.hostname)) return refuse('its host or port is not valid');
  const host = authority.toLowerCase();
  const plainHost = host.endsWith(`:${defaultPort[lowerScheme]}`) ? host.slice(0, host.lastIndexOf(':')) : host;
  const asRead = `${lowerScheme}://${plainHost}${path || '/'}${query.replaceAll("'", '%27')}${fragment}`;
  if (url.href !== asRead) return refuse('it is not written in its plain form (host, port or dot segments)');
  return { ok: true, url };
}

/**
 * Resolves a server's URI reference (RFC 3986 section 5.2). A reference with a scheme or host is gated as written, others
 * after resolution. Undefined if the gate refuses it.
 */
export function resolveReference(reference: string, base: string, maxLength?: number): URL | undefined {
  if (!/^[A-Za-z0-9\-._~:/?#@!$&'()*+,;=%[\]]*$/.test(reference)) return undefined;
  const namesHost = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference);
  const written = reference.startsWith('//') ? new URL(base).protocol + reference : reference;
  const url = namesHost ? written : URL.canParse(reference, base) ? new URL(reference, base).href : '';
  const gated = gateUrl(url, maxLength);
  return gated.ok ? gated.url : undefined;
}

/**
 * Whether each `xn--` label decodes to letters beyond ASCII (RFC 5891 section 4.4). Node.js 24 and later accept labels that
 * decode to nothing; earlier ones refuse them.
 */
function namesLetters(hostname: string): boolean {
  const labels = hostname.split('.').filter((label) => label.startsWith('xn--'));
  return labels.every((label) => /[^\0-\x7f]/.test(domainToUnicode(label)));
}

function refuse(problem: string): GatedUrl {
  return { ok: false, problem };
}

/** The parts of a URL (RFC 3986 section 3); nothing is decoded, added or dropped. */
export interface UrlParts {
  /** As written, without the colon. */
  readonly scheme: string;
  /** The part before `@`; undefined without one. */
  readonly userinfo: string | undefined;
  readonly host: string;
  /** As written, without the colon; '' without a port. */
  readonly port: string;
  readonly path: string;
  /** With its `?`; '' without a query. */
  readonly query: string;
  /** With its `#`; '' without a fragment. */
  readonly fragment: string;
}

const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/;

/**
 * Splits an absolute URL with an authority; undefined for anything else. WHATWG's `URL` repairs its input and adds a slash
 * to an empty path, so identifiers are never taken from it.
 */
export function splitUrl(raw: string): UrlParts | undefined {
  const [, scheme, authority, path = '', query = '', fragment = ''] = shape.exec(raw) ?? [];
  if (scheme === undefined || authority === undefined) return undefined;
  const at = authority.lastIndexOf('@');
  const [, host, port = ''] = hostAndPort.exec(authority.slice(at + 1)) ?? [];
  if (host === undefined) return undefined;
  const userinfo = at === -1 ? undefined : authority.slice(0, at);
  return { scheme, userinfo, host, port, path, query, fragment };
}

/** Scheme, host and port in lower case, without the default port: equal for URLs of one origin. */
export function originOf(parts: UrlParts): string {
  const scheme = parts.scheme.toLowerCase();
  const port = parts.port === '' ? '' : String(Number(parts.port));
  const isDefault = port === '' || port === defaultPort[scheme];
  return `${scheme}://${parts.host.toLowerCase()}${isDefault ? '' : `:${port}`}`;
}

/** Some servers decode more than once; deeper encodings than this are refused. */
const maxDecoded = 6;

// A decoded path is bytes, one character each. Old decoders read overlong UTF-8 as ASCII.
const overlong =
  /(?:[\xc0\xc1]|\xe0[\x80\x81]|\xf0\x80[\x80\x81]|\xf8\x80\x80[\x80\x81]|\xfc\x80\x80\x80[\x80\x81])[\x80-\xbf]/g;

/** Unicode's other full stops: full width, small, one and two dot leaders. */
const otherDots = /\xef\xbc\x8e|\xef\xb9\x92|\xe2\x80\xa4|\xe2\x80\xa5/g;

/** Characters that end a segment for some servers: parameters, query, fragment, slashes of other widths. */
const softEnds = /[;?#]|\xef\xbc[\x8f\xbc]|\xe2\x88[\x95\x96]|\xe2\x81\x84|\xef\xb9\xa8/;

/** Controls and blanks, which some servers drop, or end a segment at. */
const blanks = /[\p{Cc}\s]/gu;

/**
 * Whether any server may read the path as leading up: dot segments and separators, repeatedly encoded, in overlong UTF-8 or
 * other widths, next to parameters, blanks or controls (RFC 3986 section 5.2.4 covers the plain ones).
 */
export function mayLeadUp(path: string): boolean {
  if (!/[%.\\]/.test(path)) return false; // most paths
  const depth = path.split('/').length;
  let read = path;
  for (let round = 0; round < maxDecoded; round += 1) {
    const plain = withAsciiDots(read);
    const segments = plain.split('/');
    if (plain.includes('\\') || segments.length !== depth) return true;
    if (segments.some((segment) => segment.split(softEnds).some(isDots))) return true;
    const next = decodedOnce(read);
    if (next === read) return false;
    read = next;
  }
  return true;
}

/** Removes percent-encoding until none is left; each byte becomes one character. */
export function fullyDecoded(text: string): string {
  const next = decodedOnce(text);
  return next === text ? text : fullyDecoded(next);
}

function decodedOnce(text: string): string {
  return text.replace(/%(?:u00)?([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function isDots(segment: string): boolean {
  const bare = segment.replace(blanks, '');
  return bare === '.' || bare === '..' || (/^\.+$/.test(bare) && bare !== segment);
}

function withAsciiDots(text: string): string {
  return text
    .replace(overlong, (bytes) => {
      const last = bytes.charCodeAt(bytes.length - 1) & 0x3f;
      const before = bytes.charCodeAt(bytes.length - 2) & 1;
      return String.fromCharCode((before << 6) | last);
    })
    .replaceAll('\xc0.', '.') // the same with an invalid second byte: `%c0%2e`, `%c1%1c`
    .replaceAll('\xc1\x1c', '\\')
    .replace(otherDots, (bytes) => (bytes === '\xe2\x80\xa5' ? '..' : '.'));
}
