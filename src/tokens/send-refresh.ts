import type { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { Clock } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import { quotesSecret, type Secret } from '../core/secret.js';
import { printable } from '../core/text/printable.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import { isProofProblem, proofRefused, tokenNotBound } from '../oauth/dpop/failures.js';
import type { TokenProofs } from '../oauth/dpop/token-proofs.js';
import type { RefusedRequest } from '../oauth/engine.js';
import { grantRefused, tokenEndpointFailed, tokenTypeUnusable } from '../oauth/failures.js';
import {
  type FailedToken,
  sendTokenRequest,
  type TokenGrant,
  type TokenResult,
  validateTokenResponse,
} from '../oauth/token.js';
import type { StoredCredential } from '../stores/credential-item.js';
import type { Refreshes } from './company/vouch.js';
import { nameOwnHost } from './credential-target.js';
import { loginExpired, tokenUnusable } from './failures.js';
import { keepCredential, refreshed, secretsOf } from './keep-refreshed.js';
import { readCredential } from './read-credential.js';
import { scopeNotForClient } from './request-failures.js';
import { checkWhole } from './shared/await-refreshed.js';
import type { TokenPorts } from './token-request.js';
import { ownRequest } from './workload/own-grant.js';

/**
 * Asks for a new token without a person: with the refresh token, or, for a login of the client's own or by a company's
 * provider, as at the login. `scopes` are those held; more than those only these may ask for.
 * @returns With the result what makes a refusal say more.
 * @throws Failure of the HTTP client, `assertion_unreadable`, `assertion_unusable`
 */
export async function requestRefresh(
  ports: Pick<TokenPorts, 'http' | 'clock' | 'assertions' | 'index' | 'journal'>,
  request: {
    readonly held: StoredCredential;
    readonly scopes: readonly string[];
    readonly login: LoginMeant & Pick<LoginRecord, 'zone'>;
    readonly refresh: Refreshes;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly result: TokenResult; readonly explain: (failure: Failure) => Failure }> {
  const { http, clock } = ports;
  const { held, scopes, login, signal } = request;
  const { tokenEndpoint: endpoint, authMethod: method, clientSecret: secret, refreshToken } = held;
  const { issuer, clientId } = held.binding;
  const { requestedResource: chosen = held.binding.resource } = held;
  const resource = chosen ?? undefined;
  const own: ClientAuthentication = { clientId, method, secret };
  const vouched = await vouchedFor(ports, request);
  if (vouched?.ok === false) return { result: vouched.failed, explain: vouched.explain };
  const isOwn = held.grant === 'client_credentials';
  const asItIs = (failure: Failure) => failure;
  const { client, grant, explain } = isOwn
    ? await ownRequest(ports, own, { assertion: held.assertion, scopes, signal })
    : vouched !== undefined
      ? { client: own, grant: { assertion: vouched.idJag, scopes }, explain: vouched.explain }
      : { client: own, grant: byRefreshToken(refreshToken, scopes), explain: asItIs };
  const dpop = await tokenProofs(held, clock);
  const asked = { endpoint, client, issuer, resource, zone: login.zone, dpop, signal };
  await nameOwnHost(http, login.server, endpoint, signal);
  const response = await sendTokenRequest(http, asked, grant);
  const shown = 'assertion' in grant ? [grant.assertion, ...(vouched?.sent ?? [])] : [];
  const sent = [...secretsOf(held), client.assertion, ...shown];
  const context = { now: clock.now(), requested: scopes, sent, dpop };
  return { result: await validateTokenResponse(response, context), explain };
}

/** A login that is bound to a key stays so: its refresh token may be bound, too (RFC 9449 section 5). */
async function tokenProofs(
  held: Pick<StoredCredential, 'dpopKey'>,
  { now }: Pick<Clock, 'now'>,
): Promise<TokenProofs | undefined> {
  if (held.dpopKey === undefined) return undefined;
  const { TokenProofs } = await import('../oauth/dpop/token-proofs.js');
  return await TokenProofs.of({ key: held.dpopKey, isRequired: true, now });
}

/** The ID-JAG of a login by a company's provider, for the authorization server that it is bound to; undefined: it is none. */
async function vouchedFor(
  ports: Parameters<typeof requestRefresh>[0],
  { held, scopes, login, refresh, signal }: Parameters<typeof requestRefresh>[1],
) {
  const { provider, providerSecret: secret, binding, requestedResource: chosen = binding.resource } = held;
  if (provider === undefined) return undefined;
  const { vouch } = await import('./company/vouch.js'); // other logins need none of it
  const { issuer: audience, clientId, account } = binding;
  const target = { audience, resource: chosen ?? undefined, clientId, scopes };
  return await vouch(ports, { provider, secret, account, target, login, refresh, signal });
}

function byRefreshToken(refreshToken: Secret | undefined, scopes: readonly string[]): TokenGrant {
  if (refreshToken === undefined) throw new Error('a credential without a refresh token is not refreshed');
  return { refreshToken, scopes };
}

/** The failure for a response that gives no token. */
export function tokenFailure(failed: FailedToken, issuer: string): Failure {
  switch (failed.problem) {
    case 'refused':
      return isProofProblem(failed.error)
        ? proofRefused(issuer, { problem: failed.error, skew: failed.skew, said: failed.said })
        : grantRefused(issuer, failed);
    case 'transient':
      return tokenEndpointFailed(issuer, failed);
    case 'type':
      return tokenTypeUnusable(issuer, failed.found);
    case 'unbound':
      return tokenNotBound(issuer);
    case 'unusable':
      return tokenUnusable(issuer, failed.why);
  }
}

/** What was said at a refusal, for the list of logins, which others can read. */
export function refusalToKeep({ error, status, said }: RefusedRequest, held: StoredCredential): string {
  const all = [error || String(status), said].filter(Boolean).join(': ');
  return quotesSecret(all, secretsOf(held)) ? error : printable(all, 200);
}

/** The refresh token was refused for good. @param said As it is kept; undefined: it was not. */
export function refreshRefused(login: LoginMeant, said: string | undefined, cause?: Failure): Failure {
  return loginExpired(login, `the authorization server refused to refresh it${said ? ` (${said})` : ''}`, cause);
}

/** How long a process waits for another one that has the same credential in hand. */
const lockWaitMs = 30_000;

/**
 * Step-up of a login of the client's own, or by a company's provider (rule 5.6): asks once for the union of the scopes held and wanted. What is not
 * given is not asked for again, and the login stays as it was.
 * @throws Failure `scope_not_for_client`, `token_endpoint_failed`, or the store's, lock's and HTTP client's
 */
export async function widenCredential(
  ports: TokenPorts,
  request: {
    readonly login: LoginRecord;
    readonly scopes: readonly string[];
    readonly refresh: Refreshes;
    readonly signal: AbortSignal;
  },
): Promise<LoginRecord> {
  const { login, scopes, refresh, signal } = request;
  await using _lock = await ports.locks.acquire(login.key, { waitMs: lockWaitMs, signal });
  const held = await readCredential(ports, login);
  // Another process was faster.
  if (scopesMissing(held.scopes, scopes).length === 0) return { ...login, scopes: held.scopes };
  checkWhole(held, login);
  ports.progress.begin('Asking for more scope');
  const wanted = unionScopes(held.scopes, scopes);
  const { result, explain } = await requestRefresh(ports, { held, scopes: wanted, login, refresh, signal });
  const missing = result.ok ? scopesMissing(result.token.scopes, scopes) : scopes;
  ports.journal.record({
    name: 'step-up',
    asked: `POST ${held.tokenEndpoint}, scope ${wanted.join(' ')}`,
    came: result.ok ? `scope ${result.token.scopes.join(' ')}` : result.problem,
    rule: 'R-5.6c',
    verdict: missing.length === 0 ? 'pass' : 'failure',
  });
  if (!result.ok) {
    const failure = explain(tokenFailure(result, held.binding.issuer));
    throw result.problem === 'refused' ? scopeNotForClient(login.server, missing, failure) : failure;
  }
  if (missing.length > 0) throw scopeNotForClient(login.server, missing);
  const fresh = refreshed(held, result.token);
  // Nothing was spent for it: where it is lost, the client asks again.
  await keepCredential(ports, request, fresh, undefined);
  return { ...login, expiresAt: fresh.expiresAt, obtainedAt: fresh.obtainedAt, scopes: fresh.scopes };
}
