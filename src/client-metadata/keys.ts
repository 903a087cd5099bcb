import type { CorePorts } from '../core/ports.js';
import type { DocumentSettings } from '../oauth/client-metadata/write-document.js';
import type { SecretStore, StorePorts } from '../stores/ports.js';
import { clientKeysOf, generateClientKey, readClientKey, removeClientKey } from '../tokens/client-keys.js';
import { nothingToRetire, nothingToRotate, rotationUnderWay } from './failures.js';

type Needs = Pick<StorePorts, 'index' | 'stores' | 'locks' | 'recovery'> & Pick<CorePorts, 'clock'>;

/** A document's key belongs to its address alone, whatever authorization server reads it. */
const ownerOf = (url: string) => ({ issuer: undefined, clientId: url });

/**
 * The public keys for a new document with `private_key_jwt`: those that are kept for its address, the newest first, or
 * one that is made and kept now.
 * @throws Failure of the store and the index
 */
export async function keysFor(ports: Needs, url: string, store: SecretStore): Promise<DocumentSettings['keys']> {
  const records = await clientKeysOf(ports, ownerOf(url));
  if (records.length === 0) {
    const made = await generateClientKey(ports, { ...ownerOf(url), algorithm: 'ES256', store });
    return [made.key.publicJwk];
  }
  const kept = await Promise.all(records.map((record) => readClientKey(ports, record)));
  return kept.map(({ publicJwk }) => publicJwk);
}

/**
 * The settings with a new key before the one in use: the document publishes both, so that whoever still has the older
 * document goes on. Logins use the new one, and the older one where the new one is not known yet.
 * @throws Failure `client_key_missing`, `rotation_under_way`, or of the store and the index
 */
export async function rotateKey(
  ports: Needs,
  request: { readonly settings: DocumentSettings; readonly path: string; readonly store: SecretStore },
): Promise<DocumentSettings> {
  const { settings, path, store } = request;
  if (settings.keys.length === 0) throw nothingToRotate(path);
  if (settings.keys.length > 1) throw rotationUnderWay(path);
  const owner = ownerOf(settings.url);
  // A rotation that was cut short has made a key that is published nowhere: that one is taken.
  const published = settings.keys[0]?.['kid'];
  const unpublished = (await clientKeysOf(ports, owner)).find(({ keyId }) => keyId !== published);
  const key = unpublished
    ? await readClientKey(ports, unpublished)
    : (await generateClientKey(ports, { ...owner, algorithm: 'ES256', store })).key;
  return { ...settings, keys: [key.publicJwk, ...settings.keys] };
}

/**
 * The settings with the newest key alone. What it is that is not needed any more is removed by `forgetOldKeys`, once
 * the document is written.
 * @throws Failure `nothing_to_retire`
 */
export async function retireKey(
  ports: Pick<StorePorts, 'index'>,
  request: { readonly settings: DocumentSettings; readonly path: string },
): Promise<DocumentSettings> {
  const { settings, path } = request;
  const [newest, ...older] = settings.keys;
  if (newest === undefined || older.length === 0) throw nothingToRetire(path, 'it publishes no second one');
  const kept = await clientKeysOf(ports, ownerOf(settings.url));
  if (!kept.some(({ keyId }) => keyId === newest['kid'])) {
    throw nothingToRetire(path, 'the private half of its newest key is not kept on this machine');
  }
  return { ...settings, keys: [newest] };
}

/** Removes the private halves that the document no longer publishes. @throws Failure of the store and the index, or `busy` */
export async function forgetOldKeys(ports: Needs, settings: DocumentSettings, signal: AbortSignal): Promise<number> {
  const published = settings.keys.map((key) => key['kid']);
  const old = (await clientKeysOf(ports, ownerOf(settings.url))).filter(({ keyId }) => !published.includes(keyId));
  for (const record of old) await removeClientKey(ports, record, signal);
  return old.length;
}
