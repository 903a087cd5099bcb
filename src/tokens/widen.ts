import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import { validateTokenResponse } from '../oauth/token.js';
import { keepCredential, refreshed, secretsOf } from './keep-refreshed.js';
import { readCredential } from './read-credential.js';
import { scopeNotForClient } from './request-failures.js';
import { sendRenewal, tokenFailure } from './send-refresh.js';
import type { TokenPorts } from './token-request.js';

/** How long a process waits for another one that has the same credential in hand. */
const widenLockWaitMs = 30_000;

/**
 * Step-up of a login of the client's own (rule 5.6): asks once for the union of the scopes held and wanted. What is not
 * given is not asked for again, and the login stays as it was.
 * @throws Failure `scope_not_for_client`, `token_endpoint_failed`, or the store's, lock's and door's
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
  const response = await sendRenewal(ports.door, { held, scopes: wanted, login, signal });
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
    const failure = tokenFailure(judged, held.binding.issuer, ports.journal);
    throw judged.problem === 'refused' ? scopeNotForClient(login.server, missing, failure) : failure;
  }
  if (missing.length > 0) {
    throw scopeNotForClient(login.server, missing);
  }
  const fresh = refreshed(held, judged.token);
  // Nothing was spent for it: where it is lost, the client asks again.
  await keepCredential(ports, request, fresh, false);
  const { expiresAt, obtainedAt, scopes: now } = fresh;
  return { ...login, expiresAt, obtainedAt, scopes: now };
}
