import { exitCode, type Failure } from '../../core/failure.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import { quotedServer } from '../../core/resource.js';
import { quoted } from '../../core/text/printable.js';
import type { Discovery } from '../discover.js';
import { failure } from '../failures.js';
import type { ProtectedResource } from '../resource-metadata.js';
import type { AuthorizationServer } from '../server-metadata.js';
import { proofAlgorithm } from './key.js';

/** What a person says: `--dpop`, `--no-dpop`, or neither. */
export type ProofChoice = 'always' | 'never';

/** What the two metadata documents, and the server's 401, say of proofs (RFC 9449 section 5.1, RFC 9728 section 2). */
export type ProofDiscovery = Pick<Discovery, 'server' | 'challengedDpop'> & {
  readonly authorizationServer: Pick<AuthorizationServer, 'issuer' | 'dpopAlgorithms'>;
  readonly protectedResource: Pick<ProtectedResource, 'dpopAlgorithms' | 'dpopRequired'>;
};

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
  discovery: ProofDiscovery,
  { choice, held }: { readonly choice: ProofChoice | undefined; readonly held: boolean },
  login: LoginAsked,
): ProofUse {
  const { server, challengedDpop } = discovery;
  const { issuer, dpopAlgorithms: issuerAlgorithms } = discovery.authorizationServer;
  const { dpopAlgorithms: serverAlgorithms, dpopRequired: isRequired = false } = discovery.protectedResource;
  if (choice === 'never') {
    if (isRequired) throw dpopNeeded(login);
    return 'none';
  }
  const isDemanded = isRequired || choice === 'always';
  const isAsked = challengedDpop !== undefined || (serverAlgorithms ?? []).length > 0;
  if (!isDemanded && !isAsked) return 'none';
  const isOffered = issuerAlgorithms?.includes(proofAlgorithm) === true;
  const isTaken = serverAlgorithms?.includes(proofAlgorithm) ?? true;
  if (isOffered && isTaken) return isDemanded || held ? 'required' : 'used';
  if (isDemanded && !isOffered) throw dpopNotOffered(login, { issuer, listed: issuerAlgorithms, byServer: isRequired });
  if (isDemanded) throw dpopNotTaken(server);
  if (held) throw dpopGone(login, isOffered ? server : issuer);
  return 'none';
}

/** `--no-dpop`, at a server that takes nothing else. */
function dpopNeeded(login: LoginAsked): Failure {
  const message = `${quotedServer(login.server)} takes only tokens that are bound to a key (dpop_bound_access_tokens_required, RFC 9728), and --no-dpop asks for one that is not.`;
  return failure(exitCode.usage, 'dpop_needed', message, `Log in with a key: ${loginCommand(login, '--dpop')}`);
}

/** Tokens bound to a key are demanded, and the authorization server does not offer them. */
function dpopNotOffered(
  login: LoginAsked,
  about: { readonly issuer: string; readonly listed: readonly string[] | undefined; readonly byServer: boolean },
): Failure {
  const { issuer, listed, byServer } = about;
  const who = byServer ? `${quotedServer(login.server)} takes only tokens that are bound to a key, and the` : 'The';
  const found = listed === undefined ? 'it is not there' : `it lists ${quoted(listed.join(' ') || 'nothing', 80)}`;
  const message = `${who} authorization server ${quoted(issuer)} does not announce DPoP with ES256 (dpop_signing_alg_values_supported, RFC 9449 section 5.1: ${found}).`;
  const ask = 'Ask the operator of the authorization server to announce ES256 there. Nothing was sent or stored.';
  if (byServer) return failure(exitCode.serverBreaksRules, 'dpop_not_offered', message, ask);
  const remedy = `Nobody was asked to log in. For a Bearer token, run: ${loginCommand(login, '--no-dpop')}`;
  return failure(exitCode.usage, 'dpop_not_offered', message, remedy);
}

/** The server lists algorithms for proofs, and not ours. */
function dpopNotTaken(server: string): Failure {
  const message = `${quotedServer(server)} takes no proofs signed with ES256 (dpop_signing_alg_values_supported of its metadata, RFC 9728).`;
  const remedy = 'Ask the server’s operator to take ES256. Nothing was sent or stored.';
  return failure(exitCode.serverBreaksRules, 'dpop_not_taken', message, remedy);
}

/** A login was bound to a key, and would not be any more: a downgrade that only a person may want. */
function dpopGone(login: LoginAsked, who: string): Failure {
  const message = `The login for ${quotedServer(login.server)} is bound to a key (DPoP), and ${quoted(who)} does not offer that any more.`;
  const remedy = `If its operator has turned it off on purpose, run: ${loginCommand(login, '--no-dpop')}`;
  return failure(exitCode.refused, 'dpop_downgraded', message, remedy);
}
