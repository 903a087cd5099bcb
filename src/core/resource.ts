import { quoted } from './text/printable.js';
import { fullyDecoded, gateUrl, mayLeadUp, originOf, splitUrl, type UrlParts } from './url.js';

export type CanonicalResource =
  | { readonly ok: true; readonly value: string }
  /** `problem` completes "this address cannot be used: …" and quotes nothing of it. */
  | { readonly ok: false; readonly problem: string };

/** Endings of query names that hold credentials in pasted URLs, as `readings` spells them. */
const credentialNames = /(?:token|secret|password|apikey)$/;

/**
 * The canonical URI of a protected resource (RFC 8707 section 2) from typed text: scheme and host in lower case, without the
 * default port and a lone `/` path, dot segments resolved, all else unchanged. Requests and stored logins use this, never
 * `URL.href`, which adds a slash.
 */
export function canonicalResource(raw: string): CanonicalResource {
  const parts = splitUrl(raw);
  if (parts === undefined) {
    const why = raw.includes('://') ? 'its host or port is not valid' : 'it has no scheme';
    return refuse(`${why}; write it as https://host/path`);
  }
  if (parts.userinfo !== undefined) return refuse('it holds a user name or password');
  if (parts.fragment !== '') return refuse('it has a fragment (#…)');
  if (
    queryNames(parts.query)
      .flatMap(readings)
      .some((name) => credentialNames.test(name))
  ) {
    return refuse('its query holds a credential, which would end up in logs');
  }
  const path = withoutDotSegments(parts.path);
  const value = `${originOf(parts)}${path === '/' && parts.query === '' ? '' : path}${parts.query}`;
  const gated = gateUrl(value);
  return gated.ok ? { ok: true, value } : refuse(gated.problem);
}

/**
 * Compares the `resource` that a server publishes with its address. `same`: equal except for case of scheme and host, the
 * default port, and `/` for an empty path. `ancestor`: above it on the same origin, so the token is good for more than
 * this server. `no`: anything else.
 * @param server A canonical URL.
 */
export function resourceCovers(resource: string, server: string): 'same' | 'ancestor' | 'no' {
  const above = splitUrl(resource);
  const below = splitUrl(server);
  if (above === undefined || below === undefined || !isPlain(above) || originOf(above) !== originOf(below)) return 'no';
  const upper = above.path || '/';
  const lower = below.path || '/';
  if (upper === lower && above.query === below.query) return 'same';
  return above.query === '' && !mayLeadUp(above.path) && isAtOrBelow(upper, lower) ? 'ancestor' : 'no';
}

/**
 * Whether the token of `base` may go to `target`: only on the same origin, at the path of `base` or below it on a segment
 * boundary, and only if no server could read the rest of the path as leading up (`mayLeadUp`). A `base` with a query covers
 * only that query: the target repeats it unchanged, and may append parameters of other names.
 * @param base A canonical URL.
 */
export function attaches(base: string, target: string): boolean {
  const upper = splitUrl(base);
  const lower = splitUrl(target);
  if (upper === undefined || lower === undefined || !isPlain(lower) || originOf(upper) !== originOf(lower)) {
    return false;
  }
  const basePath = upper.path || '/';
  const path = lower.path || '/';
  return (
    isAtOrBelow(basePath, path) &&
    !mayLeadUp(path.slice(basePath.length - 1)) &&
    (upper.query === '' || keepsQuery(upper.query, lower.query))
  );
}

/**
 * The servers nearest above `target`: the exact one, else those with the longest path, then the longest query. A token from
 * the environment is only for its exact address.
 */
export function nearest<Named extends { readonly server: string; readonly store?: string }>(
  all: readonly Named[],
  target: string,
): readonly Named[] {
  const exact = all.filter(({ server }) => server === target);
  if (exact.length > 0) return exact;
  const above = all.filter(({ server, store }) => store !== 'environment' && attaches(server, target));
  const longest = (among: readonly Named[], part: 'path' | 'query') => {
    const length = ({ server }: Named) => splitUrl(server)?.[part].length ?? 0;
    const max = Math.max(0, ...among.map(length));
    return among.filter((one) => length(one) === max);
  };
  return longest(longest(above, 'path'), 'query');
}

function refuse(problem: string): CanonicalResource {
  return { ok: false, problem };
}

