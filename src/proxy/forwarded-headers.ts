import { readConnection } from '../relay/heads.js';

/** What of a response's head is looked at, and the lines that go on to the caller; no framing. */
export interface ForwardedResponse {
  readonly locations: readonly string[];
  readonly challenges: readonly string[];
  readonly lengths: readonly string[];
  readonly sessions: readonly string[];
  /** Values of `Set-Cookie`, which do not go on. */
  readonly cookies: readonly string[];
  readonly contentTypes: readonly string[];
  readonly contentCodings: readonly string[];
  readonly hasDate: boolean;
  readonly forward: readonly string[];
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(' ').split(' ');
}

/**
 * Taken out of responses: hop-by-hop headers, challenges, and what would change how a browser treats 127.0.0.1.
 */
const notForTheCaller: ReadonlySet<string> = new Set(
  words(
    'keep-alive te trailer upgrade via alt-svc location content-location refresh transfer-encoding connection',
    'authorization set-cookie set-cookie2 authentication-info www-authenticate',
    'clear-site-data strict-transport-security public-key-pins expect-ct service-worker-allowed',
    'content-security-policy content-security-policy-report-only x-content-type-options x-frame-options',
    'report-to reporting-endpoints nel referrer-policy permissions-policy feature-policy',
    'timing-allow-origin origin-agent-cluster sourcemap x-sourcemap critical-ch accept-ch p3p',
  ),
);

/** On every response: a page of the server's that a browser shows from here is inert, and sends no referrer. */
export const inertPage: readonly string[] = [
  ...['content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'"],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-resource-policy', 'same-origin'],
];

function isOfNoUse(name: string): boolean {
  return name.startsWith('proxy-') || name.startsWith('access-control-') || name.startsWith('cross-origin-');
}

/** Sorts the header lines of a response in one pass. */
export function forwardedResponse(raw: readonly string[]): ForwardedResponse {
  const locations: string[] = [];
  const challenges: string[] = [];
  const lengths: string[] = [];
  const sessions: string[] = [];
  const cookies: string[] = [];
  let forward: string[] = [];
  const named: string[] = [];
  const contentTypes: string[] = [];
  const contentCodings: string[] = [];
  let hasDate = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'location') locations.push(value);
    else if (lower === 'www-authenticate') challenges.push(value);
    else if (lower === 'content-length') lengths.push(value);
    else if (lower === 'set-cookie') cookies.push(value);
    else if (lower === 'connection') named.push(...readConnection(value).names);
    else if (!notForTheCaller.has(lower) && !isOfNoUse(lower)) {
      if (lower === 'mcp-session-id') sessions.push(value);
      else if (lower === 'content-type') contentTypes.push(value);
      else if (lower === 'content-encoding') contentCodings.push(value);
      else if (lower === 'date') hasDate = true;
      forward.push(name, value);
    }
  }
  if (named.length > 0) forward = without(forward, named);
  forward.push(...inertPage);
  return { locations, challenges, lengths, sessions, cookies, contentTypes, contentCodings, hasDate, forward };
}

/** The header that carries the local key where it is not in the path. */
export const localKeyHeader = 'postern-key';

/** Which headers decide, each in a list of its own. */
const lists = {
  host: 'hosts',
  origin: 'origins',
  'sec-fetch-site': 'fetchSites',
  [localKeyHeader]: 'keys',
  'content-length': 'lengths',
  'transfer-encoding': 'codings',
  upgrade: 'upgrades',
  expect: 'expects',
} as const;

/** What of a request's head decides whether and where it goes, and the lines that go on with it. */
export interface ForwardedRequest extends Readonly<Record<(typeof lists)[keyof typeof lists], readonly string[]>> {
  /** The connection is to end with the response. */
  readonly close: boolean;
  readonly sessions: readonly string[];
  /** A header that may occur once occurs twice. */
  readonly repeated: boolean;
  /** All that is for the server; no framing, nothing about this connection, no identity of the caller's. */
  readonly forward: readonly string[];
}

/** Taken out: hop-by-hop headers (RFC 9110 section 7.6.1), and what identifies the caller or its route. */
const notForTheServer = words(
  'keep-alive te trailer http2-settings via max-forwards authorization cookie cookie2',
  'forwarded x-real-ip x-client-ip true-client-ip client-ip cf-connecting-ip from referer',
  'x-original-url x-rewrite-url x-original-host x-host',
);

/** May occur once in a request: servers read two of them differently. */
const once = words('content-type mcp-protocol-version last-event-id mcp-method mcp-name content-range range');

/** What a header means to us; what has no meaning goes on. */
const meanings: ReadonlyMap<string, 'drop' | 'connection' | 'once' | 'session' | (typeof lists)[keyof typeof lists]> =
  new Map([
    ...Object.entries(lists),
    ...notForTheServer.map((name) => [name, 'drop'] as const),
    ...once.map((name) => [name, 'once'] as const),
    ['connection', 'connection'] as const,
    ['mcp-session-id', 'session'] as const,
  ]);

const none: readonly string[] = [];

class Sorted implements ForwardedRequest {
  hosts = none;
  origins = none;
  fetchSites = none;
  keys = none;
  lengths = none;
  codings = none;
  upgrades = none;
  expects = none;
  sessions = none;
  close = false;
  repeated = false;
  forward: string[] = [];
}

/** Header lines of a request for an event stream, whose response is to be read here: not to be compressed. */
export function plainly(forward: readonly string[]): readonly string[] {
  const asks = forward.some(
    (value, at) => at % 2 === 1 && /^accept$/i.test(forward[at - 1] ?? '') && /event-stream|\*/.test(value),
  );
  return asks ? [...without(forward, ['accept-encoding']), 'accept-encoding', 'identity'] : forward;
}

/** Header lines of a request whose response is to be read here, whatever it is. */
export function uncoded(forward: readonly string[]): readonly string[] {
  return [...without(forward, ['accept-encoding']), 'accept-encoding', 'identity'];
}

/** Sorts the header lines of a request, names and values in turn, in one pass. */
export function forwardedRequest(raw: readonly string[]): ForwardedRequest {
  const head = new Sorted();
  let singles = none;
  const named: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    const meaning = meanings.get(lower);
    if (meaning === 'connection') {
      const connection = readConnection(value);
      named.push(...connection.names);
      head.close ||= connection.close;
    } else if (meaning === undefined || meaning === 'once' || meaning === 'session') {
      if (lower.startsWith('proxy-') || lower.startsWith('x-forwarded-')) continue;
      if (meaning === 'once') {
        head.repeated ||= singles.includes(lower);
        singles = [...singles, lower];
      } else if (meaning === 'session') head.sessions = [...head.sessions, value];
      head.forward.push(name, value);
    } else if (meaning !== 'drop') {
      head[meaning] = [...head[meaning], value];
    }
  }
  if (named.length > 0) head.forward = without(head.forward, named);
  head.repeated ||= head.sessions.length > 1;
  return head;
}

function without(headers: readonly string[], names: readonly string[]): string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && !names.includes(name.toLowerCase()) ? [name, headers[at + 1] ?? ''] : [],
  );
}
