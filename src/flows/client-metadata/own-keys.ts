import type { Ports } from '../../ports.js';
import { asObject, type JsonObject } from '../../primitives/json.js';
import { type Finding, warning } from '../../protocol/oauth/client-metadata/finding.js';
import { clientKeysOf } from '../client-keys.js';

const rule = 'R-2.3c';

/**
 * Do the keys that a document publishes go with the private ones that are kept on this machine for its address? The
 * document may be right and belong to another machine, so that this is no failure of its own.
 */
export async function judgeOwnKeys(
  ports: Pick<Ports, 'index'>,
  document: JsonObject,
  url: string,
): Promise<readonly Finding[]> {
  const kept = await clientKeysOf(ports, { issuer: undefined, clientId: url });
  if (document['token_endpoint_auth_method'] !== 'private_key_jwt') {
    if (kept.length === 0) return [];
    const what =
      'A private key is kept here for this address, and the document does not say private_key_jwt: logins from here are refused.';
    const remedy =
      'Make the document again: postern client-metadata init, with --auth private_key_jwt or, to drop the key, --auth none.';
    return [warning('key_unpublished', rule, { what, remedy })];
  }
  const keys = asObject(document['jwks'])?.['keys'];
  const published = Array.isArray(keys) ? keys.map((key) => asObject(key)?.['kid']) : [];
  if (kept.some(({ keyId }) => published.includes(keyId))) return [];
  const what = 'The private half of none of its keys is kept on this machine: logins from here are refused.';
  const remedy =
    'Log in where the key was made, or make one here: postern client-metadata init --auth private_key_jwt';
  return [warning('key_not_here', rule, { what, remedy })];
}
