import { ignoreFailure, type Step } from '../core/failure.js';
import { type CorePorts, takeStep } from '../core/ports.js';
import { clientInfo, latestProtocolVersion, newestRevision, ownMeta } from '../core/product.js';
import type { IndexDocument, Zone } from '../core/records.js';
import { canonicalResource, resourceCovers } from '../core/resource.js';
import { parseScope } from '../core/scope.js';
import { holdSession, type Secret } from '../core/secret.js';
import { type JsonObject, stringField } from '../core/text/json.js';
import { resolveReference } from '../core/url.js';
import type { HttpPorts } from '../http/request.js';
import { bearerChallenge, dpopChallenge } from './challenge.js';
import {
  type DiscoveryPorts,
  fetchDocument,
  metadataLimits,
  protectedResourceMetadataUrls,
} from './discovery-document.js';
import { challengeUnusable, probeFailed } from './failures.js';

export interface ProbedServer {
  readonly zone: Zone;
  readonly status: number;
  /** From the Bearer challenge of a 401. */
  readonly resourceMetadata: string | undefined;
  /** Where a redirect leads, which is never followed. */
  readonly location?: string | undefined;
  /** The challenged scopes, authoritative for the login; undefined when none were named. */
  readonly scopes: readonly string[] | undefined;
  /** Does its 401 name DPoP: beside Bearer, or alone? */
  readonly dpop?: 'offered' | 'only' | undefined;
}

interface ProbeRequest {
  readonly server: string;
  readonly signal: AbortSignal;
}

/** The challenge of a server that was kept, its header lines; empty without one. */
export function keptChallenge({ challenges = [] }: IndexDocument, server: string): readonly string[] {
  return challenges.find((one) => one.server === server)?.lines ?? [];
}

/** The part of the index that this file uses. */
interface ChallengeIndex {
  read(): Promise<IndexDocument>;
  update(change: (document: IndexDocument) => IndexDocument): Promise<unknown>;
}

/** Challenges that are kept, of the servers that sent one last; and the characters of one. */
const maxKept = 64;
const longestKept = 2048;

/**
 * Keeps what a server asked for a login with, where it names metadata that no login would find without it: what needs no
 * login is let through, and a login sends nothing else.
 * @param request.url Where it was sent to: an address below the server may belong to others.
 */
export async function keepChallenge(
  { index }: { readonly index: ChallengeIndex },
  { server, url, challenges: lines }: { server: string; url: string; challenges: readonly string[] },
): Promise<void> {
  const challenge = bearerChallenge(lines);
  const named = challenge.kind === 'bearer' ? challenge.resourceMetadata : undefined;
  if (named === undefined || url !== server || protectedResourceMetadataUrls(server).includes(named)) return;
  if (lines.join().length > longestKept) return;
  const keep = async () => {
    if (keptChallenge(await index.read(), server).join() === lines.join()) return;
    await index.update((document) => {
      const others = (document.challenges ?? []).filter((one) => one.server !== server);
      return { ...document, challenges: [...others.slice(1 - maxKept), { server, lines }] };
    });
  };
  await keep().catch(ignoreFailure); // that a login is needed is the better failure
}

/**
 * Asks the server without a token and reads its 401. Some servers let `initialize` through and ask for a login at
 * the first real request: then `tools/list` is tried in that session. One that refuses `initialize` for another reason may
 * speak the newer era alone, and is asked in that. One that lets all of this through is taken at its word of before.
 * @param request.kept The challenge of this server that was kept.
 * @throws Failure `challenge_unusable`, `server_failed`, `discovery_failed`, or the HTTP client's
 */
