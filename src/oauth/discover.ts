import { type LoginAsked, loginCommand } from '../core/login-command.js';
import type { CorePorts } from '../core/ports.js';
import type { Zone } from '../core/records.js';
import { unionScopes } from '../core/scope.js';
import type { SecretHeader } from '../core/secret.js';
import { printable, shellWord } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { Deadline } from '../core/time.js';
import type { HttpPorts } from '../http/request.js';
import { differBySlash, httpWithHeaders, isNamed, isSameIssuer } from './discovery-document.js';
import {
  authorizationServerChanged,
  authorizationServerNotNamed,
  authorizationServerUnusable,
  discoveryTimedOut,
  noProtectedResourceMetadata,
  OtherIssuer,
} from './failures.js';
import { type ProbedServer, probeServer } from './probe.js';
import { findProtectedResource, issuerProblem, legacyResource, type ProtectedResource } from './resource-metadata.js';
import {
  type AuthorizationServer,
  findAuthorizationServer,
  isOwnIssuer,
  servesOwnMetadata,
  type WantedGrant,
} from './server-metadata.js';

export interface Discovery {
  readonly server: string;
  readonly zone: Zone;
  readonly protectedResource: ProtectedResource;
  /** What tokens are asked for instead of its resource, by a person's choice; null: nothing at all. */
  readonly requestedResource?: string | null | undefined;
  readonly authorizationServer: AuthorizationServer;
  /** The challenge's scopes; undefined when it named none. */
  readonly challengedScopes: readonly string[] | undefined;
  readonly challengedDpop?: ProbedServer['dpop'];
  /** What the person is shown at each login, and `status` repeats. */
  readonly warnings: readonly string[];
}

export type DiscoveryRequest = Omit<AuthorizationServerChoice, 'named'> & {
  readonly server: string;
  readonly grant: WantedGrant;
  /** It was typed for this login: it counts at a server that names none, too. */
  readonly wantedIsTyped?: boolean | undefined;
  /** A person's word: without protected resource metadata, `wanted` is the authorization server, else the server's own origin. */
  readonly legacy?: boolean | undefined;
  /** A person's word: what tokens are asked for instead of the server's resource; null: nothing at all. */
  readonly resource?: string | null | undefined;
  /** What the server wants with each request. */
  readonly headers: readonly SecretHeader[];
  /** `keptChallenge` of the server. */
  readonly kept: readonly string[];
};

/**
 * From a server's canonical URL to the authorization server to log in at: rules 5.3, steps 1 to 4, each once and
 * in order. Nothing is registered, opened or stored.
 * @throws Failure of each step, `timed_out` when all took too long together
 */
export async function discover(
  ports: Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress' | 'terminal' | 'limits'>,
  request: DiscoveryRequest,
): Promise<Discovery> {
  const { server, kept } = request;
  const discoveryMs = (await ports.limits()).discoverySeconds * 1000;
  // For all requests together, however many addresses hang; each has a shorter limit of its own.
  using limit = new Deadline(discoveryMs, () => discoveryTimedOut(server, discoveryMs));
  const signal = AbortSignal.any([request.signal, limit.signal]);
  const probed = await probeServer({ ...ports, http: httpWithHeaders(ports.http, request) }, { server, kept, signal });
  const protectedResource = await findResource(ports, { ...request, signal }, probed);
  const named = protectedResource.authorizationServers;
  limit.stop(); // the user may take all the time for an answer
  const issuer = await chooseAuthorizationServer(ports, { ...request, named });
  limit.restart();
  const step = { name: 'authorization-server-choice', asked: `${named.length} named`, rule: 'R-2.1b' };
  ports.journal.record({ ...step, came: issuer, verdict: 'pass' });
  const { zone } = probed;
  const { resource, isLegacy } = protectedResource;
  const wanted = { resource, isLegacy, zone, grant: request.grant, signal };
  const authorizationServer = await findServer(ports, { ...wanted, issuer }).catch(async (error: unknown) => {
    limit.stop();
    const spelling = await ownSpelling(ports, request, issuer, error);
    limit.restart();
    return await findServer(ports, { ...wanted, issuer: spelling });
  });
  const requestedResource = chosenResource(request, protectedResource);
  const found = { server, zone, protectedResource, requestedResource, authorizationServer };
  const warnings = warningsOf(probed.resourceMetadata ?? server, found);
  return { ...found, challengedScopes: probed.scopes, challengedDpop: probed.dpop, warnings };
}

type DiscoverPorts = Parameters<typeof discover>[0];

