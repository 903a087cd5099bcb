import type { LoginAsked } from '../../core/login-command.js';
import { dpopGone, dpopNeeded, dpopNotOffered, dpopNotTaken } from './failures.js';
import { proofAlgorithm } from './key.js';

/** What the two metadata documents say of proofs (RFC 9449 section 5.1, RFC 9728 section 2). */
export interface ProofMetadata {
  readonly server: string;
  readonly issuer: string;
  /** `dpop_signing_alg_values_supported` of the authorization server; undefined: it announces nothing. */
  readonly issuerAlgorithms: readonly string[] | undefined;
  /** The same of the protected resource. */
  readonly serverAlgorithms: readonly string[] | undefined;
  /** `dpop_bound_access_tokens_required` of the protected resource. */
  readonly isRequired: boolean;
  /** Does its 401 name DPoP (RFC 9449 section 7.1)? */
  readonly isChallenged: boolean;
}

/** What a person says: `--dpop`, `--no-dpop`, or neither. */
export type ProofChoice = 'always' | 'never';

/** `required`: a Bearer token is of no use. `used`: it does, where the authorization server gives one all the same. */
export type ProofUse = 'none' | 'used' | 'required';

/**
 * Is the login's token to be bound to a key? Where the protected server asks for it, in its metadata or its 401. That an
 * authorization server announces DPoP says nothing of the servers behind it: many do so unasked, and none of those takes
 * proofs. Where bound tokens are demanded and not announced, a login is refused before a person makes it for nothing.
 * @param held Was the login that a new one replaces bound? Where the server still asks, it is not replaced by one that is not.
 * @throws Failure `dpop_needed`, `dpop_not_offered`, `dpop_not_taken`, `dpop_downgraded`
 */
export function proofUse(
  metadata: ProofMetadata,
  { choice, held }: { readonly choice: ProofChoice | undefined; readonly held: boolean },
  login: LoginAsked,
): ProofUse {
  const { issuerAlgorithms, serverAlgorithms = [], isRequired, isChallenged, issuer, server } = metadata;
  if (choice === 'never') {
    if (isRequired) throw dpopNeeded(login);
    return 'none';
  }
  const isDemanded = isRequired || choice === 'always';
  if (!isDemanded && !isChallenged && serverAlgorithms.length === 0) return 'none';
  const isOffered = issuerAlgorithms?.includes(proofAlgorithm) === true;
  const isTaken = metadata.serverAlgorithms === undefined || serverAlgorithms.includes(proofAlgorithm);
  if (isOffered && isTaken) return isDemanded || held ? 'required' : 'used';
  if (isDemanded && !isOffered) throw dpopNotOffered(login, { issuer, listed: issuerAlgorithms, byServer: isRequired });
  if (isDemanded) throw dpopNotTaken(server);
  if (held) throw dpopGone(login, isOffered ? server : issuer);
  return 'none';
}
