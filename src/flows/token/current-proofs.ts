import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import type { StoredCredential } from '../../protocol/credential-item.js';
import { documentKeys } from '../login/document-client.js';

/**
 * The credential with each proof that its client has now, the one that it was got with first. The key of a metadata
 * document may have been rotated since: what is published counts, not what was at the login.
 * @throws Failure of the index
 */
export async function currentProofs(
  ports: Pick<Ports, 'index' | 'stores'>,
  login: Pick<LoginRecord, 'registration'>,
  held: StoredCredential,
): Promise<readonly [StoredCredential, ...StoredCredential[]]> {
  if (login.registration !== 'metadata' || held.authMethod !== 'private_key_jwt') return [held];
  const used = held.clientSecret?.reveal();
  const keys = await keysNow(ports, held.binding.clientId);
  const others = keys
    .filter((key) => key.reveal() !== used)
    .map((clientSecret) => ({ ...held, clientSecret }));
  const [next, ...rest] = others;
  // Made elsewhere, or still among the published ones: the key that worked goes first.
  return next === undefined || keys.length > others.length ? [held, ...others] : [next, ...rest];
}

/** What a store does not give is not needed: the key that worked before is in the credential itself. */
async function keysNow(ports: Pick<Ports, 'index' | 'stores'>, clientId: string): Promise<readonly Secret[]> {
  try {
    return await documentKeys(ports, clientId);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}
