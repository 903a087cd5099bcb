import { exitCode, Failure } from '../../core/failure.js';
import { type LoginMeant, loginArgument, loginCommand } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import { quotedServer } from '../../core/resource.js';

/** A bare token is asked for, and this login's goes with a proof for each request. */
export function tokenBound(login: LoginMeant & Pick<LoginRecord, 'schemeTaken'>, asked: string): Failure {
  const remedy =
    login.schemeTaken === 'dpop'
      ? `The proxy sends the proofs. Run: postern proxy ${loginArgument(login)}`
      : `For a Bearer token, log in without a key: ${loginCommand(login, '--no-dpop')}`;
  return new Failure({
    code: 'dpop_bound',
    exit: exitCode.usage,
    message: `The login for ${quotedServer(login.server)} is bound to a key (DPoP), and ${asked} cannot send the proofs that go with its token.`,
    remedy,
  });
}

/** A Bearer token was refused, and the challenge names DPoP alone. */
export function bindingNeeded(login: LoginMeant): Failure {
  return new Failure({
    code: 'dpop_needed',
    exit: exitCode.loginNeeded,
    message: `${quotedServer(login.server)} takes only tokens that are bound to a key (DPoP), and this login has a Bearer token.`,
    remedy: `Log in with a key: ${loginCommand(login, '--dpop')}`,
  });
}
