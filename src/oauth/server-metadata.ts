import { Failure } from '../core/failure.js';
import type { Grant, Zone } from '../core/records.js';
import { type JsonObject, type JsonValue, stringField } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import {
  authorizationServerMetadataUrls,
  type DiscoveryPorts,
  firstDocument,
  isSameIssuer,
  type RefusedDocument,
  refused,
  triedInWords,
  urlProblem,
} from './discovery-document.js';
import {
  capabilityMissing,
  metadataUnusable,
  noAuthorizationServerMetadata,
  OtherIssuer,
  pkceMissing,
  resourceNotListed,
} from './failures.js';

/**
 * By which grant a token is to be got. A code typed elsewhere (RFC 8628) gives a person's login, too; for what a platform's
 * token (`assertion`) is used, the metadata decides.
 */
export type WantedGrant = Grant | 'device_code' | 'assertion';

export interface WantedIssuer {
  readonly issuer: string;
  readonly resource: string;
  readonly zone: Zone;
  readonly grant: WantedGrant;
}

type ServerMetadataResult =
  | { readonly ok: true; readonly came: string; readonly authorizationServer: AuthorizationServer }
  | RefusedDocument;

/** Parameters of our own request that a server's authorization endpoint must not bring along. */
const requestParameters = new Set(
  `client_id client_secret redirect_uri response_type response_mode state scope resource nonce prompt max_age
  code_challenge code_challenge_method request request_uri login_hint id_token_hint display ui_locales acr_values
  claims registration`.split(/\s+/),
);

/**
 * Validates a metadata document fetched for `issuer`: `issuer` the same string (RFC 8414 section 3.3), or the same URI where
 * it has no path, and from then on as the document spells it; the grant offered, the endpoints that it needs usable,
 * `resource` protected by it if it says which. PKCE S256 and the authorization endpoint are wanted for the authorization
 * code alone: nothing else goes there.
 * @param url Where it was found.
 */
export function validateServerMetadata(
  document: JsonObject,
  wanted: WantedIssuer & { readonly url: string },
): ServerMetadataResult {
  const { resource, zone, grant, url } = wanted;
  const byCode = grant === 'authorization_code';
  const issuer = stringField(document, 'issuer') ?? 'none';
  if (!isSameIssuer(issuer, wanted.issuer)) {
    return refused(`issuer ${issuer}`, 'R-4.3c', new OtherIssuer(wanted.issuer, issuer));
  }
  const pkce = document['code_challenge_methods_supported'];
  if (byCode && (!Array.isArray(pkce) || !pkce.includes('S256'))) {
    const found = describe(pkce);
    const failure = pkceMissing(issuer, printable(found, 100));
    return refused(`code_challenge_methods_supported ${found}`, 'R-5.3b', failure);
  }
  const what = missingCapability(document, grant);
  if (what !== undefined) {
    return refused(`without ${what}`, 'RFC 8414 section 2', capabilityMissing(issuer, what));
  }
  const listed = document['protected_resources'];
  if (Array.isArray(listed) && !listed.includes(resource)) {
    const came = 'protected_resources without this one';
    return refused(came, 'RFC 9728 section 4', resourceNotListed(issuer, resource));
  }
  const why = endpointsProblem(document, zone, byCode);
  if (why !== undefined) return refused(why, 'R-5.8c', metadataUnusable(url, why));
  const came = `issuer ${issuer}${byCode ? ', PKCE S256' : ''}`;
  return { ok: true, came, authorizationServer: authorizationServerOf(document, { ...wanted, issuer }) };
}

/** Authorization server metadata (RFC 8414 section 2, OpenID Connect Discovery 1.0), as far as we use it. */
export type AuthorizationServer = Readonly<ReturnType<typeof authorizationServerOf>>;

/** What is absent is undefined; a bad endpoint that may not be needed counts as absent. */
export function authorizationServerOf(
  document: JsonObject,
  { issuer, zone, grant }: Pick<WantedIssuer, 'issuer' | 'zone' | 'grant'>,
) {
  const endpoint = (name: string) =>
    urlProblem(document[name], zone) === undefined ? stringField(document, name) : undefined;
  const strings = (name: string): readonly string[] | undefined => {
    const value = document[name];
    return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : undefined;
  };
  return {
    issuer,
    // Without an authorization request it is neither used nor shown.
    authorizationEndpoint: grant === 'authorization_code' ? endpoint('authorization_endpoint') : undefined,
    tokenEndpoint: String(document['token_endpoint']),
    registrationEndpoint: endpoint('registration_endpoint'),
    revocationEndpoint: endpoint('revocation_endpoint'),
    // RFC 9126 section 5; where it is required, it is there.
    pushedAuthorizationRequestEndpoint: endpoint('pushed_authorization_request_endpoint'),
    requiresPushedRequests: document['require_pushed_authorization_requests'] === true,
    // RFC 8628 section 4
    deviceAuthorizationEndpoint: endpoint('device_authorization_endpoint'),
    scopesSupported: strings('scopes_supported') ?? [],
    // OpenID Connect Prompt Create 1.0, section 4.1
    promptValues: strings('prompt_values_supported') ?? [],
    grantTypes: strings('grant_types_supported'),
    // RFC 8414: without it, client_secret_basic
    tokenAuthMethods: strings('token_endpoint_auth_methods_supported'),
    // RFC 9207
    announcesIss: document['authorization_response_iss_parameter_supported'] === true,
    // RFC 9449 section 5.1
    dpopAlgorithms: strings('dpop_signing_alg_values_supported'),
    takesMetadataDocuments: document['client_id_metadata_document_supported'] === true,
    // draft-ietf-oauth-identity-assertion-authz-grant: of a server's authorization server, and of a company's provider
    grantProfiles: strings('authorization_grant_profiles_supported'),
    exchangedTypes: strings('identity_chaining_requested_token_types_supported'),
  };
}

