import type { Failure } from '../core/failure.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import type { HttpClient } from '../http/request.js';
import { grantRefused, tokenEndpointFailed, tokenTypeUnusable } from '../oauth/failures.js';
import { identityIn } from '../oauth/id-token.js';
import {
  type FailedToken,
  type IssuedToken,
  sendClientCredentialsRequest,
  sendRefreshRequest,
  validateTokenResponse,
} from '../oauth/token.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { tokensRefusedTooOften, tokenUnusable } from './failures.js';
import { keepCredential, refreshed, secretsOf } from './keep-refreshed.js';
import { readCredential } from './read-credential.js';
import { scopeNotForClient } from './request-failures.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

/**
 * Asks for a new token without a person: with the refresh token, or, for a login of the client's own, as at the login.
 * `scopes` are those held; more than those only the client's own login may ask for.
 * @throws Failure of the HTTP client
 */
export async function sendRefresh(
  http: HttpClient,
  refresh: {
    readonly held: StoredCredential;
    readonly scopes: readonly string[];
    readonly login: Pick<LoginRecord, 'server' | 'zone'>;
    readonly signal: AbortSignal;
  },
): Promise<Response> {
  const { held, scopes, login, signal } = refresh;
  const { issuer, resource, clientId } = held.binding;
  const request = {
    endpoint: held.tokenEndpoint,
    client: { clientId, method: held.authMethod, secret: held.clientSecret },
    issuer,
    resource,
    scopes,
    zone: login.zone,
    signal,
  };
  await nameOwnHost(http, login.server, held.tokenEndpoint, signal);
  if (held.grant === 'client_credentials') return sendClientCredentialsRequest(http, request);
  if (held.refreshToken === undefined) throw new Error('a credential without a refresh token is not renewed');
  return sendRefreshRequest(http, { ...request, refreshToken: held.refreshToken });
}

/**
 * Tells the HTTP client that a person named the host of an endpoint, where the login's server is there too: the person's
 * own host may have a private address beside a global one, which is refused to all others that a server names.
 * @throws Failure of the HTTP client
 */
export async function nameOwnHost(
  http: HttpClient,
  server: string,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  if (new URL(server).hostname !== new URL(endpoint).hostname) return;
  await http.check({ url: server, namedBy: 'person', signal });
}

/** Tokens of one login that a server may refuse within a minute. */
const maxRefused = 3;

/**
 * A refresh is for whoever logged in, or its answer is not used (OpenID Connect Core 1.0, section 12.2).
 * @throws Failure `token_unusable`
 */
export function checkSubject({ binding, subject }: StoredCredential, token: IssuedToken): void {
  const now = identityIn(token.idToken, binding)?.subject;
  if (subject !== undefined && now !== undefined && now !== subject) {
    const why = 'its ID token is for somebody else than the one who logged in';
    throw tokenUnusable(binding.issuer, why);
  }
}

/**
 * A token that the server refuses although it lives is replaced so often within a minute, over all processes.
 * @throws Failure `token_refused`
 */
export async function countRefused(ports: TokenPorts, { login, rejected }: ValidTokenRequest): Promise<void> {
  const name = `refused token ${login.key}`;
  if (rejected !== undefined && !(await ports.attempts.take(name, maxRefused, 60_000))) {
    throw tokensRefusedTooOften(login, maxRefused);
  }
}

/** The failure for a response that gives no token. */
export function tokenFailure(judged: FailedToken, issuer: string): Failure {
  switch (judged.problem) {
    case 'refused':
      return grantRefused(issuer, judged);
    case 'transient':
      return tokenEndpointFailed(issuer, judged.status, judged.retryAfterMs);
    case 'type':
      return tokenTypeUnusable(issuer, judged.found);
    case 'unusable':
      return tokenUnusable(issuer, judged.why);
  }
}

/** How long a process waits for another one that has the same credential in hand. */
const widenLockWaitMs = 30_000;

/**
 * Step-up of a login of the client's own (rule 5.6): asks once for the union of the scopes held and wanted. What is not
 * given is not asked for again, and the login stays as it was.
 * @throws Failure `scope_not_for_client`, `token_endpoint_failed`, or the store's, lock's and HTTP client's
 */
export async function widenCredential(
  ports: TokenPorts,
  request: {
    readonly login: LoginRecord;
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<LoginRecord> {
  const { login, scopes, signal } = request;
  await using _lock = await ports.locks.acquire(login.key, { waitMs: widenLockWaitMs, signal });
  const held = await readCredential(ports, login);
  if (scopesMissing(held.scopes, scopes).length === 0) {
    return { ...login, scopes: held.scopes }; // another process was faster
  }
  ports.progress.begin('Asking for more scope');
  const wanted = unionScopes(held.scopes, scopes);
  const response = await sendRefresh(ports.http, { held, scopes: wanted, login, signal });
  const judged = await validateTokenResponse(response, {
    now: ports.clock.now(),
    requested: wanted,
    sent: secretsOf(held),
  });
  const missing = judged.ok ? scopesMissing(judged.token.scopes, scopes) : scopes;
  ports.journal.record({
    name: 'step-up',
    asked: `POST ${held.tokenEndpoint}, scope ${wanted.join(' ')}`,
    came: judged.ok ? `scope ${judged.token.scopes.join(' ')}` : judged.problem,
    rule: 'R-5.6c',
    verdict: missing.length === 0 ? 'pass' : 'failure',
  });
  if (!judged.ok) {
    const failure = tokenFailure(judged, held.binding.issuer);
    throw judged.problem === 'refused' ? scopeNotForClient(login.server, missing, failure) : failure;
  }
  if (missing.length > 0) throw scopeNotForClient(login.server, missing);
  const fresh = refreshed(held, judged.token);
  // Nothing was spent for it: where it is lost, the client asks again.
  await keepCredential(ports, request, fresh, false);
  const { expiresAt, obtainedAt, scopes: now } = fresh;
  return { ...login, expiresAt, obtainedAt, scopes: now };
}
