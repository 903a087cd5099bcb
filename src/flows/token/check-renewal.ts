import { tokensRefusedTooOften, tokenUnusable } from '../../errors/token.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import { identityIn } from '../../protocol/oauth/identity.js';
import type { IssuedToken } from '../../protocol/oauth/token-response.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';

/** Tokens of one login that a server may refuse within a minute. */
const mostRefused = 3;

/**
 * A refresh is for whoever logged in, or its answer is not used (OpenID Connect Core 1.0, section 12.2).
 * @throws Failure `token_unusable`
 */
export function checkSubject(
  ports: TokenPorts,
  { binding, subject }: StoredCredential,
  token: IssuedToken,
): void {
  const now = identityIn(token.idToken, binding)?.subject;
  if (subject !== undefined && now !== undefined && now !== subject) {
    const why = 'its ID token is for somebody else than the one who logged in';
    throw tokenUnusable(binding.issuer, why, ports.journal.steps);
  }
}

/**
 * A token that the server refuses although it lives is replaced so often within a minute, over all processes.
 * @throws Failure `token_refused`
 */
export async function countRefused(ports: TokenPorts, { login, rejected }: ValidTokenRequest): Promise<void> {
  const name = `refused token ${login.key}`;
  if (rejected !== undefined && !(await ports.attempts.take(name, mostRefused, 60_000))) {
    throw tokensRefusedTooOften(login, mostRefused);
  }
}