function isPlain(parts: UrlParts): boolean {
  return (
    /^https?$/i.test(parts.scheme) &&
    parts.host !== '' &&
    parts.userinfo === undefined &&
    parts.fragment === '' &&
    /^[\x21-\x7e]*$/.test(parts.path + parts.query) &&
    !parts.path.includes('\\')
  );
}

function isAtOrBelow(upper: string, lower: string): boolean {
  return lower === upper || lower.startsWith(upper.endsWith('/') ? upper : `${upper}/`);
}

/** Some servers use the first of two equal parameters, others the last, so none may be repeated. */
function keepsQuery(upper: string, lower: string): boolean {
  if (lower === upper) return true;
  if (!lower.startsWith(`${upper}&`)) return false;
  const own = new Set(queryNames(upper).flatMap(readings));
  return queryNames(lower.slice(upper.length)).every((name) => !readings(name).some((one) => own.has(one)));
}

function queryNames(query: string): readonly string[] {
  return query
    .slice(1)
    .split(/[&;]/)
    .map((pair) => pair.split('=', 1)[0] ?? '');
}

/**
 * How servers may read a parameter's name: decoded, by some repeatedly; in any case; cut at a NUL or bracket; without blanks
 * and marks around it, and with `_` for those inside (as PHP does).
 */
function readings(name: string): readonly string[] {
  const decoded = fullyDecoded(name).toLowerCase();
  const start = decoded.replace(/^[^a-z0-9\x80-\xff]+/, '');
  const letters = (text: string) => text.replace(/[^a-z0-9]/g, '');
  return [decoded, letters(decoded), letters(start.replace(/[\0[].*$/s, ''))].filter((text) => text !== '');
}

/** RFC 3986 section 5.2.4, with `%2e` for a dot, as every HTTP client reads it. */
function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    const plain = segment.replace(/%2e/gi, '.');
    if (plain === '..') kept.pop();
    if (plain !== '.' && plain !== '..') {
      kept.push(segment);
    } else if (index === segments.length - 1) {
      kept.push('');
    }
  }
  return path === '' ? '' : `/${kept.join('/')}`;
}

/**
 * A URL without the parts that can hold a secret: query, fragment, user name and password. It also works for invalid URLs.
 * The result is still untrusted text: print it through `quoted`.
 */
export function visibleUrl(raw: string): string {
  const cut = raw.search(/[?#]/);
  const plain = cut === -1 ? raw : raw.slice(0, cut);
  const start = /^[a-z][a-z0-9+.-]*:[/\\]*/i.exec(plain)?.[0].length ?? 0;
  const pathStart = plain.slice(start).search(/\//);
  const end = pathStart === -1 ? plain.length : start + pathStart;
  // If it cannot be a host and port, it is a user whose password contains a slash.
  const isHost = /^(?:\[|.*@|[^:]*(?::\d*)?$)/.test(plain.slice(start, end));
  const at = plain.lastIndexOf('@', isHost ? end : plain.length);
  const shown = at < start || at === -1 ? plain : `${plain.slice(0, start)}***@${plain.slice(at + 1)}`;
  return cut === -1 ? shown : `${shown}${raw.charAt(cut)}…`;
}

/** The same, but keeps a query that seems to hold no secret: a printed command has to work. */
export function namedServer(raw: string): string {
  const canonical = canonicalResource(raw);
  return canonical.ok && !mayHoldSecret(raw) ? canonical.value : visibleUrl(raw);
}

/** A server in a sentence: a URL, or a program's command line. */
export function quotedServer(raw: string, max?: number): string {
  return quoted(raw.includes('://') ? namedServer(raw) : raw, max);
}

const secretNames =
  /(?:^|[_.-])(?:key|code|sig|signature|auth|authorization|session|sid|jwt|pass|passwd|pwd|credentials?|access)$/i;

/** Whether the query seems to hold a secret: by its name, or because it looks random. */
export function mayHoldSecret(url: string): boolean {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return [...new URLSearchParams(query)].some(
    ([name, value]) =>
      (value !== '' && secretNames.test(name)) ||
      `${name}-${value}`
        .split(/[^A-Za-z0-9_+/=]/)
        .some((run) => run.length >= 20 && /[0-9]/.test(run) && /[A-Za-z]/.test(run)),
  );
}
