import type { Ports } from '../../ports.js';
import type { Secret } from '../../primitives/secret.js';
import type { ClientAuthentication } from '../../protocol/oauth/client-authentication.js';
import { privateText } from '../../protocol/oauth/client-key.js';
import { clientKeysOf, readClientKey } from '../client-keys.js';

/** Was a key made here for the document at this address? Then it says `private_key_jwt`. */
export async function documentHasKey(
  ports: Pick<Ports, 'index'>,
  metadataUrl: string | undefined,
): Promise<boolean> {
  if (metadataUrl === undefined) return false;
  return (await clientKeysOf(ports, { issuer: undefined, clientId: metadataUrl })).length > 0;
}

/**
 * The private keys made here for the document at this address, the newest first: while a rotation is under way, an
 * authorization server that still has the older document knows the older one alone.
 * @throws Failure as `readClientKey`
 */
export async function documentKeys(
  ports: Pick<Ports, 'index' | 'stores'>,
  metadataUrl: string,
): Promise<readonly Secret[]> {
  const records = await clientKeysOf(ports, { issuer: undefined, clientId: metadataUrl });
  return await Promise.all(records.map(async (record) => privateText(await readClientKey(ports, record))));
}

/**
 * How the client of a metadata document authenticates: without anything, or with a key whose public half the document
 * publishes (rule 2.3, RFC 7523 section 2.2).
 * @throws Failure as `readClientKey`
 */
export async function documentClient(
  ports: Pick<Ports, 'index' | 'stores'>,
  metadataUrl: string,
): Promise<ClientAuthentication> {
  const [secret, ...otherKeys] = await documentKeys(ports, metadataUrl);
  const clientId = metadataUrl;
  return secret === undefined
    ? { clientId, method: 'none', secret }
    : { clientId, method: 'private_key_jwt', secret, otherKeys };
}
