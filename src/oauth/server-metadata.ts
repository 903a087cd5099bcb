import type { Grant, Zone } from '../core/records.js';
import type { JsonObject, JsonValue } from '../core/text/json.js';
import { gateUrl } from '../core/url.js';
import { isVerdict, jsonResponse } from './engine.js';

/** Authorization server metadata (RFC 8414 section 2, OpenID Connect Discovery 1.0), as far as we use it. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Undefined only where no authorization request is to be made. */
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  /** RFC 9126 section 5. */
  readonly pushedAuthorizationRequestEndpoint: string | undefined;
  /** Does it take authorization requests only as they were pushed? Then the endpoint is there. */
  readonly requiresPushedRequests: boolean;
  /** RFC 8628 section 4. */
  readonly deviceAuthorizationEndpoint: string | undefined;
  readonly scopesSupported: readonly string[];
  /** Undefined when absent. */
  readonly grantTypes: readonly string[] | undefined;
  /** Undefined when absent (RFC 8414: then client_secret_basic). */
  readonly tokenAuthMethods: readonly string[] | undefined;
  /** RFC 9207: `iss` is announced for authorization responses. */
  readonly announcesIss: boolean;
  /** True only for the boolean `true`. */
  readonly takesMetadataDocuments: boolean;
}

/** By which grant a token is to be got. A code typed elsewhere (RFC 8628) gives a person's login, too. */
export type WantedGrant = Grant | 'device_code';

export type ServerMetadataResult =
  | { readonly ok: true; readonly authorizationServer: AuthorizationServer }
  | { readonly ok: false; readonly problem: 'other_issuer'; readonly found: string }
  | { readonly ok: false; readonly problem: 'no_pkce'; readonly found: string }
  | { readonly ok: false; readonly problem: 'no_capability'; readonly what: string }
  | { readonly ok: false; readonly problem: 'other_resources' }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

/** Parameters of our own request that a server's authorization endpoint must not bring along. */
const requestParameters = new Set(
  `client_id client_secret redirect_uri response_type response_mode state scope resource nonce prompt max_age
  code_challenge code_challenge_method request request_uri login_hint id_token_hint display ui_locales acr_values
  claims registration`.split(/\s+/),
);

/**
 * Validates a metadata document fetched for `issuer`: `issuer` the same string (RFC 8414 section 3.3), the grant offered,
 * the endpoints that it needs usable, `resource` protected by it if it says which. PKCE S256 and the authorization
 * endpoint are wanted for the authorization code alone: nothing else goes there.
 */
export async function validateServerMetadata(
  document: JsonObject,
  asked: {
    readonly issuer: string;
    readonly resource: string;
    readonly zone: Zone;
    readonly grant: WantedGrant;
  },
): Promise<ServerMetadataResult> {
  if (!(await isOfIssuer(document, asked.issuer))) {
    const found = document['issuer'];
    return { ok: false, problem: 'other_issuer', found: typeof found === 'string' ? found : 'none' };
  }
  const pkce = document['code_challenge_methods_supported'];
  const byCode = asked.grant === 'authorization_code';
  if (byCode && (!Array.isArray(pkce) || !pkce.includes('S256'))) {
    return { ok: false, problem: 'no_pkce', found: describe(pkce) };
  }
  const what = missingCapability(document, asked.grant);
  if (what !== undefined) return { ok: false, problem: 'no_capability', what };
  const protectedResources = document['protected_resources'];
  if (Array.isArray(protectedResources) && !protectedResources.includes(asked.resource)) {
    return { ok: false, problem: 'other_resources' };
  }
  const authorizationEndpoint = byCode
    ? withoutPollution(endpoint(document, 'authorization_endpoint', asked.zone))
    : unneeded;
  const tokenEndpoint = endpoint(document, 'token_endpoint', asked.zone);
  if (!authorizationEndpoint.ok) {
    return {
      ok: false,
      problem: 'unusable',
      why: `its "authorization_endpoint" ${authorizationEndpoint.why}`,
    };
  }
  if (!tokenEndpoint.ok) return { ok: false, problem: 'unusable', why: `its "token_endpoint" ${tokenEndpoint.why}` };
  const pushed = endpoint(document, 'pushed_authorization_request_endpoint', asked.zone);
  const requiresPushedRequests = document['require_pushed_authorization_requests'] === true;
  if (byCode && requiresPushedRequests && !pushed.ok) {
    const why = `it takes pushed authorization requests alone, and its "pushed_authorization_request_endpoint" ${pushed.why}`;
    return { ok: false, problem: 'unusable', why };
  }
  return {
    ok: true,
    authorizationServer: {
      issuer: asked.issuer,
      authorizationEndpoint: authorizationEndpoint.url,
      tokenEndpoint: tokenEndpoint.url,
      registrationEndpoint: optionalEndpoint(document, 'registration_endpoint', asked.zone),
      revocationEndpoint: optionalEndpoint(document, 'revocation_endpoint', asked.zone),
      pushedAuthorizationRequestEndpoint: pushed.ok ? pushed.url : undefined,
      requiresPushedRequests,
      deviceAuthorizationEndpoint: optionalEndpoint(document, 'device_authorization_endpoint', asked.zone),
      scopesSupported: strings(document['scopes_supported']) ?? [],
      grantTypes: strings(document['grant_types_supported']),
      tokenAuthMethods: strings(document['token_endpoint_auth_methods_supported']),
      announcesIss: document['authorization_response_iss_parameter_supported'] === true,
      takesMetadataDocuments: document['client_id_metadata_document_supported'] === true,
    },
  };
}

