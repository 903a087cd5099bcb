import { exitCode, type Failure, type Step, systemCode } from '../core/failure.js';
import type { FindingId } from './findings.js';
import type { SeenExchange } from './seen-http.js';

/** Steps that the engine takes without a login, and can fail at. */
export type FailedStep = 'challenge' | 'resource' | 'issuer' | 'machine';

interface FoundFailure {
  readonly id: FindingId;
  /** The failure's own, where that knows more than the catalogue does. */
  readonly remedy?: string;
}

/** What codes mean without a login, whichever step they come from. */
const byCode: Readonly<Record<string, FindingId>> = {
  challenge_unusable: 'challenge-invalid',
  server_failed: 'server-failed',
  issuer_mismatch: 'issuer-mismatch',
  pkce_missing: 'pkce-missing',
  capability_missing: 'capability-missing',
};

const ownRemedy: Readonly<Record<string, FindingId>> = {
  login_not_offered: 'login-not-needed',
  wrong_address: 'wrong-path',
};

/** Codes of a server that does not respond. */
export const network: ReadonlySet<string> = new Set(['network_failed', 'timed_out', 'tls_failed']);

/**
 * The finding that a failure of the engine is.
 * @param probed The status that the server responded with to a request without a token.
 */
export function findingOf(
  step: FailedStep,
  failure: Failure,
  probed: number | undefined,
  exchanges: readonly SeenExchange[],
): FoundFailure {
  const { code, remedy } = failure;
  if (step === 'machine') return { id: 'store-unavailable', remedy };
  const [known, own] = [byCode[code], ownRemedy[code]];
  if (known !== undefined) return { id: known };
  if (own !== undefined) return { id: own, remedy };
  if (step === 'resource') {
    if (code === 'resource_mismatch') return { id: 'resource-mismatch', remedy };
    const isRedirected = code === 'redirect_refused' && (probed ?? 0) < 400 && probed !== 200;
    return isRedirected ? { id: 'server-redirects', remedy } : { id: ofResource(code, probed, exchanges) };
  }
  const id = step === 'challenge' ? ofConnection(failure) : ofIssuer(failure, exchanges);
  return network.has(code) ? { id, remedy } : { id };
}

function ofConnection({ code, cause }: Failure): FindingId {
  if (code === 'tls_failed') return 'tls-broken';
  if (code === 'timed_out') return 'not-in-time';
  if (code === 'address_refused' || code === 'url_refused') return 'address-refused';
  if (code === 'discovery_failed') return 'wrong-path';
  if (code !== 'network_failed') return 'http-broken';
  const system = systemCode(cause);
  if (/^(?:ENOTFOUND|EAI_)/.test(system)) return 'name-unknown';
  if (system === 'ECONNREFUSED') return 'connection-refused';
  return /^(?:HPE_|not_http|end_unproven|damaged|unwanted|informational)/.test(system)
    ? 'http-broken'
    : 'not-reachable';
}

function ofResource(code: string, probed: number | undefined, exchanges: readonly SeenExchange[]): FindingId {
  const asked = exchanges.filter(({ url }) => url.includes('/oauth-protected-resource'));
  if (asked.some(isBrokenOff)) return 'not-in-time';
  const isRefused = asked.every(({ response }) => response?.status === 401 || response?.status === 403);
  if (probed === 403 && asked.length > 0 && isRefused) return 'header-missing';
  if (code === 'metadata_unusable' || asked.some(isThere)) return 'resource-metadata-invalid';
  return probed === 404 || probed === 405 ? 'wrong-path' : 'resource-metadata-missing'; // nothing at all is there
}

function ofIssuer({ code, cause }: Failure, exchanges: readonly SeenExchange[]): FindingId {
  if (code === 'resource_mismatch') return 'resource-not-listed';
  const asked = exchanges.filter(({ url }) => /\/(?:oauth-authorization-server|openid-configuration)/.test(url));
  if (code === 'address_refused' || systemCode(cause) === 'ENOTFOUND') return 'issuer-unknown';
  if (network.has(code) || asked.some(isBrokenOff)) return 'issuer-unreachable';
  return code === 'metadata_unusable' || asked.some(isThere) ? 'issuer-metadata-invalid' : 'issuer-metadata-missing';
}

/** Was there a document, if one that cannot be used? */
function isThere({ method, response }: SeenExchange): boolean {
  return method === 'GET' && response?.status === 200;
}

