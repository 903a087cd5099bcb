import { type ExitCode, exitCode, Failure } from '../../core/failure.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import { quotedServer } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';

function failure(exit: ExitCode, code: string, message: string, remedy: string): Failure {
  return new Failure({ code, exit, message, remedy });
}

/** `--no-dpop`, at a server that takes nothing else. */
export function dpopNeeded(login: LoginAsked): Failure {
  const message = `${quotedServer(login.server)} takes only tokens that are bound to a key (dpop_bound_access_tokens_required, RFC 9728), and --no-dpop asks for one that is not.`;
  return failure(exitCode.usage, 'dpop_needed', message, `Log in with a key: ${loginCommand(login, '--dpop')}`);
}

/** Tokens bound to a key are demanded, and the authorization server does not offer them. */
export function dpopNotOffered(
  login: LoginAsked,
  about: { readonly issuer: string; readonly listed: readonly string[] | undefined; readonly byServer: boolean },
): Failure {
  const { issuer, listed, byServer } = about;
  const who = byServer ? `${quotedServer(login.server)} takes only tokens that are bound to a key, and` : '';
  const found = listed === undefined ? 'it is not there' : `it lists ${quoted(listed.join(' ') || 'nothing', 80)}`;
  const message = `${who} the authorization server ${quoted(issuer)} does not announce DPoP with ES256 (dpop_signing_alg_values_supported, RFC 9449 section 5.1: ${found}).`;
  return byServer
    ? failure(
        exitCode.serverBreaksRules,
        'dpop_not_offered',
        message,
        'Ask the operator of the authorization server to announce ES256 there. Nothing was sent or stored.',
      )
    : failure(
        exitCode.usage,
        'dpop_not_offered',
        `T${message.slice(2)}`,
        `Nobody was asked to log in. For a Bearer token, run: ${loginCommand(login, '--no-dpop')}`,
      );
}

/** The server lists algorithms for proofs, and not ours. */
export function dpopNotTaken(server: string): Failure {
  const message = `${quotedServer(server)} takes no proofs signed with ES256 (dpop_signing_alg_values_supported of its metadata, RFC 9728).`;
  const remedy = 'Ask the server’s operator to take ES256. Nothing was sent or stored.';
  return failure(exitCode.serverBreaksRules, 'dpop_not_taken', message, remedy);
}

/** A login was bound to a key, and would not be any more: a downgrade that only a person may want. */
export function dpopGone(login: LoginAsked, who: string): Failure {
  const message = `The login for ${quotedServer(login.server)} is bound to a key (DPoP), and ${quoted(who)} does not offer that any more.`;
  const remedy = `If its operator has turned it off on purpose, run: ${loginCommand(login, '--no-dpop')}`;
  return failure(exitCode.refused, 'dpop_downgraded', message, remedy);
}

/** A Bearer token in return for a proof, where only a bound one will do (RFC 9449 section 5). */
export function tokenNotBound(issuer: string): Failure {
  const message = `The authorization server ${quoted(issuer)} issued a Bearer token, and this login has to be bound to a key (RFC 9449 section 5, token_type). It was thrown away.`;
  const remedy = 'Report it to the operator of the authorization server. An earlier login is as it was.';
  return failure(exitCode.serverBreaksRules, 'dpop_downgraded', message, remedy);
}

/** What a refused proof was refused for. */
export type ProofProblem = 'use_dpop_nonce' | 'invalid_dpop_proof';

export function isProofProblem(error: string): error is ProofProblem {
  return error === 'use_dpop_nonce' || error === 'invalid_dpop_proof';
}

/**
 * Proofs are refused, as often as they are tried.
 * @param who The server or authorization server. @param skew Seconds that its clock is ahead of ours, where it says so
 */
export function proofRefused(
  who: string,
  about: { readonly problem: ProofProblem; readonly skew: number | undefined; readonly said: string },
): Failure {
  const { problem, skew, said } = about;
  const quote = said === '' ? '' : `; it said: ${quoted(said)}`;
  if (problem === 'use_dpop_nonce') {
    const message = `${quoted(who)} asks for another nonce each time, or gives none with it (use_dpop_nonce, RFC 9449 section 8)${quote}.`;
    return failure(exitCode.serverBreaksRules, 'dpop_proof_refused', message, 'Report it to its operator.');
  }
  const clocks =
    skew === undefined
      ? 'Compare this machine’s clock with the time of day'
      : `Its clock is ${Math.abs(skew)} seconds ${skew > 0 ? 'ahead of' : 'behind'} this machine’s. Set the one that is wrong`;
  const message = `${quoted(who)} refused the proof of this login’s key (invalid_dpop_proof, RFC 9449)${quote}.`;
  return failure(
    exitCode.refused,
    'dpop_proof_refused',
    message,
    `${clocks}; if that is not it, report it to its operator.`,
  );
}