async function isOfIssuer(document: JsonObject, issuer: string): Promise<boolean> {
  const oauth = await import('oauth4webapi');
  try {
    await oauth.processDiscoveryResponse(new URL(issuer), jsonResponse(document));
  } catch (error) {
    // A TypeError: what stands there is no URL.
    if (isVerdict(oauth, error) || error instanceof TypeError) return false;
    throw error;
  }
  // Stricter: the same string (RFC 8414 section 3.3); the library compares parsed URLs.
  return document['issuer'] === issuer;
}

function missingCapability(document: JsonObject, grant: WantedGrant): string | undefined {
  // Logins by a code are offered by their endpoint; whoever has it may leave the list as it was.
  const lists = [
    ...(grant === 'device_code' ? [] : ([['grant_types_supported', grant, `the grant type "${grant}"`]] as const)),
    ...(grant === 'authorization_code' ? codeFlow : []),
  ] as const;
  return lists.find(([name, value]) => {
    const list = document[name];
    return Array.isArray(list) && !list.includes(value);
  })?.[2];
}

const codeFlow = [
  ['response_types_supported', 'code', 'the response type "code"'],
  ['response_modes_supported', 'query', 'the response mode "query"'],
] as const;

/** What stands there is neither used nor shown. */
const unneeded = { ok: true, url: undefined } as const;

type Endpoint = { readonly ok: true; readonly url: string } | { readonly ok: false; readonly why: string };

function endpoint(document: JsonObject, name: string, zone: Zone): Endpoint {
  const value = document[name];
  if (value === undefined || value === null) return { ok: false, why: 'is missing' };
  if (typeof value !== 'string') return { ok: false, why: 'is not a string' };
  const gated = gateUrl(value);
  if (!gated.ok) return { ok: false, why: `is no usable URL (${gated.problem})` };
  if (gated.url.protocol !== 'https:' && zone !== 'loopback') return { ok: false, why: 'is not https' };
  return { ok: true, url: value };
}

/** A bad endpoint that may not be needed counts as absent. */
function optionalEndpoint(document: JsonObject, name: string, zone: Zone): string | undefined {
  const judged = endpoint(document, name, zone);
  return judged.ok ? judged.url : undefined;
}

function withoutPollution(judged: Endpoint): Endpoint {
  if (!judged.ok) return judged;
  if (judged.url.includes('#')) return { ok: false, why: 'has a fragment' };
  const names = [...new URL(judged.url).searchParams.keys()];
  const bad = names.find((name) => requestParameters.has(name));
  return bad === undefined ? judged : { ok: false, why: `brings its own "${bad}"` };
}

function strings(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : undefined;
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'absent';
  return Array.isArray(value) && value.length === 0
    ? 'an empty list'
    : `without it: ${JSON.stringify(value).slice(0, 80)}`;
}
