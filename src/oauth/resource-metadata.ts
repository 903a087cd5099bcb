import { Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { Zone } from '../core/records.js';
import { resourceCovers } from '../core/resource.js';
import { parseScope } from '../core/scope.js';
import type { JsonObject, JsonValue } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { gateUrl } from '../core/url.js';
import type { HttpPorts } from '../http/request.js';
import { isVerdict, jsonResponse } from './engine.js';
import {
  loginNotOffered,
  metadataUnusable,
  noProtectedResourceMetadata,
  resourceMismatch,
  serverAnswered,
} from './failures.js';
import { type FetchedDocument, fetchDocument, protectedResourceMetadataUrls } from './find-authorization-server.js';
import type { ProbedServer } from './probe.js';

/** Protected resource metadata (RFC 9728 section 2), as far as a login needs it. */
export interface ProtectedResource {
  /** Exactly as the document spells it: this is what is sent as `resource`. */
  readonly resource: string;
  /** `ancestor`: the resource is an address above the server's on the same origin. */
  readonly relation: 'same' | 'ancestor';
  readonly authorizationServers: readonly string[];
  /** Undefined when absent; empty when the document lists none. */
  readonly scopesSupported: readonly string[] | undefined;
}

export type ResourceMetadataResult =
  | { readonly ok: true; readonly protectedResource: ProtectedResource }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string }
  | { readonly ok: false; readonly problem: 'other_resource'; readonly resource: string };

/** More authorization servers than this are not considered. */
const maxAuthorizationServers = 16;

/**
 * Validates a protected resource metadata document fetched for `server` (canonical URL), RFC 9728 section 3.3:
 * its `resource` must cover the server, and it must name at least one authorization server.
 */
export async function validateResourceMetadata(
  document: JsonObject,
  server: string,
  zone: Zone,
): Promise<ResourceMetadataResult> {
  const resource = document['resource'];
  if (typeof resource !== 'string' || resource === '') return unusable('it has no "resource"');
  const covers = resourceCovers(resource, server);
  // Stricter: `resource` stands in every request, so that it goes through our gate, too.
  if (covers === 'no' || !gateUrl(resource).ok || !(await speaksFor(document, resource))) {
    return { ok: false, problem: 'other_resource', resource };
  }
  const servers = checkIssuers(document['authorization_servers'], zone);
  if (!servers.ok) return unusable(servers.why);
  const scopes = checkScopes(document['scopes_supported']);
  if (!scopes.ok) return unusable(scopes.why);
  return {
    ok: true,
    protectedResource: {
      resource,
      relation: covers,
      authorizationServers: servers.issuers,
      scopesSupported: scopes.scopes,
    },
  };
}

/** @param resource What it may speak for: another spelling of the server, or an address above it (field note 4). */
async function speaksFor(document: JsonObject, resource: string): Promise<boolean> {
  const oauth = await import('oauth4webapi');
  try {
    await oauth.processResourceDiscoveryResponse(new URL(resource), jsonResponse(document));
    return true;
  } catch (error) {
    if (isVerdict(oauth, error)) return false;
    throw error;
  }
}

function unusable(why: string): ResourceMetadataResult {
  return { ok: false, problem: 'unusable', why };
}

type Issuers =
  | { readonly ok: true; readonly issuers: readonly string[] }
  | { readonly ok: false; readonly why: string };

function checkIssuers(value: JsonValue | undefined, zone: Zone): Issuers {
  if (!Array.isArray(value)) return { ok: false, why: 'it has no "authorization_servers" list' };
  if (value.length === 0) return { ok: false, why: 'its "authorization_servers" list is empty' };
  const issuers = value.slice(0, maxAuthorizationServers);
  for (const issuer of issuers) {
    const why = issuerProblem(issuer, zone);
    if (why !== undefined) return { ok: false, why: `an entry of "authorization_servers" ${why}` };
  }
  if (new Set(issuers).size !== issuers.length) return { ok: false, why: '"authorization_servers" names one twice' };
  return { ok: true, issuers: issuers as readonly string[] };
}

