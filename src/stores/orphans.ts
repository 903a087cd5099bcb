import { Failure } from '../core/failure.js';
import type { IndexDocument, LoginRecord, StrayItem } from '../core/records.js';
import type { StorePorts } from './ports.js';

/** An item that is left in a store, and why it could not be removed. */
export interface Leftover {
  readonly item: StrayItem;
  readonly failure: Failure;
}

const same = (one: StrayItem, other: StrayItem) => one.key === other.key && one.store === other.store;

/** The index with these items noted as without a record: whoever comes next removes them. */
export function withStrays(document: IndexDocument, items: readonly StrayItem[]): IndexDocument {
  const { strays = [], ...rest } = document;
  const added = items.filter((item) => !strays.some((stray) => same(stray, item)));
  const all = [...strays, ...added.map(({ key, store }) => ({ key, store }))];
  return all.length === 0 ? rest : { ...rest, strays: all };
}

/** The index without these notes. */
export function withoutStrays(document: IndexDocument, items: readonly StrayItem[]): IndexDocument {
  const { strays = [], ...rest } = document;
  const kept = strays.filter((stray) => !items.some((item) => same(stray, item)));
  return kept.length === 0 ? rest : { ...rest, strays: kept };
}

/** Does a record say that this item is where it is? */
export function isRecorded({ logins, registrations, clientKeys = [] }: IndexDocument, item: StrayItem): boolean {
  const secrets = registrations.filter(({ hasSecret }) => hasSecret);
  return [...logins, ...secrets, ...clientKeys].some(
    ({ key, store = 'keychain', leftIn }) => key === item.key && (store === item.store || leftIn === item.store),
  );
}

/** These logins, after one with that item has gone: who shared it is not believed to have it for himself from then on. */
export function markShared(logins: readonly LoginRecord[], key: string): readonly LoginRecord[] {
  return logins.map((login) => (login.key === key ? { ...login, shared: true } : login));
}

type Needs = Pick<StorePorts, 'stores' | 'index' | 'recovery' | 'locks'>;

/**
 * Removes items without a record, what a killed login or logout and a store that was out of order have left. One that
 * another process has in hand is left to it; one that cannot be removed stays noted.
 * @param wanted Which of them; those in a store that nobody wants to wait for can be left out.
 * @throws Failure of the index
 */
export async function mendStrays(
  ports: Needs,
  wanted: (item: StrayItem) => boolean,
  signal: AbortSignal,
): Promise<readonly Leftover[]> {
  const { strays = [] } = await ports.index.read();
  const left: Leftover[] = [];
  for (const item of strays.filter(wanted)) {
    const failure = await mendOne(ports, item, signal);
    if (failure !== undefined) left.push({ item, failure });
  }
  return left;
}

/** Undefined when it is gone, or in another process's hands. */
async function mendOne(ports: Needs, item: StrayItem, signal: AbortSignal): Promise<Failure | undefined> {
  try {
    await using _lock = await ports.locks.acquire(item.key, { waitMs: 0, signal });
    const document = await ports.index.read();
    if (!isRecorded(document, item)) {
      await ports.stores.of(item.store).remove(item.key);
      const isUsed = [...document.logins].some(({ key }) => key === item.key);
      if (!isUsed) await ports.recovery.forget(item.key);
    }
    await ports.index.update((now) => withoutStrays(now, [item]));
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    return error.code === 'busy' ? undefined : error;
  }
}
