import { namedBy, withoutNamed } from './connection-options.js';

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
  readonly expects: readonly string[];
  /** The connection is to end with the answer. */
  readonly close: boolean;
  readonly sessions: readonly string[];
  /** A header that may stand there once stands there twice. */
  readonly repeated: boolean;
  /** All that is for the server; no framing, nothing about this connection, no identity of the caller's. */
  readonly forward: string[];
}

/** Taken out of requests: the connection's own business (RFC 9110 section 7.6.1), and who the caller is or came through. */
const notForTheServer: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'te', 'trailer', 'http2-settings', 'via', 'max-forwards'],
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

/** Reads the head of a request, names and values in turn, in one pass. */
export function readRequestHead(raw: readonly string[]): RequestHead {
  const seen = {
    ...{
      hosts: [],
      origins: [],
      fetchSites: [],
      keys: [],
      lengths: [],
      codings: [],
      upgrades: [],
      expects: [],
    },
  };
  const lists: Record<string, string[]> = {
    host: seen.hosts,
    origin: seen.origins,
    'sec-fetch-site': seen.fetchSites,
    [localKeyHeader]: seen.keys,
    'content-length': seen.lengths,
    'transfer-encoding': seen.codings,
    upgrade: seen.upgrades,
    expect: seen.expects,
  };
  const sessions: string[] = [];
  const single = new Set<string>();
  let forward: string[] = [];
  let named: ReadonlySet<string> | undefined;
  let repeated = false;
  let close = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const value = raw[at + 1] ?? '';
    const lower = name.toLowerCase();
    const list = Object.hasOwn(lists, lower) ? lists[lower] : undefined;
    if (list !== undefined) {
      list.push(value);
    } else if (lower === 'connection') {
      named = namedBy(value, named);
      close ||= /(?:^|[\t ,])close(?:$|[\t ,])/i.test(value);
    } else if (!notForTheServer.has(lower) && !/^(?:proxy-|x-forwarded-)/.test(lower)) {
      repeated ||= once.has(lower) && single.has(lower);
      if (once.has(lower)) single.add(lower);
      if (lower === 'mcp-session-id') sessions.push(value);
      forward.push(name, value);
    }
  }
  if (named !== undefined) forward = withoutNamed(forward, named);
  return { ...seen, close, sessions, repeated: repeated || sessions.length > 1, forward };
}