/** The protected resource, or what stands in for its metadata where a user has decided that. */
function findResource(
  ports: DiscoverPorts,
  request: DiscoveryRequest,
  probed: ProbedServer,
): Promise<ProtectedResource> {
  const { server, wanted, held, grant, headers, meant, signal } = request;
  const isLegacy = request.legacy === true || held?.legacy === true;
  const trusted = request.wantedIsTyped === true ? wanted : undefined;
  const isDecided = isLegacy || trusted !== undefined;
  const { zone, status } = probed;
  const whenNone = async (tried: string) => {
    if (isLegacy || (isDecided && status < 300)) {
      return withoutMetadata(server, trusted ?? (held?.legacy ? held.issuer : undefined), zone);
    }
    const isOwn = trusted === undefined && (await servesOwnMetadata(ports, { server, zone, grant, signal }));
    throw noProtectedResourceMetadata(meant, tried, isOwn ? 'own' : trusted);
  };
  return findProtectedResource(ports, { server, probed, isDecided, whenNone, headers, meant, signal });
}

/** The authorization server, whose endpoints may all be reached: else a user would learn of it only afterwards. */
async function findServer(
  ports: DiscoverPorts,
  wanted: Parameters<typeof findAuthorizationServer>[1],
): Promise<AuthorizationServer> {
  const { zone, signal } = wanted;
  const found = await findAuthorizationServer(ports, wanted);
  const pushed = found.requiresPushedRequests ? found.pushedAuthorizationRequestEndpoint : undefined;
  for (const url of [found.tokenEndpoint, found.authorizationEndpoint, pushed]) {
    if (url !== undefined) await ports.http.check({ url, namedBy: zone, signal });
  }
  return found;
}

/** @throws Failure `authorization_server_unknown` where the person named what can be none */
function withoutMetadata(server: string, issuer: string | undefined, zone: Zone): ProtectedResource {
  const why = issuer === undefined ? undefined : issuerProblem(issuer, zone);
  if (issuer !== undefined && why !== undefined) throw authorizationServerUnusable(issuer, why);
  return legacyResource(server, issuer);
}

/**
 * What the issuer's metadata call it, where that differs by the slash at the end alone and the person at the terminal takes
 * it. From then on it is the issuer, to the character; the login that is made keeps it.
 * @throws the error; of such a difference with the line that takes it
 */
async function ownSpelling(
  { terminal }: Pick<CorePorts, 'terminal'>,
  { server, meant, signal }: Pick<DiscoveryRequest, 'server' | 'meant' | 'signal'>,
  issuer: string,
  error: unknown,
): Promise<string> {
  if (!(error instanceof OtherIssuer) || !differBySlash(issuer, error.found)) throw error;
  const { found } = error;
  const command = loginCommand(meant, '--authorization-server', shellWord(found));
  const failure = error.withRemedy(`Only the slash at the end differs. If you trust it, run: ${command}`);
  if (!terminal.interactive) throw failure;
  terminal.tell(
    `${printable(server)} names the authorization server ${printable(issuer)}, and that calls itself ${printable(found)}.`,
  );
  if (!(await saysYes(terminal, 'Only the slash at the end differs. Log in there?', signal))) throw failure;
  return found;
}

/** What was chosen with this login, or before; the server's own spelling is no choice. */
function chosenResource(
  { resource, held }: Pick<DiscoveryRequest, 'resource' | 'held'>,
  { resource: own }: ProtectedResource,
): string | null | undefined {
  const chosen = resource === undefined ? held?.requestedResource : resource;
  return chosen === own ? undefined : chosen;
}

/** The `resource` of requests (RFC 8707 section 2): as the server's metadata spells it, unless a person chose otherwise. */
export function resourceToSend({
  requestedResource: chosen,
  protectedResource,
}: Pick<Discovery, 'requestedResource' | 'protectedResource'>): string | undefined {
  return chosen === undefined ? protectedResource.resource : (chosen ?? undefined);
}

function warningsOf(
  metadataUrl: string,
  found: Pick<Discovery, 'server' | 'protectedResource' | 'requestedResource' | 'authorizationServer'>,
): readonly string[] {
  const { server, requestedResource } = found;
  const { relation, resource, isLegacy, authorizationServers: named } = found.protectedResource;
  const { issuer, authorizationEndpoint = issuer } = found.authorizationServer;
  const [ofServer, ofMetadata, ofIssuer, ofPage] = [server, metadataUrl, issuer, authorizationEndpoint].map(
    (url) => new URL(url).origin,
  );
  return [
    isLegacy === true && legacyWarning(server, issuer),
    requestedResource !== undefined && resourceWarning(server, issuer, requestedResource),
    requestedResource === undefined &&
      relation === 'ancestor' &&
      `the token is valid for the whole of ${resource}, not only for ${server}`,
    !named.includes(issuer) &&
      `the server calls its authorization server ${named.find((one) => differBySlash(one, issuer))}, and that calls itself ${issuer}`,
    ofMetadata !== ofServer && `the server's metadata is published at another origin, ${ofMetadata}`,
    ofPage !== ofIssuer && `the login page is at ${ofPage}, another site than the issuer ${issuer}`,
  ].filter((warning) => warning !== false);
}

