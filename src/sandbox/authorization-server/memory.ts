import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { hashOf } from '../secret-hash.js';

/** Most records of one kind; then the one least recently written or read is forgotten. */
const limits: Readonly<Record<string, number>> = { Client: 1000 };

const otherLimit = 5000;

/**
 * Kinds whose identifier is a secret that a client holds. Device codes are one too, but oidc-provider refers to
 * them by value from its other records; they live for ten minutes.
 */
const secretKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'ClientCredentials',
  'RefreshToken',
]);

interface Kept {
  readonly payload: AdapterPayload;
  readonly until: number;
}

/** The records of one kind, by identifier or by its hash, the least recently used first. */
export type Shelf = Map<string, Kept>;

/**
 * Where oidc-provider keeps its records: in this process, for as long as one sandbox runs. Of codes and tokens
 * only hashes are kept (OAuth 2.1 section 7.7): whoever could read the records could use none of them.
 *
 * @param shelves is filled with what is kept, by kind
 */
export function memoryStore(shelves: Map<string, Shelf>): AdapterFactory {
  return (kind) => {
    const shelf: Shelf = new Map();
    shelves.set(kind, shelf);
    const plain = adapter(shelf, limits[kind] ?? otherLimit, () => shelves.values());
    return secretKinds.has(kind) ? sealed(plain) : plain;
  };
}

function adapter(shelf: Shelf, limit: number, everyShelf: () => Iterable<Shelf>): Adapter {
  const read = (id: string): AdapterPayload | undefined => {
    const kept = shelf.get(id);
    if (kept === undefined) return undefined;
    shelf.delete(id);
    if (kept.until <= Date.now()) return undefined;
    shelf.set(id, kept);
    return kept.payload;
  };
  const readBy = (name: 'uid' | 'userCode', value: string): AdapterPayload | undefined => {
    for (const [id, { payload }] of shelf) if (payload[name] === value) return read(id);
    return undefined;
  };
  return {
    upsert: async (id, payload, expiresIn) => {
      const until = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000;
      shelf.delete(id);
      shelf.set(id, { payload, until });
      const oldest = shelf.keys().next();
      if (shelf.size > limit && !oldest.done) shelf.delete(oldest.value);
    },
    find: async (id) => read(id),
    findByUid: async (uid) => readBy('uid', uid),
    findByUserCode: async (userCode) => readBy('userCode', userCode),
    consume: async (id) => {
      const payload = read(id);
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => {
      shelf.delete(id);
    },
    revokeByGrantId: async (grantId) => {
      for (const each of everyShelf()) {
        for (const [id, { payload }] of each) if (payload.grantId === grantId) each.delete(id);
      }
    },
  };
}

/** The same, with hashes in the place of identifiers. */
function sealed(plain: Adapter): Adapter {
  return {
    ...plain,
    upsert: (id, payload, expiresIn) => plain.upsert(hashOf(id), { ...payload, jti: hashOf(id) }, expiresIn),
    find: async (id) => {
      const found = await plain.find(hashOf(id));
      return found && { ...found, jti: id };
    },
    consume: (id) => plain.consume(hashOf(id)),
    destroy: (id) => plain.destroy(hashOf(id)),
  };
}
