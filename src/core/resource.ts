import { quoted } from './text/printable.js';
import { fullyDecoded, gateUrl, mayLeadUp, originOf, splitUrl, type UrlParts } from './url.js';

export type CanonicalResource =
  | { readonly ok: true; readonly value: string }
  /** `problem` finishes "this address cannot be used: …" and quotes nothing of it. */
  | { readonly ok: false; readonly problem: string };

/** How query names end under which people paste a credential into a URL, as `readings` gives them. */
const credentialNames = /(?:token|secret|password|apikey)$/;

/**
 * The canonical URI of a protected resource (RFC 8707 section 2) from what a person typed: scheme and host in
 * lower case, the scheme's own port and a lone `/` for path left out, dot segments resolved, all else as it is.
 * This, and never `URL.href` (which adds a slash), is what is sent and what the login is kept under.
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
 * How the `resource` that a server publishes about itself stands to the address it was asked for. `same`: equal
 * but for case of scheme and host, the scheme's own port, and `/` for an empty path. `ancestor`: an address above
 * it on the same origin, so that the token is good for more than this server. `no`: anything else.
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
 * May the token of `base` go to `target`? Only on the same origin, at the path of `base` or below it on a segment
 * boundary, and only where no server could read the rest of the path as leading up again (`mayLeadUp`). A `base` with a
 * query covers that query alone: the target has it as it stands, and may add parameters of other names behind it.
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
 * Those of these servers that are nearest above `target`: that very one, else the longest path, then the longest query.
 * A token of the environment is for its very address.
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

/** A parameter that comes twice means the first to one server and the last to another, so none may come again. */
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
 * What servers may take the name of a parameter for: decoded, by some more than once; in any case; cut at a NUL or a
 * bracket; without blanks and marks about it, and with `_` for those within (as PHP does).
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
 * A URL, or what was given as one, without the parts that can hold a secret: query, fragment, user
 * name and password. It works on the raw text, because it is needed where the text is no valid URL. The
 * result is still untrusted text: it is printed through `quoted`.
 */
export function visibleUrl(raw: string): string {
  const cut = raw.search(/[?#]/);
  const plain = cut === -1 ? raw : raw.slice(0, cut);
  const start = /^[a-z][a-z0-9+.-]*:[/\\]*/i.exec(plain)?.[0].length ?? 0;
  const pathStart = plain.slice(start).search(/\//);
  const end = pathStart === -1 ? plain.length : start + pathStart;
  // What no host and port can be is a user whose password has a slash.
  const isHost = /^(?:\[|.*@|[^:]*(?::\d*)?$)/.test(plain.slice(start, end));
  const at = plain.lastIndexOf('@', isHost ? end : plain.length);
  const shown = at < start || at === -1 ? plain : `${plain.slice(0, start)}***@${plain.slice(at + 1)}`;
  return cut === -1 ? shown : `${shown}${raw.charAt(cut)}…`;
}

/** The same, with a query that tells servers apart, if it seems to hold no secret: a command has to work as it is printed. */
export function namedServer(raw: string): string {
  const canonical = canonicalResource(raw);
  return canonical.ok && !mayHoldSecret(raw) ? canonical.value : visibleUrl(raw);
}

/** A server in a sentence: an address, or the command line of a program. */
export function quotedServer(raw: string, max?: number): string {
  return quoted(raw.includes('://') ? namedServer(raw) : raw, max);
}

const secretNames =
  /(?:^|[_.-])(?:key|code|sig|signature|auth|authorization|session|sid|jwt|pass|passwd|pwd|credentials?|access)$/i;

/** Whether the query seems to hold a secret: by its name, or as nobody would type it. */
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
