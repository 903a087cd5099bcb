import type { CorePorts } from '../core/ports.js';
import { takeStep } from '../core/ports.js';
import { clientInfo, latestProtocolVersion } from '../core/product.js';
import type { Zone } from '../core/records.js';
import { parseScope } from '../core/scope.js';
import type { HttpClient, HttpPorts, HttpResponse } from '../http/request.js';
import { bearerChallenge } from './challenge.js';
import { challengeUnusable, serverAnswered } from './failures.js';

export interface ProbedServer {
  readonly zone: Zone;
  readonly status: number;
  /** From the Bearer challenge of a 401. */
  readonly resourceMetadata: string | undefined;
  /** The challenged scopes, authoritative for the login; undefined when none were named. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Asks the server without a token and reads its 401. Some servers let `initialize` through and ask for a login at
 * the first real request: then `tools/list` is tried in that session.
 * @throws Failure `challenge_unusable`, `server_failed`, `discovery_failed`, or the HTTP client's
 */
export async function probeServer(
  ports: Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress'>,
  request: { readonly server: string; readonly signal: AbortSignal },
): Promise<ProbedServer> {
  ports.progress.begin(`Asking ${request.server}`);
  const step = { name: 'unauthenticated-request', asked: `POST ${request.server}`, rule: 'R-5.3a' } as const;
  const answer = await takeStep(ports, step, async () => {
    const first = await probe(ports.http, { ...request, method: 'initialize' });
    return first.status === 200 ? await probeInSession(ports, request, first) : first;
  });
  if (answer.status === 401) return readChallenge(ports, request.server, answer);
  const came = `status ${answer.status}, no challenge used`;
  ports.journal.record({
    name: 'unauthenticated-request',
    asked: `POST ${request.server}`,
    came,
    rule: 'R-7.1',
    verdict: 'warning',
    note: 'A server that wants a login answers 401; the well-known addresses are tried all the same.',
  });
  if (answer.status >= 500 || answer.status === 429 || (answer.status >= 300 && answer.status < 400)) {
    throw serverAnswered(request.server, answer.status);
  }
  return { zone: answer.zone, status: answer.status, resourceMetadata: undefined, scopes: undefined };
}

async function probeInSession(
  ports: Pick<HttpPorts, 'http'>,
  request: { readonly server: string; readonly signal: AbortSignal },
  first: ProbeAnswer,
): Promise<ProbeAnswer> {
  const session = first.sessionId === undefined ? {} : { sessionId: first.sessionId };
  return probe(ports.http, { ...request, ...session, method: 'tools/list' });
}

function readChallenge(ports: Pick<CorePorts, 'journal'>, server: string, answer: ProbeAnswer): ProbedServer {
  const challenge = bearerChallenge(answer.challenges);
  const record = (came: string, verdict: 'pass' | 'warning' | 'failure') =>
    ports.journal.record({
      name: 'unauthenticated-request',
      asked: `POST ${server}`,
      came,
      rule: 'R-2.4a',
      verdict,
    });
  if (challenge.kind === 'ambiguous' || challenge.kind === 'unreadable') {
    const why = challenge.kind === 'ambiguous' ? challenge.why : `it is ${challenge.problem.replaceAll('_', ' ')}`;
    record(`401, ${why}`, 'failure');
    throw challengeUnusable(server, why);
  }
  if (challenge.kind === 'none') {
    record('401 without a Bearer challenge', 'warning');
    return { zone: answer.zone, status: 401, resourceMetadata: undefined, scopes: undefined };
  }
  const scope = challenge.scope === undefined ? undefined : parseScope(challenge.scope);
  if (scope !== undefined && !scope.ok) {
    record('401, its scope is malformed', 'failure');
    throw challengeUnusable(server, `its scope is malformed (${scope.problem})`);
  }
  const scopes = scope?.scopes;
  record(`401, Bearer challenge${scopes === undefined ? '' : `, scope ${scopes.join(' ')}`}`, 'pass');
  return {
    zone: answer.zone,
    status: 401,
    resourceMetadata: challenge.resourceMetadata,
    scopes: scopes !== undefined && scopes.length > 0 ? scopes : undefined,
  };
}

const probeLimits = { of: 'metadata', totalMs: 10_000, headersMs: 10_000, maxBytes: 256 * 1024 } as const;

export interface ProbeAnswer {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly sessionId: string | undefined;
  readonly zone: HttpResponse['zone'];
}

/**
 * One protocol request without a token, to see how the server asks for a login.
 * @throws Failure of the HTTP client
 */
export async function probe(
  http: HttpClient,
  request: {
    readonly server: string;
    readonly method: 'initialize' | 'tools/list';
    readonly sessionId?: string;
    readonly signal: AbortSignal;
  },
): Promise<ProbeAnswer> {
  const params =
    request.method === 'initialize' ? { protocolVersion: latestProtocolVersion, capabilities: {}, clientInfo } : {};
  await using response = await http.send({
    method: 'POST',
    url: request.server,
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...(request.method === 'initialize' ? [] : ([['mcp-protocol-version', latestProtocolVersion]] as const)),
      ...(request.sessionId === undefined ? [] : ([['mcp-session-id', request.sessionId]] as const)),
    ],
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: request.method, params }),
    namedBy: 'person',
    redirects: 'report',
    limits: probeLimits,
    signal: request.signal,
  });
  return {
    status: response.status,
    challenges: response.headers.filter(([name]) => name === 'www-authenticate').map(([, value]) => value),
    sessionId: response.headers.find(([name]) => name === 'mcp-session-id')?.[1],
    zone: response.zone,
  };
}