/** What is wrong with an issuer identifier (RFC 8414 section 2), or undefined. */
export function issuerProblem(issuer: JsonValue, zone: Zone): string | undefined {
  if (typeof issuer !== 'string') return 'is not a string';
  const gated = gateUrl(issuer);
  if (!gated.ok) return `is no usable URL (${gated.problem})`;
  if (gated.url.protocol !== 'https:' && zone !== 'loopback') return 'is not https';
  if (issuer.includes('?') || issuer.includes('#')) return 'has a query or a fragment';
  return undefined;
}

type Scopes =
  | { readonly ok: true; readonly scopes: readonly string[] | undefined }
  | { readonly ok: false; readonly why: string };

function checkScopes(value: JsonValue | undefined): Scopes {
  if (value === undefined || value === null) return { ok: true, scopes: undefined };
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'string')) {
    return { ok: false, why: '"scopes_supported" is not a list of strings' };
  }
  const parsed = parseScope(value.join(' '));
  return parsed.ok ? { ok: true, scopes: parsed.scopes } : { ok: false, why: `"scopes_supported" ${parsed.problem}` };
}

type Wanted = { readonly server: string; readonly probed: ProbedServer; readonly signal: AbortSignal };

type Needs = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress'>;

/**
 * Protected resource metadata: at the challenge's address when it names one, and then nowhere else; otherwise at
 * the path form of the well-known address, then at the root form (rule 4.2).
 * @throws Failure `discovery_failed`, `metadata_unusable`, `resource_mismatch`, `login_not_offered`, or the HTTP client's
 */
export async function findProtectedResource(ports: Needs, wanted: Wanted): Promise<ProtectedResource> {
  const named = wanted.probed.resourceMetadata;
  const urls = named === undefined ? protectedResourceMetadataUrls(wanted.server) : [named];
  const rule = named === undefined ? 'R-4.2b' : 'R-4.2a';
  const tried: string[] = [];
  for (const url of urls) {
    ports.progress.begin(`Reading ${url}`);
    const document = await attempt(ports, { ...wanted, url, last: url === urls.at(-1), rule });
    if (document.content.ok) return await usable(ports, wanted, { url, object: document.content.object }, rule);
    tried.push(`${quoted(url)} (${document.content.why})`);
  }
  throw nothingFound(wanted, tried.join(', '));
}

async function attempt(
  ports: Needs,
  request: Wanted & { readonly url: string; readonly last: boolean; readonly rule: string },
): Promise<Pick<FetchedDocument, 'url' | 'content'>> {
  const record = (came: string) =>
    ports.journal.record({
      name: 'protected-resource-metadata',
      asked: `GET ${request.url}`,
      came,
      rule: request.rule,
      verdict: request.last ? 'failure' : 'skipped',
    });
  try {
    const { zone } = request.probed;
    const document = await fetchDocument(ports.http, {
      url: request.url,
      namedBy: zone,
      signal: request.signal,
    });
    if (!document.content.ok) record(document.content.why);
    return document;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    record(error.message);
    if (request.last) throw error;
    return { url: request.url, content: { ok: false, why: error.code.replaceAll('_', ' ') } };
  }
}

async function usable(
  ports: Needs,
  { server, probed }: Wanted,
  document: { readonly url: string; readonly object: JsonObject },
  rule: string,
): Promise<ProtectedResource> {
  const validated = await validateResourceMetadata(document.object, server, probed.zone);
  const step = { name: 'protected-resource-metadata', asked: `GET ${document.url}` };
  if (validated.ok) {
    const { protectedResource } = validated;
    ports.journal.record({
      ...step,
      came: `200, resource ${protectedResource.resource}`,
      rule,
      verdict: 'pass',
    });
    return protectedResource;
  }
  if (validated.problem === 'other_resource') {
    const { resource } = validated;
    ports.journal.record({ ...step, came: `200, resource ${resource}`, rule: 'R-2.1d', verdict: 'failure' });
    throw resourceMismatch(server, resource);
  }
  ports.journal.record({ ...step, came: `200, ${validated.why}`, rule: 'R-2.1a', verdict: 'failure' });
  throw metadataUnusable(document.url, validated.why);
}

function nothingFound(wanted: Wanted, tried: string): Failure {
  const { status } = wanted.probed;
  if (status === 401) return noProtectedResourceMetadata(wanted.server, tried);
  return status >= 200 && status < 300 ? loginNotOffered(wanted.server, status) : serverAnswered(wanted.server, status);
}
