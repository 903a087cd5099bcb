import { exitCode, Failure } from '../../core/failure.js';
import { type LoginMeant, loginArgument } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import { quoted } from '../../core/text/printable.js';
import type { StoredCredential } from '../../stores/credential-item.js';

type Known = LoginMeant & Pick<LoginRecord, 'dpop'>;

/**
 * Refuses to hand out a token alone that is bound to a key: whoever gets it cannot make the proofs (RFC 9449 section 7).
 * @param asked The command that would. @param item Decides, where it was read; the index tells it sooner.
 * @throws Failure `dpop_bound`
 */
export function proveBare(login: Known, asked: string, item?: Pick<StoredCredential, 'dpopKey'>): void {
  const isBound = item === undefined ? login.dpop === 'bound' || login.dpop === 'demanded' : item.dpopKey !== undefined;
  if (isBound) throw tokenBound(login, asked);
}

/** A bare token is asked for, and this login's opens nothing without a proof for each request. */
export function tokenBound(login: LoginMeant, asked: string): Failure {
  return new Failure({
    code: 'dpop_bound',
    exit: exitCode.usage,
    message: `The token of the login for ${quoted(login.server)} is bound to a key (DPoP): ${asked} would hand it out alone, and it opens nothing without a proof for each request.`,
    remedy: `postern call, request, bridge and proxy send the proofs. For a program that takes a URL, run: postern proxy ${loginArgument(login)}`,
  });
}
