import { type Failure, systemCode } from '../core/failure.js';
import type { FindingId } from './findings.js';
import type { SeenExchange } from './seen-http.js';

/** Steps that the engine takes, and can fail at. */
export type FailedStep = 'challenge' | 'resource' | 'issuer' | 'machine';

interface FoundFailure {
  readonly id: FindingId;
  /** The failure's own, where that knows more than the catalogue does. */
  readonly remedy: string | undefined;
}

/** What the engine's codes mean, whichever step they come from. */
const byCode: Readonly<Record<string, FindingId>> = {
  challenge_unusable: 'challenge-invalid',
  server_failed: 'server-failed',
  login_not_offered: 'login-not-needed',
  wrong_address: 'wrong-path',
  issuer_mismatch: 'issuer-mismatch',
  pkce_missing: 'pkce-missing',
  capability_missing: 'capability-missing',
};

const network: ReadonlySet<string> = new Set(['network_failed', 'timed_out', 'tls_failed']);

/** What is known when a step fails. */
interface Circumstances {
  /** The status that the server responded with to a request without a token. */
  readonly probed: number | undefined;
  readonly exchanges: readonly SeenExchange[];
}

/** The finding that a failure of the engine is. */
export function findingOf(step: FailedStep, failure: Failure, circumstances: Circumstances): FoundFailure {
  const { code, remedy } = failure;
  if (step === 'machine') return { id: 'store-unavailable', remedy };
  const known = byCode[code];
  const isOfAddress = known === 'login-not-needed' || known === 'wrong-path';
  if (known !== undefined) return { id: known, remedy: isOfAddress ? remedy : undefined };
  const isRedirected = code === 'redirect_refused' && (circumstances.probed ?? 0) < 400;
  if (step === 'resource' && isRedirected && circumstances.probed !== 200) return { id: 'server-redirects', remedy };
  if (step === 'challenge') return { id: ofConnection(failure), remedy: network.has(code) ? remedy : undefined };
  if (step === 'resource') {
    return { id: ofResource(code, circumstances), remedy: code === 'resource_mismatch' ? remedy : undefined };
  }
  return { id: ofIssuer(failure, circumstances), remedy: network.has(code) ? remedy : undefined };
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
  return /^(?:HPE_|not_http|end_unproven|damaged|unwanted|crumbs|informational)/.test(system)
    ? 'http-broken'
    : 'not-reachable';
}

function ofResource(code: string, { probed, exchanges }: Circumstances): FindingId {
  if (code === 'resource_mismatch') return 'resource-mismatch';
  const asked = exchanges.filter(({ url }) => url.includes('/oauth-protected-resource'));
  if (asked.some(isBrokenOff)) return 'not-in-time';
  const isRefused =
    asked.length > 0 && asked.every(({ response }) => response?.status === 401 || response?.status === 403);
  if (probed === 403 && isRefused) return 'header-missing';
  if (code === 'metadata_unusable' || asked.some(isThere)) return 'resource-metadata-invalid';
  return probed === 404 || probed === 405 ? 'wrong-path' : 'resource-metadata-missing'; // nothing at all is there
}

function ofIssuer({ code, cause }: Failure, { exchanges }: Circumstances): FindingId {
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
