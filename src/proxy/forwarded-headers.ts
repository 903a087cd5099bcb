import { readConnection } from '../relay/heads.js';

/** What becomes of a header: its value is put in that list, its line goes on; without a meaning it goes on alone. */
interface Meaning<List extends string> {
  readonly list?: List;
  readonly goesOn: boolean;
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(' ').split(' ');
}

const dropped = { goesOn: false } as const;

function meaningsOf<List extends string>(
  taken: Readonly<Record<string, List>>,
  noted: Readonly<Record<string, List>>,
  others: readonly string[],
): ReadonlyMap<string, Meaning<List>> {
  return new Map<string, Meaning<List>>([
    ...others.map((name) => [name, dropped] as const),
    ...Object.entries(taken).map(([name, list]) => [name, { list, goesOn: false }] as const),
    ...Object.entries(noted).map(([name, list]) => [name, { list, goesOn: true }] as const),
  ]);
}

/** Sorts header lines, names and values in turn, in one pass. What belongs to the connection does not go on. */
function sorted<List extends string>(
  raw: readonly string[],
  meanings: ReadonlyMap<string, Meaning<List>>,
  unwanted: RegExp,
): {
  readonly lists: Readonly<Record<List, readonly string[]>>;
  readonly forward: readonly string[];
  readonly close: boolean;
} {
  const lists = {} as Record<List, string[]>;
  for (const { list } of meanings.values()) if (list !== undefined) lists[list] = [];
  const forward: string[] = [];
  const named: string[] = [];
  let close = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const lower = name.toLowerCase();
    if (lower === 'connection') {
      const connection = readConnection(value);
      named.push(...connection.names);
      close ||= connection.close;
      continue;
    }
    const { list, goesOn } = meanings.get(lower) ?? { goesOn: !unwanted.test(lower) };
    if (list !== undefined) lists[list].push(value);
    if (goesOn) forward.push(name, value);
  }
  return { lists, forward: named.length > 0 ? without(forward, named) : forward, close };
}

type ResponseList = 'locations' | 'challenges' | 'lengths' | 'cookies' | 'sessions' | 'contentTypes' | 'contentCodings';

/** What of a response's head is looked at, and the lines that go on to the caller; no framing. */
export interface ForwardedResponse extends Readonly<Record<ResponseList, readonly string[]>> {
  readonly hasDate: boolean;
  readonly forward: readonly string[];
}

/** Taken out: hop-by-hop headers, challenges, and what would change how a browser treats 127.0.0.1. */
const ofResponses = meaningsOf<ResponseList | 'dates'>(
  { location: 'locations', 'www-authenticate': 'challenges', 'content-length': 'lengths', 'set-cookie': 'cookies' },
  { 'mcp-session-id': 'sessions', 'content-type': 'contentTypes', 'content-encoding': 'contentCodings', date: 'dates' },
  words(
    'keep-alive te trailer upgrade via alt-svc content-location refresh transfer-encoding',
    'authorization set-cookie2 authentication-info',
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

export function forwardedResponse(raw: readonly string[]): ForwardedResponse {
  const { lists, forward } = sorted(raw, ofResponses, /^(?:proxy-|access-control-|cross-origin-)/);
  return { ...lists, hasDate: lists.dates.length > 0, forward: [...forward, ...inertPage] };
}

/** The header that carries the local key where it is not in the path. */
export const localKeyHeader = 'postern-key';

/** Which headers of a request decide, each in a list of its own. */
const deciding = {
  host: 'hosts',
  origin: 'origins',
  'sec-fetch-site': 'fetchSites',
  [localKeyHeader]: 'keys',
  'content-length': 'lengths',
  'transfer-encoding': 'codings',
  upgrade: 'upgrades',
  expect: 'expects',
} as const;

type RequestList = (typeof deciding)[keyof typeof deciding] | 'sessions';

/** What of a request's head decides whether and where it goes, and the lines that go on with it. */
export interface ForwardedRequest extends Readonly<Record<RequestList, readonly string[]>> {
  /** The connection is to end with the response. */
  readonly close: boolean;
  /** A header that may occur once occurs twice. */
  readonly repeated: boolean;
  /** All that is for the server; no framing, nothing about this connection, no identity of the caller's. */
  readonly forward: readonly string[];
}

/** Taken out: hop-by-hop headers (RFC 9110 section 7.6.1), and what identifies the caller or its route. */
const ofRequests = meaningsOf<RequestList>(
  deciding,
  { 'mcp-session-id': 'sessions' },
  words(
    'keep-alive te trailer http2-settings via max-forwards authorization cookie cookie2',
    'forwarded x-real-ip x-client-ip true-client-ip client-ip cf-connecting-ip from referer',
    'x-original-url x-rewrite-url x-original-host x-host',
  ),
);

/** May occur once in a request: servers read two of them differently. */
const once: ReadonlySet<string> = new Set(
  words('mcp-session-id content-type mcp-protocol-version last-event-id mcp-method mcp-name content-range range'),
);

export function forwardedRequest(raw: readonly string[]): ForwardedRequest {
  const { lists, forward, close } = sorted(raw, ofRequests, /^(?:proxy-|x-forwarded-)/);
  const singles = raw
    .filter((name, at) => at % 2 === 0 && once.has(name.toLowerCase()))
    .map((name) => name.toLowerCase());
  return { ...lists, close, repeated: new Set(singles).size < singles.length, forward };
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

function without(headers: readonly string[], names: readonly string[]): string[] {
  return headers.flatMap((name, at) =>
    at % 2 === 0 && !names.includes(name.toLowerCase()) ? [name, headers[at + 1] ?? ''] : [],
  );
}