/** What is wrong with the endpoints that are needed. */
function endpointsProblem(document: JsonObject, zone: Zone, byCode: boolean): string | undefined {
  const problem = (name: string) => {
    const why =
      urlProblem(document[name], zone) ?? (name === 'authorization_endpoint' ? pollution(document[name]) : undefined);
    return why && `its "${name}" ${why}`;
  };
  const pushed =
    document['require_pushed_authorization_requests'] === true
      ? problem('pushed_authorization_request_endpoint')
      : undefined;
  if (!byCode) return problem('token_endpoint');
  return (
    problem('authorization_endpoint') ??
    problem('token_endpoint') ??
    (pushed && `it takes pushed authorization requests alone, and ${pushed}`)
  );
}

function pollution(endpoint: JsonValue | undefined): string | undefined {
  const url = String(endpoint);
  if (url.includes('#')) return 'has a fragment';
  const bad = [...new URL(url).searchParams.keys()].find((name) => requestParameters.has(name));
  return bad && `brings its own "${bad}"`;
}

const codeFlow = [
  ['response_types_supported', 'code', 'the response type "code"'],
  ['response_modes_supported', 'query', 'the response mode "query"'],
] as const;

function missingCapability(document: JsonObject, grant: WantedGrant): string | undefined {
  // Logins by a code are offered by their endpoint; whoever has it may leave the list as it was.
  const lists = [
    ...(grant === 'device_code' || grant === 'assertion'
      ? []
      : ([['grant_types_supported', grant, `the grant type "${grant}"`]] as const)),
    ...(grant === 'authorization_code' ? codeFlow : []),
  ] as const;
  return lists.find(([name, value]) => {
    const list = document[name];
    return Array.isArray(list) && !list.includes(value);
  })?.[2];
}

function describe(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'absent';
  return Array.isArray(value) && value.length === 0
    ? 'an empty list'
    : `without it: ${JSON.stringify(value).slice(0, 80)}`;
}

/**
 * Authorization server metadata at the three or two well-known addresses in order (rule 4.3), until one gives a
 * document of exactly this issuer. Documents are never merged; a document of the right issuer that breaks a rule
 * ends the search. A server of 2025-03-26 that is its own authorization server needs no document.
 * @throws Failure `issuer_mismatch`, `pkce_missing`, `capability_missing`, `metadata_unusable`, `resource_mismatch`,
 * `discovery_failed`, or the HTTP client's
 */
export async function findAuthorizationServer(
  ports: DiscoveryPorts,
  wanted: WantedIssuer & { readonly isLegacy?: boolean | undefined; readonly signal: AbortSignal },
): Promise<AuthorizationServer> {
  const { issuer, resource, zone, isLegacy, signal } = wanted;
  const rule = new URL(issuer).pathname === '/' ? 'R-4.3b' : 'R-4.3a';
  const step = { name: 'authorization-server-metadata', rule };
  const urls = authorizationServerMetadataUrls(issuer);
  const found = await firstDocument(ports, { urls, step, zone, signal }, (document, url) =>
    validateServerMetadata(document, { ...wanted, url }),
  );
  if (found.ok) return found.authorizationServer;
  const { misses } = found;
  const failures = misses.map(({ failure }) => failure).filter((failure) => failure !== undefined);
  const mismatch = failures.find(({ code }) => code === 'issuer_mismatch');
  // When every address failed for a reason of the network's, that reason is the better one to give.
  const [first] = failures;
  if (mismatch !== undefined || (first !== undefined && failures.length === urls.length)) throw mismatch ?? first;
  const isAbsent = first === undefined && !misses.some(({ isBroken }) => isBroken);
  if (isLegacy === true && isAbsent && isOwnIssuer(issuer, resource)) return defaultEndpoints(ports, wanted);
  throw noAuthorizationServerMetadata(issuer, triedInWords(misses));
}

/** Is the origin of a server taken for its authorization server? */
export function isOwnIssuer(issuer: string, server: string): boolean {
  return isSameIssuer(issuer, new URL(server).origin);
}

/** The endpoints that revision 2025-03-26 gives to all servers without metadata. */
function defaultEndpoints({ journal }: DiscoveryPorts, wanted: WantedIssuer): AuthorizationServer {
  const { origin } = new URL(wanted.issuer);
  const why = urlProblem(origin, wanted.zone);
  if (why !== undefined) throw metadataUnusable(`${origin}/token`, `it ${why}`);
  journal.record({
    name: 'authorization-server-metadata',
    asked: 'the endpoints of 2025-03-26',
    came: `${origin}/authorize, /token and /register are used`,
    rule: 'MCP 2025-03-26, Fallbacks for Servers without Metadata Discovery',
    verdict: 'warning',
  });
  const endpoints = {
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
  };
  return authorizationServerOf(endpoints, { ...wanted, issuer: origin });
}

/** Whether the origin of a server serves authorization server metadata that could be used. A failure is a no. */
export async function servesOwnMetadata(
  ports: DiscoveryPorts,
  wanted: { readonly server: string; readonly signal: AbortSignal } & Pick<WantedIssuer, 'zone' | 'grant'>,
): Promise<boolean> {
  const { server } = wanted;
  try {
    await findAuthorizationServer(ports, { ...wanted, issuer: new URL(server).origin, resource: server });
    return true;
  } catch (error) {
    wanted.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return false;
  }
}
