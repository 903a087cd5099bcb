import { exitCode, Failure } from '../../core/failure.js';
import { type LoginMeant, loginArgument } from '../../core/login-command.js';
import { quoted } from '../../core/text/printable.js';

/**
 * A bare token is asked for, and this login's opens nothing without a proof for each request.
 * @param instead The command that does; undefined: the proxy.
 */
export function tokenBound(login: LoginMeant, asked: string, instead: string | undefined): Failure {
  return new Failure({
    code: 'dpop_bound',
    exit: exitCode.usage,
    message: `The token of the login for ${quoted(login.server)} is bound to a key (DPoP): ${asked} would hand it out alone, and it opens nothing without a proof for each request.`,
    remedy: `postern call, request, bridge and proxy send the proofs. For a program that takes a URL, run: ${instead ?? `postern proxy ${loginArgument(login)}`}`,
  });
}
