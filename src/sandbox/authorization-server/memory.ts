import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Most records of one kind; then the one least recently written or read is forgotten. */
const limits: Readonly<Record<string, number>> = { Client: 1000 };
const otherLimit = 5000;

interface Kept {
  readonly payload: AdapterPayload;
  readonly until: number;
}

/** Where oidc-provider keeps its records: in this process, for as long as one sandbox runs. */
export function memoryStore(): AdapterFactory {
  const shelves = new Map<string, Map<string, Kept>>();
  return (kind) => {
    const shelf = new Map<string, Kept>();
    shelves.set(kind, shelf);
    return adapter(shelf, limits[kind] ?? otherLimit, () => shelves.values());
  };
}

function adapter(
  shelf: Map<string, Kept>,
  limit: number,
  everyShelf: () => Iterable<Map<string, Kept>>,
): Adapter {
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
