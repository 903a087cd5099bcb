import { challengeUnusable, serverAnswered } from '../../errors/discovery.js';
import type { Ports } from '../../ports.js';
import { bearerChallenge } from '../../primitives/bearer-challenge.js';
import type { Zone } from '../../primitives/records.js';
import { parseScope } from '../../primitives/scope.js';
import { type ProbeAnswer, probe } from '../../protocol/mcp/probe.js';
import { toldStep } from '../told-step.js';

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
 * @throws Failure `challenge_unusable`, `server_failed`, `discovery_failed`, or the door's
 */
export async function probeServer(
  ports: Pick<Ports, 'door' | 'journal' | 'progress'>,
  request: { readonly server: string; readonly signal: AbortSignal },
): Promise<ProbedServer> {
  ports.progress.begin(`Asking ${request.server}`);
  const step = { name: 'unauthenticated-request', asked: `POST ${request.server}`, rule: 'R-5.3a' } as const;
  const answer = await toldStep(ports, step, async () => {
    const first = await probe(ports.door, { ...request, method: 'initialize' });
    return first.status === 200 ? await probeInSession(ports, request, first) : first;
  });
  if (answer.status === 401) {
    return readChallenge(ports, request.server, answer);
  }
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
    throw serverAnswered(request.server, answer.status, ports.journal.steps);
  }
  return { zone: answer.zone, status: answer.status, resourceMetadata: undefined, scopes: undefined };
}

async function probeInSession(
  ports: Pick<Ports, 'door'>,
  request: { readonly server: string; readonly signal: AbortSignal },
  first: ProbeAnswer,
): Promise<ProbeAnswer> {
  const session = first.sessionId === undefined ? {} : { sessionId: first.sessionId };
  return probe(ports.door, { ...request, ...session, method: 'tools/list' });
}

function readChallenge(ports: Pick<Ports, 'journal'>, server: string, answer: ProbeAnswer): ProbedServer {
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
    const why =
      challenge.kind === 'ambiguous' ? challenge.why : `it is ${challenge.problem.replaceAll('_', ' ')}`;
    record(`401, ${why}`, 'failure');
    throw challengeUnusable(server, why, ports.journal.steps);
  }
  if (challenge.kind === 'none') {
    record('401 without a Bearer challenge', 'warning');
    return { zone: answer.zone, status: 401, resourceMetadata: undefined, scopes: undefined };
  }
  const scope = challenge.scope === undefined ? undefined : parseScope(challenge.scope);
  if (scope !== undefined && !scope.ok) {
    record('401, its scope is malformed', 'failure');
    throw challengeUnusable(server, `its scope is malformed (${scope.problem})`, ports.journal.steps);
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
