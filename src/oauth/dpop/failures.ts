import { exitCode, type Failure } from '../../core/failure.js';
import { quoted } from '../../core/text/printable.js';
import { failure } from '../failures.js';

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
  const remedy = `${clocks}; if that is not it, report it to its operator.`;
  return failure(exitCode.refused, 'dpop_proof_refused', message, remedy);
}
