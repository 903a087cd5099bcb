import { isFailure } from '../core/failure.js';
import type { LoginAsked } from '../core/login-command.js';
import { defined, type Zone } from '../core/records.js';
import { resourceCovers } from '../core/resource.js';
import { parseScope } from '../core/scope.js';
import type { SecretHeader } from '../core/secret.js';
import type { JsonObject, JsonValue } from '../core/text/json.js';
import { gateUrl, resolveReference } from '../core/url.js';
import { serverRedirects } from '../http/failures.js';
import {
  type DiscoveryPorts,
  firstDocument,
  protectedResourceMetadataUrls,
  type RefusedDocument,
  refused,
  triedInWords,
  urlProblem,
} from './discovery-document.js';
import {
  loginNotOffered,
  metadataBroken,
  metadataUnusable,
  noProtectedResourceMetadata,
  probeFailed,
  resourceMismatch,
} from './failures.js';
import { nearestServer, type ProbedServer } from './probe.js';

/** Protected resource metadata (RFC 9728 section 2), as far as a login needs it. */
export interface ProtectedResource {
  /** Exactly as the document spells it: this is what is sent as `resource`. */
  readonly resource: string;
  /** `ancestor`: the resource is an address above the server's on the same origin. */
  readonly relation: 'same' | 'ancestor';
  readonly authorizationServers: readonly string[];
  /** Undefined when absent; empty when the document lists none. */
  readonly scopesSupported: readonly string[] | undefined;
  /** Which proofs it takes (RFC 9449), and whether it takes nothing else. */
  readonly dpopAlgorithms?: readonly string[];
  readonly dpopRequired?: true;
  /** There is no such document: `legacyResource`. */
  readonly isLegacy?: true;
}

/**
 * What stands in for the metadata of a server that publishes none, by a person's choice alone: the authorization server
 * that the person names, else, as for servers of 2025-03-26, its own origin.
 * @param server Its canonical URL.
 */
export function legacyResource(server: string, issuer = new URL(server).origin): ProtectedResource {
  const found = { resource: server, relation: 'same', authorizationServers: [issuer] } as const;
  return { ...found, scopesSupported: undefined, isLegacy: true };
}

type ResourceMetadataResult =
  | { readonly ok: true; readonly came: string; readonly protectedResource: ProtectedResource }
  | RefusedDocument;

/** More authorization servers than this are not considered. */
const maxAuthorizationServers = 16;

/**
 * Validates a protected resource metadata document fetched for `server` (canonical URL), RFC 9728 section 3.3:
 * its `resource` must cover the server, and it must name at least one authorization server.
 * @param url Where it was found.
 */
export function validateResourceMetadata(
  document: JsonObject,
  { server, zone, url }: { readonly server: string; readonly zone: Zone; readonly url: string },
): ResourceMetadataResult {
  const unusable = (why: string) => refused(why, 'R-2.1a', metadataUnusable(url, why));
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = document;
  if (typeof resource !== 'string' || resource === '') return unusable('it has no "resource"');
  const came = `resource ${resource}`;
  const relation = resourceCovers(resource, server);
  // Stricter: every request carries it, so it goes through our gate. It may be another spelling of the server, or an
  // address above it (field note 4).
  if (relation === 'no' || !gateUrl(resource).ok) {
    return refused(came, 'R-2.1d', resourceMismatch(server, resource));
  }
  const problem = issuersProblem(issuers, zone);
  if (problem !== undefined) return unusable(problem);
  const authorizationServers = (issuers as readonly string[]).slice(0, maxAuthorizationServers);
  const scopesSupported = scopesIn(scopes);
  if (typeof scopesSupported === 'string') return unusable(`"scopes_supported" ${scopesSupported}`);
  const found = { resource, relation, authorizationServers, scopesSupported, ...proofsIn(document) };
  return { ok: true, came, protectedResource: found };
}

function proofsIn(document: JsonObject): Pick<ProtectedResource, 'dpopAlgorithms' | 'dpopRequired'> {
  const { dpop_signing_alg_values_supported: listed, dpop_bound_access_tokens_required: required } = document;
  const algorithms = Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : undefined;
  return defined({ dpopAlgorithms: algorithms, dpopRequired: required === true ? (true as const) : undefined });
}