export async function probeServer(
  ports: Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress'>,
  request: ProbeRequest & { readonly kept?: readonly string[] | undefined },
): Promise<ProbedServer> {
  const { server, kept = [] } = request;
  ports.progress.begin(`Asking ${server}`);
  const step = { name: 'unauthenticated-request', asked: `POST ${server}` };
  const record = (ended: Omit<Step, 'name' | 'asked'>) => ports.journal.record({ ...step, ...ended });
  const asked = await takeStep(ports, { ...step, rule: 'R-5.3a' }, () => ask(ports, request, []));
  const { status, zone, location } = asked;
  const isKept = status < 300 && kept.length > 0;
  if (status !== 401 && !isKept) {
    const note = 'A server that wants a login answers 401; the well-known addresses are tried all the same.';
    record({ came: `status ${status}, no challenge used`, rule: 'R-7.1', verdict: 'warning', note });
    if (status >= 500 || status === 429) throw probeFailed({ server, given: undefined }, status);
    return { zone, status, resourceMetadata: undefined, location, scopes: undefined };
  }
  const challenges = isKept ? kept : asked.challenges;
  const challenge = bearerChallenge(challenges);
  if (challenge.kind === 'none') {
    record({ came: '401 without a Bearer or DPoP challenge', rule: 'R-2.4a', verdict: 'warning' });
    return { zone, status, resourceMetadata: undefined, scopes: undefined };
  }
  const unusable = (came: string, why = came) => {
    record({ came: `401, ${came}`, rule: 'R-2.4a', verdict: 'failure' });
    return challengeUnusable(server, why);
  };
  if (challenge.kind !== 'bearer') throw unusable(challenge.why);
  const scope = parseScope(challenge.scope ?? '');
  if (!scope.ok) throw unusable('its scope is malformed', `its scope is malformed (${scope.problem})`);
  const named = challenge.scope === undefined ? '' : `, scope ${scope.scopes.join(' ')}`;
  const scheme = challenge.scheme === 'dpop' ? 'DPoP' : 'Bearer';
  const earlier = isKept ? `${status}; to an earlier request ` : '';
  record({ came: `${earlier}401, ${scheme} challenge${named}`, rule: 'R-2.4a', verdict: 'pass' });
  const scopes = scope.scopes.length > 0 ? scope.scopes : undefined;
  const offered = dpopChallenge(challenges).kind === 'none' ? undefined : 'offered';
  const dpop = challenge.scheme === 'dpop' ? 'only' : offered;
  return { zone, status, resourceMetadata: challenge.resourceMetadata, scopes, dpop };
}

/**
 * The nearest address whose protected resource metadata is for itself: where a redirect leads on the same origin, the
 * address with or without the slash, with `/mcp`, with the other name of this machine; or the one that the root names.
 */
export async function nearestServer(
  ports: DiscoveryPorts,
  request: ProbeRequest & { readonly probed: Pick<ProbedServer, 'zone' | 'location'> },
): Promise<string | undefined> {
  const { server, probed, signal } = request;
  ports.progress.begin(`Looking for a server near ${server}`);
  const found = await Promise.all(
    addressesNear(server, probed.location).map(async (near) => {
      const [url = ''] = protectedResourceMetadataUrls(near);
      const document = await fetchDocument(ports, { url, zone: probed.zone, signal });
      const resource = canonicalOf((document.ok && stringField(document.object, 'resource')) || '');
      if (resource === undefined) return undefined;
      if (resourceCovers(resource, near) !== 'no') return near;
      return new URL(resource).origin === new URL(near).origin && resource !== server ? resource : undefined;
    }),
  );
  return found.find((near) => near !== undefined);
}

const canonicalOf = (text: string) => {
  const canonical = canonicalResource(text);
  return canonical.ok ? canonical.value : undefined;
};

function addressesNear(server: string, location: string | undefined): readonly string[] {
  const { origin, pathname, search } = new URL(server);
  const path = pathname.replace(/\/$/, '');
  const here = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }[new URL(server).hostname];
  const redirected = location === undefined ? undefined : resolveReference(location, server);
  const all = [
    ...(redirected?.origin === origin ? [redirected.href] : []),
    ...(here === undefined ? [] : [server.replace(/(?<=\/\/)[^:/?]+/, here)]),
    `${origin}${path}${pathname === path ? '/' : ''}${search}`,
    `${origin}/mcp${search}`,
    `${origin}${path}/mcp${search}`,
    origin,
  ];
  return [...new Set(all.flatMap((one) => canonicalOf(one) ?? []))].filter((near) => near !== server);
}

