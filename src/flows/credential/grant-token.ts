import { exitCode, Failure } from '../../errors/failure.js';
import { loginExpired } from '../../errors/token.js';
import type { RenewedToken } from '../../ports/callers.js';
import type { Ports } from '../../ports.js';
import type { CredentialFormat } from '../../primitives/credential-format.js';
import type { LoginRecord } from '../../primitives/records.js';
import { readCredential } from '../token/read-credential.js';
import { alive, renewable, reportedRefused, usable } from '../token/token-request.js';
import { minLife } from './min-life.js';

export interface GrantRequest {
  readonly login: LoginRecord;
  readonly format: CredentialFormat;
  /** Milliseconds, when the caller asks for so much. */
  readonly minLifeMs: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * A token of this login for another program, with enough life left: the stored one, else one that a process of its own
 * has renewed, and written, before it is handed out. Where renewing fails for now, the stored one while it lives.
 * @throws Failure `login_expired`, the store's, those of a refresh, or the signal's reason
 */
export async function grantToken(
  ports: Pick<Ports, 'store' | 'index' | 'clock' | 'renewal'>,
  { login, format, minLifeMs: asked, signal }: GrantRequest,
): Promise<RenewedToken> {
  const held = await readCredential(ports, login);
  const minLifeMs = minLife(format, asked, held);
  const wanted = { minLifeMs, rejected: reportedRefused(login, held) };
  if (usable(held, wanted, ports.clock.now())) {
    return held;
  }
  const lives = () => alive(held, { minLifeMs: 0, rejected: undefined }, ports.clock.now());
  if (!renewable(held)) {
    // What does not live as long as it is best to is better than nothing, unless the caller asked for so much.
    if (asked === undefined && lives()) return held;
    throw loginExpired(login.server, 'the token has expired and there is no refresh token');
  }
  try {
    return await ports.renewal.renew(login, { minLifeMs, signal });
  } catch (error) {
    if (error instanceof Failure && error.exit === exitCode.network && lives()) return held;
    throw error;
  }
}
