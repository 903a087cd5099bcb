import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../core/ports.js';
import type { KeeperView } from './keeper.js';
import type { ListenLocally } from './ports.js';

/** What a monitor gets by with. */
const limits = { connections: 16, headMs: 5_000, headBytes: 8_192 } as const;

/**
 * `/healthz` and `/metrics` for monitors of this machine. Other names than ours are refused, and whatever a web page sends
 * (DNS rebinding); nothing is changed by a request, and nothing secret is there.
 * @throws Failure of `listen`
 */
export async function openStatusPage(
  view: () => KeeperView,
  options: {
    readonly clock: Pick<Clock, 'now'>;
    readonly listen: ListenLocally;
    readonly where: { readonly port: number } | { readonly socket: string };
  },
): Promise<{ readonly origin: string } & AsyncDisposable> {
  let authorities: ReadonlySet<string> = new Set();
  const server = createServer({ maxHeaderSize: limits.headBytes }, (request, response) => {
    const [status, text] = respond(request, authorities, view(), options.clock.now());
    send(response, status, text, request.method === 'HEAD');
  });
  server.maxConnections = limits.connections;
  server.headersTimeout = limits.headMs;
  server.requestTimeout = limits.headMs;
  server.on('clientError', (_, socket) => socket.destroy());
  const listening = await options.listen(server, options.where);
  authorities = listening.authorities;
  return { origin: listening.origin, [Symbol.asyncDispose]: () => closed(server) };
}

function respond(
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  authorities: ReadonlySet<string>,
  view: KeeperView,
  now: number,
): readonly [status: number, text: string] {
  if (!authorities.has(headers.host ?? '')) return [421, 'This address is not served here.\n'];
  if (headers.origin !== undefined || !['none', undefined].includes(headers['sec-fetch-site'] as string | undefined)) {
    return [403, 'This is not for web pages.\n'];
  }
  if (method !== 'GET' && method !== 'HEAD') return [405, 'GET or HEAD.\n'];
  if (url === '/metrics') return [200, metricsText(view, now)];
  if (url === '/healthz') {
    const role = view.isLeader ? 'leading' : 'standing by';
    return view.isStoreThere ? [200, `ok, ${role}\n`] : [503, `the store is out of reach, ${role}\n`];
  }
  return [404, '/healthz or /metrics\n'];
}

function send(response: ServerResponse, status: number, text: string, headOnly: boolean): void {
  response.writeHead(status, {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(headOnly ? undefined : text);
}

async function closed(server: Server): Promise<void> {
  const gone = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await gone;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * What a keeper does, in the text format of Prometheus (version 0.0.4). No secret, address or account is in it but the
 * logins' labels.
 * @param now Milliseconds since 1970.
 */
export function metricsText({ isLeader, isStoreThere, states }: KeeperView, now: number): string {
  const of = (sample: (state: KeeperView['states'][number]) => readonly Sample[]) => states.flatMap(sample);
  const count = (state: string) => states.filter((each) => stateName(each) === state).length;
  return [
    family('postern_keeper_leader', 'gauge', 'Whether this keeper is the one that refreshes.', [
      [{}, Number(isLeader)],
    ]),
    family('postern_keeper_store_up', 'gauge', 'Whether the store was in reach at its last use.', [
      [{}, Number(isStoreThere)],
    ]),
    family(
      'postern_keeper_logins',
      'gauge',
      'Logins by state; login_needed: only a user can fix it.',
      ['fresh', 'failing', 'login_needed', 'unrefreshable'].map((state) => [{ state }, count(state)]),
    ),
    family(
      'postern_keeper_token_expiry_seconds',
      'gauge',
      'Seconds until the access token ends, negative afterwards.',
      of(({ login, life }) =>
        life.expiresAt === null ? [] : [[{ login: login.label }, Math.round((life.expiresAt - now) / 1000)]],
      ),
    ),
    family(
      'postern_keeper_refreshes_total',
      'counter',
      'Refreshes that this keeper has done.',
      of(({ login, refreshes }) => [[{ login: login.label }, refreshes]]),
    ),
    family(
      'postern_keeper_refresh_failures_total',
      'counter',
      'Refreshes that failed, by the code of the failure.',
      of(({ login, failed }) => [...failed].map(([code, times]) => [{ login: login.label, code }, times])),
    ),
  ].join('');
}

function stateName({ login, isEnded, failures }: KeeperView['states'][number]): string {
  if (isEnded) return 'login_needed';
  if (login.state === 'unrefreshable') return 'unrefreshable';
  return failures > 0 ? 'failing' : 'fresh';
}

function family(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** As the format has it: backslash, quotation mark, line feed. Other control characters are of no use to anybody. */
function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}/gu, '?');
}