/** A document that began to come, and did not end in time: nothing is known of what it says. */
function isBrokenOff({ response }: SeenExchange): boolean {
  return response?.status === 200 && network.has(response.broken?.code ?? '');
}

/** What codes of a login mean, whichever request they come from. */
const ofLoginByCode: Readonly<Record<string, FindingId>> = {
  registration_refused: 'registration-refused',
  registration_failed: 'registration-failed',
  redirect_uri_refused: 'redirect-refused',
  registration_unusable: 'registration-invalid',
  registered_too_often: 'registered-too-often',
  registration_way_closed: 'no-way-to-register',
  client_identifier_needed: 'no-way-to-register',
  client_secret_lost: 'own-client-refused',
  client_secret_unbound: 'own-client-refused',
  request_too_long: 'request-too-long',
  authorization_endpoint_failed: 'request-failed',
  denied: 'login-denied',
  link_taken_twice: 'link-taken-twice',
  login_needs_person: 'no-login-possible-here',
  too_many_tabs: 'no-login-possible-here',
  port_in_use: 'no-login-possible-here',
  port_refused: 'no-login-possible-here',
  listen_address_refused: 'no-login-possible-here',
  published_port_unknown: 'no-login-possible-here',
  server_failed: 'server-failed',
  discovery_failed: 'issuer-metadata-unsteady', // a moment ago it was there, and right
  metadata_unusable: 'issuer-metadata-unsteady',
  authorization_server_unknown: 'issuer-metadata-unsteady',
  device_flow_missing: 'device-not-offered',
  unsupported_grant_type: 'device-not-offered',
  device_site_refused: 'login-page-elsewhere',
  device_code_expired: 'nobody-answered',
  invalid_scope: 'scope-unknown',
  invalid_target: 'resource-unknown',
  invalid_grant: 'code-not-redeemed',
  grant_refused: 'code-not-redeemed',
  token_unusable: 'token-invalid',
  token_type_unusable: 'token-type-unusable',
  dpop_not_offered: 'dpop-not-offered',
  dpop_not_taken: 'dpop-algorithm-not-taken',
  dpop_needed: 'dpop-not-offered',
  dpop_downgraded: 'dpop-not-bound',
  dpop_proof_refused: 'dpop-proof-refused',
  dpop_bound: 'dpop-not-bound',
  token_endpoint_failed: 'token-endpoint-failed',
};

/**
 * The finding that the failure of a login is. What fails before anything is registered was found without a login.
 * @param steps Every step that the login took, in order.
 * @param isRegisteredHere Was its client registered in this run?
 */
export function findingOfLogin({ code, exit }: Failure, steps: readonly Step[], isRegisteredHere: boolean): FindingId {
  const last = steps.findLast(({ verdict }) => verdict === 'failure') ?? steps.at(-1);
  switch (code) {
    case 'unauthorized_client':
    case 'invalid_client':
      return isRegisteredHere ? 'client-refused' : 'own-client-refused';
    case 'issuer_mismatch':
      return last?.reason ?? 'iss-wrong';
    case 'login_timed_out':
      return steps.some(({ name }) => name === 'callback') ? 'state-not-returned' : 'nobody-answered';
    case 'callback_unusable':
      return isPushed(last) ? 'request-invalid' : 'response-invalid';
    case 'authorization_refused':
      return isPushed(last) ? 'request-refused' : 'login-refused';
    default:
      if (ofHttp.has(code)) return ofEndpoint(code, last);
      return ofLoginByCode[code] ?? (exit === exitCode.store ? 'store-unavailable' : 'login-failed');
  }
}

function isPushed(step: Step | undefined): boolean {
  return step !== undefined && /^pushed/.test(step.name);
}

/** Codes of the HTTP client. */
const ofHttp: ReadonlySet<string> = new Set([
  ...network,
  ...['too_large', 'url_refused', 'address_refused', 'redirect_refused'],
]);

/** What the HTTP client says of the endpoint that was asked last. */
function ofEndpoint(code: string, last: Step | undefined): FindingId {
  const isRedirect = code === 'redirect_refused';
  if (last === undefined || /^(?:unauthenticated-request|protected-resource-)/.test(last.name)) return 'not-reachable';
  if (/^authorization-server-/.test(last.name)) return 'endpoint-refused';
  if (last?.name === 'client-registration') return isRedirect ? 'registration-redirected' : 'registration-failed';
  if (isPushed(last)) return isRedirect ? 'request-redirected' : 'request-failed';
  return isRedirect ? 'token-endpoint-redirected' : 'token-endpoint-failed';
}