/** What a login costs at a server that names no authorization server. */
function legacyWarning(server: string, issuer: string): string {
  const { origin } = new URL(server);
  return isOwnIssuer(issuer, server)
    ? `this server is logged in to as those of 2025-03-26 (--legacy): it names no authorization server, so ${origin} itself is taken for it, and its token may be good for everything at that origin`
    : `this server names no authorization server: ${issuer} is taken for it by your choice (--authorization-server), and its token may be good for everything there, where ${server} could use it`;
}

/** What it costs that a token is not asked for by the server's own resource. */
function resourceWarning(server: string, issuer: string, requested: string | null): string {
  return requested === null
    ? `the token is asked for without naming this server (--no-resource): it may be valid at other services of ${issuer}, and ${server} could use it there`
    : `the token is asked for ${requested} (--resource), not for the address of this server: it may be valid for all that is called so at ${issuer}, and ${server} could use it there`;
}

interface AuthorizationServerChoice {
  readonly named: readonly string[];
  /** `--authorization-server`: the person's word. */
  readonly wanted: string | undefined;
  /** The login that exists for this server and account. */
  readonly held:
    | { readonly issuer: string; readonly legacy?: boolean; readonly requestedResource?: string | null }
    | undefined;
  /** As a remedy names it. */
  readonly meant: LoginAsked;
  /** Issuers with a login or a pre-registered client, most telling first. */
  readonly known: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Chooses an authorization server (RFC 9728 section 7.6): the person's option; else the one of the login at hand,
 * which a server cannot change by itself; else one that is known here; else the person is asked; else the first.
 * @throws Failure `authorization_server_changed`, `authorization_server_unknown`
 */
async function chooseAuthorizationServer(
  { terminal }: Pick<CorePorts, 'terminal'>,
  { named, wanted, held, meant, known, signal }: AuthorizationServerChoice,
): Promise<string> {
  if (wanted !== undefined && !isNamed(wanted, named)) throw authorizationServerNotNamed(wanted, named);
  if (wanted === undefined && held !== undefined && !isNamed(held.issuer, named)) {
    throw authorizationServerChanged(meant, held.issuer, named);
  }
  const chosen = wanted ?? held?.issuer ?? known.find((issuer) => named.some((one) => isSameIssuer(one, issuer)));
  const [first] = named;
  if (first === undefined) throw new Error('a validated document names at least one authorization server');
  if (chosen !== undefined || named.length === 1 || !terminal.interactive) return chosen ?? first;
  const labels = named.map((issuer) => printable(issuer));
  return named[await terminal.choose('Log in at which authorization server?', labels, signal)] ?? first;
}

/**
 * The scopes to ask for (rule 5.4): the person's own, else the challenge's, else all that the protected resource
 * metadata lists, else none, which leaves the parameter out. `held` scopes are kept at a step-up. `offline_access`
 * joins them where the authorization server lists it, and only there: it is what makes a login last.
 */
export function selectScopes(
  discovery: Discovery,
  wanted: { readonly scopes: readonly string[] | undefined; readonly held: readonly string[] },
): readonly string[] {
  const { protectedResource, challengedScopes, authorizationServer } = discovery;
  const base = wanted.scopes ?? challengedScopes ?? protectedResource.scopesSupported ?? [];
  const asked = unionScopes(wanted.held, base);
  const lasting =
    asked.length > 0 &&
    authorizationServer.scopesSupported.includes('offline_access') &&
    (authorizationServer.grantTypes?.includes('refresh_token') ?? true);
  return lasting ? unionScopes(asked, ['offline_access']) : asked;
}

/** The scopes to name in a registration, which some servers hold a client to: asked for, plus what both documents list. */
export function scopesToRegister(discovery: Discovery, asked: readonly string[]): readonly string[] {
  const resourceScopes = discovery.protectedResource.scopesSupported ?? [];
  return asked.length === 0 && resourceScopes.length === 0
    ? []
    : unionScopes(unionScopes(asked, resourceScopes), discovery.authorizationServer.scopesSupported);
}