/** A request of the protocol, with the headers that its era wants. */
interface ProbeMessage {
  readonly method: string;
  readonly params: JsonObject;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

function older(method: 'initialize' | 'tools/list', sessionId?: string): ProbeMessage {
  const isFirst = method === 'initialize';
  return {
    method,
    params: isFirst ? { protocolVersion: latestProtocolVersion, capabilities: {}, clientInfo: { ...clientInfo } } : {},
    headers: [
      ...(isFirst ? [] : ([['mcp-protocol-version', latestProtocolVersion]] as const)),
      ...(sessionId === undefined ? [] : ([['mcp-session-id', sessionId]] as const)),
    ],
  };
}

function newer(method: 'server/discover' | 'tools/list'): ProbeMessage {
  return {
    method,
    params: { _meta: ownMeta(newestRevision, {}) },
    headers: [
      ['mcp-protocol-version', newestRevision],
      ['mcp-method', method],
    ],
  };
}

/** How a server responds to a request with a token. */
export interface TokenProbe {
  readonly status: number;
  readonly challenges: readonly string[];
  /** Of the session that the request has begun. */
  readonly sessionId: string | undefined;
  /** Where a redirect leads, which is never followed. */
  readonly location: string | undefined;
}

/**
 * Asks the server as `probeServer` does, with a token.
 * @param token One that was made up and opens nothing, or one that was issued for this very server.
 * @throws Failure of the HTTP client
 */
export async function probeWithToken(
  ports: Pick<HttpPorts, 'http'>,
  request: ProbeRequest & { readonly token: Secret },
): Promise<TokenProbe> {
  return await ask(ports, request, [['authorization', `Bearer ${request.token.reveal()}`]]);
}

/** What a server responds in an era that it does not speak. */
const notSpoken: readonly number[] = [400, 404, 405, 406, 415];

/** The requests of a probe, until one is responded to as the server responds to all without a token. */
async function ask(ports: Pick<HttpPorts, 'http'>, request: ProbeRequest, more: ProbeMessage['headers']) {
  const send = ({ headers, ...message }: ProbeMessage) =>
    probe(ports, request, { ...message, headers: [...headers, ...more] });
  const first = await send(older('initialize'));
  if (first.status === 200) {
    return { ...(await send(older('tools/list', first.sessionId))), sessionId: first.sessionId };
  }
  if (!notSpoken.includes(first.status)) return first;
  const discovered = await send(newer('server/discover'));
  const second = discovered.status === 200 ? await send(newer('tools/list')) : discovered;
  // With a token, whatever the newer era says of it counts: the older one is not spoken there.
  const counts = more.length > 0 ? !notSpoken.includes(second.status) : second.status === 401;
  return counts ? second : first;
}

/** One protocol request, to see how the server asks for a login. @throws Failure of the HTTP client */
async function probe(
  { http }: Pick<HttpPorts, 'http'>,
  { server, signal }: ProbeRequest,
  { method, params, headers: own }: ProbeMessage,
) {
  await using response = await http.send({
    method: 'POST',
    url: server,
    headers: [['content-type', 'application/json'], ['accept', 'application/json, text/event-stream'], ...own],
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }),
    namedBy: 'person',
    redirects: 'report',
    limits: metadataLimits,
    signal,
  });
  const { status, zone, headers } = response;
  const values = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [sessionId] = values('mcp-session-id');
  if (sessionId !== undefined) holdSession(sessionId);
  return { status, zone, challenges: values('www-authenticate'), sessionId, location: values('location')[0] };
}
