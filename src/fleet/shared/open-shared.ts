import type { Limits } from '../../core/limits.js';
import type { Clock, Terminal } from '../../core/ports.js';
import type { SharedKind } from '../../core/records.js';
import type { FleetPorts } from '../ports.js';
import { SharedStore, type SharedStoreOptions } from './shared-store.js';

interface SharedWorld {
  readonly env: SharedStoreOptions['env'];
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly folder: () => string;
  readonly settings: () => Promise<{ readonly limits: Limits; readonly storeReadOnly?: boolean | undefined }>;
  readonly openEngine: FleetPorts['openEngine'];
}

/** The stores that machines share, each opened at its first use, and once. */
export function sharedStores(world: SharedWorld): (kind: SharedKind) => Promise<SharedStore> {
  const opened = new Map<SharedKind, Promise<SharedStore>>();
  return async (kind) => {
    const store = opened.get(kind) ?? openShared(world, kind);
    opened.set(kind, store);
    return await store;
  };
}

async function openShared({ openEngine, settings, folder, ...world }: SharedWorld, kind: SharedKind) {
  const [engine, { limits, storeReadOnly }] = await Promise.all([openEngine(kind), settings()]);
  const own = { leaseMs: limits.leaseSeconds * 1000, isReadOnly: storeReadOnly === true, stateFolder: folder() };
  return new SharedStore({ ...world, ...own, kind, engine });
}
