import type { Secret } from '../../core/secret.js';
import { keyNamedIn, proofAlgorithm } from '../../oauth/dpop/key.js';
import type { ProtectedResource } from '../../oauth/resource-metadata.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { ProofsInUse } from '../../tokens/dpop/proofs-in-use.js';
import { provingHttp } from '../../tokens/dpop/proving-http.js';
import type { Discovered, ExaminePorts } from '../ports.js';
import type { Report } from '../report.js';

/** Steps 3 and 5: do server and authorization server agree on tokens that are bound to a key (RFC 9449)? */
export function checkProofsOffered(resource: ProtectedResource, server: AuthorizationServer, report: Report): void {
  const { dpopAlgorithms: taken = [], dpopRequired: isRequired } = resource;
  if (taken.length === 0 && !isRequired) return;
  const { dpopAlgorithms: offered } = server;
  const listed = (list: readonly string[] | undefined) =>
    `dpop_signing_alg_values_supported ${list === undefined ? 'is absent' : `is ${list.join(', ') || 'empty'}`}`;
  if (offered?.includes(proofAlgorithm) !== true) {
    if (isRequired) report.found('dpop-not-offered', listed(offered));
    return;
  }
  if (taken.length > 0 && !taken.includes(proofAlgorithm)) report.found('dpop-algorithm-not-taken', listed(taken));
  else
    report.pass(
      'issuer',
      `DPoP with ES256: a login is bound to a key, as the server ${isRequired ? 'demands' : 'asks'}`,
    );
}

/** Step 10: is the token bound to the key of the login, and does it say so? */
export function checkBound(credential: StoredCredential, found: Discovered, report: Report): void {
  const { dpopKey, accessToken } = credential;
  if (dpopKey === undefined) {
    const { resource, probed, authorizationServer } = found;
    const isAsked = probed.dpop !== undefined || resource.dpopAlgorithms?.includes(proofAlgorithm);
    if (isAsked && authorizationServer.dpopAlgorithms?.includes(proofAlgorithm))
      report.found('dpop-not-bound', 'token_type is Bearer');
    return;
  }
  report.pass('redeem', isBindingMissing(accessToken) ? 'bound to a key, as its type says' : 'bound to a key: cnf.jkt');
}

/** Is it a JWT that does not say what key it is bound to? A server may know that otherwise. */
export function isBindingMissing(token: Secret): boolean {
  const named = keyNamedIn(token.reveal());
  return named !== 'opaque' && named.jkt === undefined;
}

/** The ports, whose requests with a token have a proof where this login needs one. */
export async function provingPorts(
  ports: ExaminePorts,
  credential: StoredCredential,
  report: Report,
): Promise<ExaminePorts> {
  const bound = await new ProofsInUse(() => ports.clock.now()).of(credential);
  if (bound === undefined) return ports;
  const direct = provingHttp(ports.direct, bound, ({ kind }) => {
    if (kind === 'clock') report.found('dpop-clock-off', 'a proof by this machine’s clock was refused');
    if (kind === 'nonce') report.pass('token', 'the server wants a nonce in each proof, and gives one');
  });
  return { ...ports, direct };
}
