import { ignoreFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { ClientKeyRecord, IndexDocument, LoginRecord } from '../core/records.js';
import { Secret } from '../core/secret.js';
import { asObject, parseObject } from '../core/text/json.js';
import type { ClientAuthentication } from '../oauth/client-authentication.js';
import { type ClientKey, clientKeyOf, type KeyAlgorithm, makeClientKey } from '../oauth/client-key.js';
import { hashOfParts, type StoredCredential } from '../stores/credential-item.js';
import { itemsOf, removeOrphans, withOrphans } from '../stores/orphans.js';
import type { SecretStore, StorePorts } from '../stores/ports.js';
import { clientKeyGone } from './failures.js';

/**
 * Whose key: of one issuer's client, or, with `issuer` undefined, of a client whose ID metadata document publishes it,
 * which any authorization server may read.
 */
export interface KeyOwner {
  readonly issuer: string | undefined;
  readonly clientId: string;
}

/** The stored form of one private key; it repeats whose it is, so that a swapped item is noticed. */
export function encodeClientKey(binding: KeyOwner & { readonly keyId: string }, key: ClientKey): Secret {
  const { issuer, clientId, keyId } = binding;
  const privateJwk: unknown = JSON.parse(key.privateJwk.reveal());
  return new Secret(JSON.stringify({ version: 1, issuer: issuer ?? null, clientId, keyId, privateJwk }));
}

/** The key in an item's text, or undefined when the item is not the one that was written for this record. */
function decodeClientKey(text: Secret, { issuer, clientId, keyId }: ClientKeyRecord): ClientKey | undefined {
  const item = parseObject(text.reveal(), { maxDepth: 4, maxKeys: 50 });
  const expected = { version: 1, issuer: issuer ?? null, clientId, keyId };
  const isBound = Object.entries(expected).every(([name, value]) => item?.[name] === value);
  const key = isBound ? clientKeyOf(asObject(item?.['privateJwk'])) : undefined;
  return key?.keyId === keyId ? key : undefined;
}

/**
 * Makes a key pair and keeps it: first in the index, then the private half in the store, so that no item is unknown.
 * @param store Where it is to be; it is tried before anything is made.
 * @throws Failure of the store and the index
 */
export async function generateClientKey(
  ports: Pick<StorePorts, 'index'> & Pick<CorePorts, 'clock'>,
  request: KeyOwner & { readonly algorithm: KeyAlgorithm; readonly store: SecretStore },
): Promise<{ readonly record: ClientKeyRecord; readonly key: ClientKey }> {
  const { issuer, clientId, algorithm, store } = request;
  await store.ready();
  const key = await makeClientKey(algorithm);
  const { keyId } = key;
  const record: ClientKeyRecord = {
    key: await hashOfParts(['postern client key', issuer ?? '', clientId, keyId]),
    ...(issuer === undefined ? {} : { issuer }),
    clientId,
    keyId,
    algorithm,
    madeAt: ports.clock.now(),
    store: store.kind,
  };
  await ports.index.update((document) => ({ ...document, clientKeys: [...(document.clientKeys ?? []), record] }));
  try {
    await store.write(record.key, encodeClientKey({ issuer, clientId, keyId }, key));
  } catch (error) {
    await ports.index.update((document) => without(document, record));
    throw error;
  }
  return { record, key };
}

function without(document: IndexDocument, record: ClientKeyRecord): IndexDocument {
  const { clientKeys = [], ...rest } = document;
  return { ...rest, clientKeys: clientKeys.filter(({ key }) => key !== record.key) };
}

/** The keys kept for that owner and no other, the newest first. */
export async function clientKeysOf(
  ports: Pick<StorePorts, 'index'>,
  owner: KeyOwner,
): Promise<readonly ClientKeyRecord[]> {
  const { clientKeys = [] } = await ports.index.read();
  return clientKeys
    .filter(({ issuer, clientId }) => issuer === owner.issuer && clientId === owner.clientId)
    .toReversed();
}

/**
 * The key that a record tells of.
 * @throws Failure `client_key_gone`, or the store's
 */
export async function readClientKey(ports: Pick<StorePorts, 'stores'>, record: ClientKeyRecord): Promise<ClientKey> {
  const item = await ports.stores.of(record.store).read(record.key);
  const key = item && decodeClientKey(item, record);
  if (key === undefined) throw clientKeyGone(record.clientId, item !== undefined);
  return key;
}

/**
 * Removes a key. Its record goes first; an item that its store does not give up stays noted, and goes with the next
 * `status` or `logout`. @throws Failure of the index, or `busy`
 */
export async function removeClientKey(
  ports: Pick<StorePorts, 'stores' | 'index' | 'locks' | 'recovery'>,
  record: ClientKeyRecord,
  signal: AbortSignal,
): Promise<void> {
  await ports.index.update((document) => withOrphans(without(document, record), itemsOf(record)));
  await removeOrphans(ports, ({ key }) => key === record.key, signal);
}

/** Was a key made here for the document at this address? Then it says `private_key_jwt`. */
export async function documentHasKey(
  ports: Pick<StorePorts, 'index'>,
  metadataUrl: string | undefined,
): Promise<boolean> {
  if (metadataUrl === undefined) return false;
  return (await clientKeysOf(ports, { issuer: undefined, clientId: metadataUrl })).length > 0;
}

/**
 * The private keys made here for that owner, the newest first: while a rotation is under way, an authorization server may
 * know the older one alone.
 * @throws Failure as `readClientKey`
 */
export async function privateKeysOf(
  ports: Pick<StorePorts, 'index' | 'stores'>,
  owner: KeyOwner,
): Promise<readonly Secret[]> {
  const records = await clientKeysOf(ports, owner);
  return await Promise.all(records.map(async (record) => (await readClientKey(ports, record)).privateJwk));
}

/**
 * How the client of a metadata document authenticates: without anything, or with a key whose public half the document
 * publishes (rule 2.3, RFC 7523 section 2.2).
 * @throws Failure as `readClientKey`
 */
export async function documentClient(
  ports: Pick<StorePorts, 'index' | 'stores'>,
  metadataUrl: string,
): Promise<ClientAuthentication> {
  const [secret, ...otherKeys] = await privateKeysOf(ports, { issuer: undefined, clientId: metadataUrl });
  const clientId = metadataUrl;
  return secret === undefined
    ? { clientId, method: 'none', secret }
    : { clientId, method: 'private_key_jwt', secret, otherKeys };
}

/**
 * The credential with each proof that its client has now, the one that it was got with first. The key of a metadata
 * document may have been rotated since: what is published counts, not what was at the login.
 * @throws Failure of the index
 */
export async function currentProofs(
  ports: Pick<StorePorts, 'index' | 'stores'>,
  login: Pick<LoginRecord, 'registration'>,
  held: StoredCredential,
): Promise<readonly [StoredCredential, ...StoredCredential[]]> {
  if (login.registration !== 'metadata' || held.authMethod !== 'private_key_jwt') return [held];
  const used = held.clientSecret?.reveal();
  // What a store does not give is not needed: the key that worked before is in the credential itself.
  const owner = { issuer: undefined, clientId: held.binding.clientId };
  const keys = (await privateKeysOf(ports, owner).catch(ignoreFailure)) ?? [];
  const others = keys.filter((key) => key.reveal() !== used).map((clientSecret) => ({ ...held, clientSecret }));
  const [next, ...rest] = others;
  // Made elsewhere, or still among the published ones: the key that worked goes first.
  return next === undefined || keys.length > others.length ? [held, ...others] : [next, ...rest];
}
