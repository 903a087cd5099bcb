import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { forgetOldest, hashOf } from '../one-time.js';

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
  /** Milliseconds since 1970; `Infinity`: it does not end. */
  readonly until: number;
}

/** Where records of some kinds are kept from one run to the next. */
export interface KeptRecords {
  /** What an earlier run has kept of a kind. */
  load(kind: string): Iterable<readonly [id: string, kept: Kept]>;
  /** Keeps what there is of a kind now; resolves when it is kept. */
  save(kind: string, shelf: Shelf): Promise<void>;
}

/** The records of one kind, by identifier or by its hash, the least recently used first. */
export type Shelf = Map<string, Kept>;

/**
 * Where oidc-provider keeps its records: in this process, for as long as one sandbox runs, and, with `kept`, for the next
 * one. Of codes and tokens only hashes are kept (OAuth 2.1 section 7.7): whoever could read the records could use none.
 *
 * @param shelves is filled with what is kept, by kind
 */
export function memoryStore(shelves: Map<string, Shelf>, kept?: KeptRecords): AdapterFactory {
  return (kind) => {
    const shelf: Shelf = new Map(kept?.load(kind));
    shelves.set(kind, shelf);
    const plain = adapter({
      shelf,
      limit: limits[kind] ?? otherLimit,
      shelves,
      save: async (changed) => await kept?.save(changed, shelves.get(changed) ?? shelf),
      kind,
    });
    return secretKinds.has(kind) ? sealed(plain) : plain;
  };
}

interface ShelfParts {
  readonly kind: string;
  readonly shelf: Shelf;
  readonly limit: number;
  readonly shelves: ReadonlyMap<string, Shelf>;
  readonly save: (kind: string) => Promise<void>;
}

function adapter({ kind, shelf, limit, shelves, save }: ShelfParts): Adapter {
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
      forgetOldest(shelf, limit);
      await save(kind);
    },
    find: async (id) => read(id),
    findByUid: async (uid) => readBy('uid', uid),
    findByUserCode: async (userCode) => readBy('userCode', userCode),
    consume: async (id) => {
      const payload = read(id);
      if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
      await save(kind);
    },
    destroy: async (id) => {
      shelf.delete(id);
      await save(kind);
    },
    revokeByGrantId: async (grantId) => {
      for (const [each, records] of shelves) {
        for (const [id, { payload }] of records) if (payload.grantId === grantId) records.delete(id);
        await save(each);
      }
    },
  };
}

/** The same, with hashes instead of identifiers. */
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
