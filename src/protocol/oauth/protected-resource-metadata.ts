import type { JsonObject, JsonValue } from '../../primitives/json.js';
import type { Zone } from '../../primitives/records.js';
import { resourceCovers } from '../../primitives/resource.js';
import { parseScope } from '../../primitives/scope.js';
import { gateUrl } from '../../primitives/url-gate.js';

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

export type ProtectedResourceJudgement =
  | { readonly ok: true; readonly protectedResource: ProtectedResource }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string }
  | { readonly ok: false; readonly problem: 'other_resource'; readonly resource: string };

/** More authorization servers than this are not considered. */
const mostAuthorizationServers = 16;

/**
 * Judges a protected resource metadata document fetched for `server` (canonical URL), RFC 9728 section 3.3:
 * its `resource` must cover the server, and it must name at least one authorization server.
 */
export function judgeProtectedResource(
  document: JsonObject,
  server: string,
  zone: Zone,
): ProtectedResourceJudgement {
  const resource = document['resource'];
  if (typeof resource !== 'string' || resource === '') {
    return unusable('it has no "resource"');
  }
  const covers = resourceCovers(resource, server);
  if (covers === 'no' || !gateUrl(resource).ok) {
    return { ok: false, problem: 'other_resource', resource };
  }
  const servers = judgeIssuers(document['authorization_servers'], zone);
  if (!servers.ok) {
    return unusable(servers.why);
  }
  const scopes = judgeScopes(document['scopes_supported']);
  if (!scopes.ok) {
    return unusable(scopes.why);
  }
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

function unusable(why: string): ProtectedResourceJudgement {
  return { ok: false, problem: 'unusable', why };
}

type Issuers =
  | { readonly ok: true; readonly issuers: readonly string[] }
  | { readonly ok: false; readonly why: string };

function judgeIssuers(value: JsonValue | undefined, zone: Zone): Issuers {
  if (!Array.isArray(value)) {
    return { ok: false, why: 'it has no "authorization_servers" list' };
  }
  if (value.length === 0) {
    return { ok: false, why: 'its "authorization_servers" list is empty' };
  }
  const issuers = value.slice(0, mostAuthorizationServers);
  for (const issuer of issuers) {
    const why = issuerProblem(issuer, zone);
    if (why !== undefined) {
      return { ok: false, why: `an entry of "authorization_servers" ${why}` };
    }
  }
  if (new Set(issuers).size !== issuers.length) {
    return { ok: false, why: '"authorization_servers" names one twice' };
  }
  return { ok: true, issuers: issuers as readonly string[] };
}

/** What is wrong with an issuer identifier (RFC 8414 section 2), or undefined. */
export function issuerProblem(issuer: JsonValue, zone: Zone): string | undefined {
  if (typeof issuer !== 'string') {
    return 'is not a string';
  }
  const gated = gateUrl(issuer);
  if (!gated.ok) {
    return `is no usable URL (${gated.problem})`;
  }
  if (gated.url.protocol !== 'https:' && zone !== 'loopback') {
    return 'is not https';
  }
  if (issuer.includes('?') || issuer.includes('#')) {
    return 'has a query or a fragment';
  }
  return undefined;
}

type Scopes =
  | { readonly ok: true; readonly scopes: readonly string[] | undefined }
  | { readonly ok: false; readonly why: string };

function judgeScopes(value: JsonValue | undefined): Scopes {
  if (value === undefined || value === null) {
    return { ok: true, scopes: undefined };
  }
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'string')) {
    return { ok: false, why: '"scopes_supported" is not a list of strings' };
  }
  const parsed = parseScope(value.join(' '));
  return parsed.ok
    ? { ok: true, scopes: parsed.scopes }
    : { ok: false, why: `"scopes_supported" ${parsed.problem}` };
}
