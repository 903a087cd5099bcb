import { ignoreFailure } from '../../core/failure.js';
import type { Limits } from '../../core/limits.js';
import type { Clock, Terminal } from '../../core/ports.js';
import {
  defined,
  type IndexDocument,
  isSharedKind,
  type LoginRecord,
  type SharedKind,
  type StoreKind,
} from '../../core/records.js';
import type { CredentialIndex } from '../../stores/ports.js';
import type { FleetPorts } from '../ports.js';
import type { SharedStore, SharedStoreOptions } from './shared-store.js';

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
  const [{ SharedStore }, engine, { limits, storeReadOnly }] = await Promise.all([
    import('./shared-store.js'),
    openEngine(kind),
    settings(),
  ]);
  const own = { leaseMs: limits.leaseSeconds * 1000, isReadOnly: storeReadOnly === true, stateFolder: folder() };
  return new SharedStore({ ...world, ...own, kind, engine });
}

/**
 * The index of a machine that shares logins with others: what is changed here of a shared login is told to them, and
 * those that others have made are taken in when they are looked for.
 * @param configured The store that the person has set, for new logins and for those of others.
 */
export function withSharedLogins(
  index: CredentialIndex,
  {
    shared,
    configured,
  }: {
    readonly shared: (kind: SharedKind) => Promise<Pick<SharedStore, 'publish' | 'records'>>;
    readonly configured: () => Promise<StoreKind | undefined>;
  },
): CredentialIndex {
  return {
    read: () => index.read(),
    update: async (change) => {
      let before: IndexDocument | undefined;
      const after = await index.update((document) => {
        before = document;
        return change(document);
      });
      for (const login of after.logins) {
        const { store } = login;
        if (!isSharedKind(store) || before?.logins.includes(login) === true) continue;
        // The next change of this login tells them.
        await shared(store)
          .then((one) => one.publish(login))
          .catch(ignoreFailure);
      }
      return after;
    },
    adopt: async (asked) => {
      const kind = asked ?? (await configured());
      if (kind === undefined || !isSharedKind(kind)) return;
      const records = await (await shared(kind)).records();
      const { logins } = await index.read();
      if (records.some((record) => isNews(logins, record))) {
        await index.update((now) => ({ ...now, logins: records.reduce(withAdopted, now.logins) }));
      }
    },
  };
}

/** Is it none of ours; or one of a shared store that was made anew, or refreshed, on another machine? */
function isNews(logins: readonly LoginRecord[], record: LoginRecord): boolean {
  const here = logins.find(({ server, account }) => server === record.server && account === record.account);
  if (here === undefined) return true;
  if (!isSharedKind(here.store)) return false;
  const isMoved = here.key === record.key && here.store !== record.store;
  return isMoved || (here.store === record.store && isLater(here, record));
}

function isLater(here: LoginRecord, record: LoginRecord): boolean {
  if (here.key !== record.key) return record.dead !== true;
  const isNewer = here.generation < record.generation || here.obtainedAt < record.obtainedAt;
  return isNewer || here.gone === true || (record.dead === true && here.dead !== true);
}

/** Under its name, where no login here has that; what a person has set on this machine stays. */
function withAdopted(logins: readonly LoginRecord[], record: LoginRecord): readonly LoginRecord[] {
  if (!isNews(logins, record)) return logins;
  const isSame = (login: LoginRecord) => login.server === record.server && login.account === record.account;
  const here = logins.find(isSame);
  const { name, ...rest } = record;
  const isFree = name !== undefined && !logins.some((login) => login.name === name && !isSame(login));
  const { preferred, browser } = here ?? {};
  const own = defined({ name: here?.name ?? (isFree ? name : undefined), preferred, browser });
  const adopted = { ...rest, ...own };
  return here === undefined ? [...logins, adopted] : logins.map((login) => (login === here ? adopted : login));
}