function issuersProblem(value: JsonValue | undefined, zone: Zone): string | undefined {
  if (!Array.isArray(value)) return 'it has no "authorization_servers" list';
  if (value.length === 0) return 'its "authorization_servers" list is empty';
  const issuers = value.slice(0, maxAuthorizationServers);
  const [why] = issuers.map((issuer) => issuerProblem(issuer, zone)).filter((one) => one !== undefined);
  if (why !== undefined) return `an entry of "authorization_servers" ${why}`;
  return new Set(issuers).size === issuers.length ? undefined : '"authorization_servers" names one twice';
}

/** What is wrong with an issuer identifier (RFC 8414 section 2), or undefined. */
export function issuerProblem(issuer: JsonValue, zone: Zone): string | undefined {
  if (typeof issuer !== 'string') return 'is not a string';
  return urlProblem(issuer, zone) ?? (/[?#]/.test(issuer) ? 'has a query or a fragment' : undefined);
}

/** The scopes, or what is wrong with their list. */
function scopesIn(value: JsonValue | undefined): readonly string[] | string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'string')) return 'is not a list of strings';
  const parsed = parseScope(value.join(' '));
  return parsed.ok ? parsed.scopes : parsed.problem;
}

/**
 * Protected resource metadata: at the challenge's address when it names one, and then nowhere else, unless it is the server's own
 * and nothing is there; otherwise at the path form of the well-known address, then at the root form (rule 4.2).
 * @throws Failure `discovery_failed`, `wrong_address`, `metadata_unusable`, `resource_mismatch`, `login_not_offered`, the HTTP client's, or
 * of `whenNone`
 */
export async function findProtectedResource(
  ports: DiscoveryPorts,
  wanted: {
    readonly server: string;
    readonly probed: ProbedServer;
    /** A person wants a login, though the server asks for none. */
    readonly isDecided?: boolean | undefined;
    /** What stands in where a login is wanted, and the server names no metadata and has none. @throws a failure where nothing does */
    readonly whenNone: (tried: string) => Promise<ProtectedResource>;
    /** What the server wants with each request; none where it is left out. */
    readonly headers?: readonly SecretHeader[];
    /** The login that it is for, where it is for one. */
    readonly meant?: LoginAsked;
    readonly signal: AbortSignal;
  },
): Promise<ProtectedResource> {
  const { server, headers = [], signal, meant = { server, given: undefined } } = wanted;
  const { zone, status, resourceMetadata: named } = wanted.probed;
  const isAsked = status === 401 || named !== undefined || (status < 300 && wanted.isDecided === true);
  const wellKnown = protectedResourceMetadataUrls(server);
  const isElsewhere = named !== undefined && resolveReference(named, server)?.origin !== new URL(server).origin;
  const urls = named === undefined ? wellKnown : isElsewhere ? [named] : [...new Set([named, ...wellKnown])];
  const onlyIfAbsent = named !== undefined;
  const step = { name: 'protected-resource-metadata', rule: named === undefined ? 'R-4.2b' : 'R-4.2a' };
  const instead = async (error?: unknown): Promise<unknown> => {
    const near = await nearestServer(ports, { server, probed: wanted.probed, signal });
    if (status >= 300 && status < 400) return serverRedirects(meant, status, wanted.probed.location, near);
    if (near === undefined && error !== undefined) return error;
    return near === undefined && status < 300 ? loginNotOffered(server, status) : probeFailed(meant, status, near);
  };
  if (status >= 300 && status < 400) throw await instead();
  const request = { urls, step, zone, own: { server, headers }, onlyIfAbsent, signal };
  const found = await firstDocument(ports, request, (document, url) =>
    validateResourceMetadata(document, { server, zone, url }),
  ).catch(async (error) => {
    // Without a challenge the address is in doubt, not the document.
    throw !isAsked && isFailure(error, 'resource_mismatch') ? await instead(error) : error;
  });
  if (found.ok) return found.protectedResource;
  const failure = found.misses.at(-1)?.failure;
  if (failure !== undefined) throw failure;
  const broken = found.misses.find(({ isBroken }) => isBroken);
  if (isAsked && broken !== undefined) throw metadataBroken(broken.url, broken.why);
  if (isAsked) {
    const tried = triedInWords(found.misses);
    const hasSome = named !== undefined && (isElsewhere || found.misses[0]?.isAbsent !== true); // or says so
    if (hasSome) throw noProtectedResourceMetadata(meant, tried, undefined);
    return await wanted.whenNone(tried);
  }
  throw await instead();
}
