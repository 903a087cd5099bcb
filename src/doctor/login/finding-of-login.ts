import { type ExitCode, exitCode, type Failure, type Step } from '../../core/failure.js';
import type { FindingId } from '../findings.js';

/** What is known of a login that failed. */
export interface FailedLogin {
  readonly failure: Failure;
  /** Every step that the login took, in order. */
  readonly steps: readonly Step[];
  /** Was its client registered in this run? */
  readonly isRegisteredHere: boolean;
}

/** Codes that mean the same, whichever request they come from. */
const byCode: Readonly<Record<string, FindingId>> = {
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

/** The finding that the failure of a login is. What fails before anything is registered was found without a login. */
export function findingOfLogin({ failure, steps, isRegisteredHere }: FailedLogin): FindingId {
  const { code, exit } = failure;
  const last = steps.findLast(({ verdict }) => verdict === 'failure') ?? steps.at(-1);
  switch (code) {
    case 'unauthorized_client':
    case 'invalid_client':
      return isRegisteredHere ? 'client-refused' : 'own-client-refused';
    case 'issuer_mismatch':
      return last?.name === 'authorization' && last.came === 'no iss' ? 'iss-missing' : 'iss-wrong';
    case 'login_timed_out':
      return steps.some(({ name }) => name === 'callback') ? 'state-not-returned' : 'nobody-answered';
    case 'callback_unusable':
      return isPushed(last) ? 'request-invalid' : 'response-invalid';
    case 'authorization_refused':
      return ofAuthorization(last);
    default:
      return byCode[code] ?? (ofHttp.has(code) ? ofEndpoint(code, last) : ofMachine(exit));
  }
}

/** OAuth's own error codes say more than the failure's. */
function ofAuthorization(last: Step | undefined): FindingId {
  if (last?.came.includes('invalid_scope')) return 'scope-unknown';
  if (last?.came.includes('invalid_target')) return 'resource-unknown';
  return isPushed(last) ? 'request-refused' : 'login-refused';
}

/** Nobody's doing but this machine's. */
function ofMachine(exit: ExitCode): FindingId {
  return exit === exitCode.store ? 'store-unavailable' : 'login-failed';
}

function isPushed(step: Step | undefined): boolean {
  return step !== undefined && /^pushed/.test(step.name);
}

/** Codes of the HTTP client. */
const ofHttp: ReadonlySet<string> = new Set([
  ...['network_failed', 'tls_failed', 'timed_out', 'too_large'],
  ...['url_refused', 'address_refused', 'redirect_refused'],
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
