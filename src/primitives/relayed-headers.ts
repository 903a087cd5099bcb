/** Headers as they are on the wire: name and value in turn. */
export type RawHeaders = readonly string[];

/** The header that carries the local key where it is not in the path. */
export const localKeyHeader = 'postern-key';

/** What of a request's head decides whether and where it goes, and the lines that go on with it. */
export interface RequestHead {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly fetchSites: readonly string[];
  readonly keys: readonly string[];
  readonly lengths: readonly string[];
  readonly codings: readonly string[];
  readonly upgrades: readonly string[];
  readonly sessions: readonly string[];
  /** A header that may stand there once stands there twice. */
  readonly repeated: boolean;
  /** All that is for the server; no framing, nothing about this connection, no identity of the caller's. */
  readonly forward: string[];
}

/** Taken out of requests: the connection's own business (RFC 9110 section 7.6.1), and who the caller is or came through. */
const notForTheServer: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'http2-settings', 'expect', 'via', 'max-forwards'],
  ...[
    'authorization',
    'cookie',
    'cookie2',
    'forwarded',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'client-ip',
  ],
  ...['referer', 'x-original-url', 'x-rewrite-url', 'x-original-host', 'x-host', 'cf-connecting-ip', 'from'],
]);
/** May stand in a request once: two of them are read differently by different servers. */
const once: ReadonlySet<string> = new Set([
  ...[
    'content-type',
    'mcp-protocol-version',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'content-range',
    'range',
  ],
]);

/** Reads the head of a request in one pass. */
export function readRequestHead(raw: RawHeaders): RequestHead {
  const seen = { hosts: [], origins: [], fetchSites: [], keys: [], lengths: [], codings: [], upgrades: [] };
  const lists: Record<string, string[]> = {
    host: seen.hosts,
    origin: seen.origins,
    'sec-fetch-site': seen.fetchSites,
    [localKeyHeader]: seen.keys,
    'content-length': seen.lengths,
    'transfer-encoding': seen.codings,
    upgrade: seen.upgrades,
  };
  const sessions: string[] = [];
  const single = new Set<string>();
  let forward: string[] = [];
  let named: ReadonlySet<string> | undefined;
  let repeated = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    const list = Object.hasOwn(lists, lower) ? lists[lower] : undefined;
    if (list !== undefined) {
      list.push(value);
    } else if (lower === 'connection') {
      named = namedBy(value, named);
    } else if (!notForTheServer.has(lower) && !/^(?:proxy-|x-forwarded-)/.test(lower)) {
      repeated ||= once.has(lower) && single.has(lower);
      if (once.has(lower)) single.add(lower);
      if (lower === 'mcp-session-id') sessions.push(value);
      forward.push(name, value);
    }
  }
  if (named !== undefined) forward = without(forward, named);
  return { ...seen, sessions, repeated: repeated || sessions.length > 1, forward };
}

/** What of a response's head is looked at, and the lines that go on to the caller. */
export interface ResponseHead {
  readonly locations: readonly string[];
  readonly challenges: readonly string[];
  readonly codings: readonly string[];
  readonly sessions: readonly string[];
  readonly contentType: string;
  readonly hasDate: boolean;
  readonly forward: string[];
}

/**
 * Taken out of responses: the connection's own business, challenges, and what would change how a browser treats
 * 127.0.0.1, which is not the server's.
 */
const notForTheCaller: ReadonlySet<string> = new Set([
  ...['keep-alive', 'te', 'trailer', 'upgrade', 'via', 'alt-svc', 'location', 'content-location', 'refresh'],
  ...[
    'authorization',
    'set-cookie',
    'set-cookie2',
    'authentication-info',
    'www-authenticate',
    'transfer-encoding',
    'connection',
  ],
  ...[
    'clear-site-data',
    'strict-transport-security',
    'public-key-pins',
    'expect-ct',
    'service-worker-allowed',
  ],
  ...[
    'content-security-policy',
    'content-security-policy-report-only',
    'x-content-type-options',
    'x-frame-options',
  ],
  ...['report-to', 'reporting-endpoints', 'nel', 'referrer-policy', 'permissions-policy', 'feature-policy'],
  ...[
    'timing-allow-origin',
    'origin-agent-cluster',
    'sourcemap',
    'x-sourcemap',
    'critical-ch',
    'accept-ch',
    'p3p',
  ],
]);

/** On every answer: a page of the server's that a browser shows from here is inert, and tells nobody its address. */
export const inertPage: RawHeaders = [
  ...['content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'"],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-resource-policy', 'same-origin'],
];

/** Reads the head of a response in one pass. */
export function readResponseHead(raw: RawHeaders): ResponseHead {
  const [locations, challenges, codings, sessions]: [string[], string[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  let forward: string[] = [];
  let named: ReadonlySet<string> | undefined;
  let contentType = '';
  let hasDate = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'location') locations.push(value);
    else if (lower === 'www-authenticate') challenges.push(value);
    else if (lower === 'transfer-encoding') codings.push(value);
    else if (lower === 'connection') named = namedBy(value, named);
    else if (!notForTheCaller.has(lower) && !/^(?:proxy-|access-control-|cross-origin-)/.test(lower)) {
      if (lower === 'mcp-session-id') sessions.push(value);
      else if (lower === 'content-type') contentType = value;
      else if (lower === 'date') hasDate = true;
      forward.push(name, value);
    }
  }
  if (named !== undefined) forward = without(forward, named);
  forward.push(...inertPage);
  return { locations, challenges, codings, sessions, contentType, hasDate, forward };
}

/** The headers that a `Connection` line names, beside what is common there; undefined for none. */
function namedBy(value: string, before: ReadonlySet<string> | undefined): ReadonlySet<string> | undefined {
  const lower = value.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return before;
  const names = lower
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'keep-alive' && name !== 'close');
  return names.length === 0 ? before : new Set([...(before ?? []), ...names]);
}

function without(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && !names.has(name.toLowerCase()) ? [name, headers[at + 1] ?? ''] : [],
  );
}
