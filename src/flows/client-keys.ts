import { clientKeyGone } from '../errors/store.js';
import type { Ports, SecretStore } from '../ports.js';
import type { ClientKeyRecord, IndexDocument } from '../primitives/records.js';
import { clientKeyKey, decodeClientKey, encodeClientKey } from '../protocol/client-key-item.js';
import { type ClientKey, type KeyAlgorithm, makeClientKey } from '../protocol/oauth/client-key.js';
import { mendStrays, withStrays } from './strays.js';

/** Whose key: of one issuer's client, or, with `issuer` undefined, of a client ID metadata document. */
export interface KeyOwner {
  readonly issuer: string | undefined;
  readonly clientId: string;
}

/** A key, and what the index says of it. */
export interface KeptKey {
  readonly record: ClientKeyRecord;
  readonly key: ClientKey;
}

/**
 * Makes a key pair and keeps it: the index says first that there may be one, then the private half goes into the store,
 * so that no item is there that nobody knows of.
 * @param store Where it is to be; it is tried before anything is made.
 * @throws Failure of the store and the index
 */
export async function generateClientKey(
  ports: Pick<Ports, 'index' | 'clock'>,
  request: KeyOwner & { readonly algorithm: KeyAlgorithm; readonly store: SecretStore },
): Promise<KeptKey> {
  const { issuer, clientId, algorithm, store } = request;
  await store.ready();
  const key = await makeClientKey(algorithm);
  const binding = { issuer, clientId, keyId: key.keyId };
  const record: ClientKeyRecord = {
    key: await clientKeyKey(binding),
    ...(issuer === undefined ? {} : { issuer }),
    clientId,
    keyId: key.keyId,
    algorithm,
    madeAt: ports.clock.now(),
    store: store.kind,
  };
  await ports.index.update((document) => ({
    ...document,
    clientKeys: [...(document.clientKeys ?? []), record],
  }));
  try {
    await store.write(record.key, encodeClientKey(binding, key));
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
  ports: Pick<Ports, 'index'>,
  owner: KeyOwner,
): Promise<readonly ClientKeyRecord[]> {
  const { clientKeys = [] } = await ports.index.read();
  return clientKeys
    .filter(({ issuer, clientId }) => issuer === owner.issuer && clientId === owner.clientId)
    .toReversed();
}

/**
 * The key that a record tells of. Its `privateText` is what `ClientAuthentication.secret` takes.
 * @throws Failure `client_key_gone`, or the store's
 */
export async function readClientKey(
  ports: Pick<Ports, 'stores'>,
  record: ClientKeyRecord,
): Promise<ClientKey> {
  const item = await ports.stores.of(record.store).read(record.key);
  const { issuer, clientId, keyId } = record;
  const key = item && decodeClientKey(item, { issuer, clientId, keyId });
  if (key === undefined) throw clientKeyGone(clientId, item !== undefined);
  return key;
}

/**
 * Removes a key. Its record goes first; an item that its store does not give up stays noted, and goes with the next
 * `status` or `logout`. @throws Failure of the index, or `busy`
 */
export async function removeClientKey(
  ports: Pick<Ports, 'stores' | 'index' | 'locks' | 'recovery'>,
  record: ClientKeyRecord,
  signal: AbortSignal,
): Promise<void> {
  const { key, store, leftIn } = record;
  const items = [{ key, store }, ...(leftIn === undefined ? [] : [{ key, store: leftIn }])];
  await ports.index.update((document) => withStrays(without(document, record), items));
  await mendStrays(ports, (item) => item.key === key, signal);
}
