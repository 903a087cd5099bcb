import { tokenTooShort } from '../../errors/exec.js';
import type { TokenPorts, ValidTokenRequest } from './token-request.js';
import { type ValidToken, validToken } from './valid-token.js';

/**
 * A token for somebody who keeps it and cannot come back for another: refreshed when it has less life left than
 * `minLifeMs`, and refused when a fresh one has less, too.
 * @throws Failure `token_too_short`, or those of `validToken`
 */
export async function tokenToKeep(
  ports: TokenPorts,
  request: Omit<ValidTokenRequest, 'rejected'>,
): Promise<ValidToken> {
  const token = await validToken(ports, { ...request, rejected: undefined });
  const { expiresAt } = token;
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - ports.clock.now();
  if (left < request.minLifeMs) {
    throw tokenTooShort(request.login, left, request.minLifeMs);
  }
  return token;
}
