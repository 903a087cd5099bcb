import { namedBy, withoutNamed } from './connection-options.js';

/** What of a response's head is looked at, and the lines that go on to the caller; no framing. */
export interface ResponseHead {
  readonly locations: readonly string[];
  readonly challenges: readonly string[];
  readonly lengths: readonly string[];
  readonly sessions: readonly string[];
  readonly contentTypes: readonly string[];
  readonly contentCodings: readonly string[];
  readonly hasDate: boolean;
  readonly forward: readonly string[];
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
export const inertPage: readonly string[] = [
  ...['content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'"],
  ...['x-content-type-options', 'nosniff'],
  ...['referrer-policy', 'no-referrer'],
  ...['cross-origin-resource-policy', 'same-origin'],
];

function isOfNoUse(name: string): boolean {
  return name.startsWith('proxy-') || name.startsWith('access-control-') || name.startsWith('cross-origin-');
}

/** Reads the head of a response in one pass. */
export function readResponseHead(raw: readonly string[]): ResponseHead {
  const locations: string[] = [];
  const challenges: string[] = [];
  const lengths: string[] = [];
  const sessions: string[] = [];
  let forward: string[] = [];
  let named: ReadonlySet<string> | undefined;
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
    else if (lower === 'connection') named = namedBy(value, named);
    else if (!notForTheCaller.has(lower) && !isOfNoUse(lower)) {
      if (lower === 'mcp-session-id') sessions.push(value);
      else if (lower === 'content-type') contentTypes.push(value);
      else if (lower === 'content-encoding') contentCodings.push(value);
      else if (lower === 'date') hasDate = true;
      forward.push(name, value);
    }
  }
  if (named !== undefined) forward = withoutNamed(forward, named);
  forward.push(...inertPage);
  return { locations, challenges, lengths, sessions, contentTypes, contentCodings, hasDate, forward };
}
