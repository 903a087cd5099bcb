import { Failure } from '../core/failure.js';
import { type IndexDocument, isSharedKind, type RegistrationRecord, type StoredItem } from '../core/records.js';
import type { StorePorts } from './ports.js';

/** An orphan that could not be removed, and why. */
export interface KeptOrphan {
  readonly item: StoredItem;
  readonly failure: Failure;
}

const isAmong = (item: StoredItem, items: readonly StoredItem[]) =>
  items.some(({ key, store }) => key === item.key && store === item.store);

/** The index with these items noted as orphans: the next `status`, login or logout removes them. */
export function withOrphans(document: IndexDocument, items: readonly StoredItem[]): IndexDocument {
  const { orphans = [] } = document;
  const added = items.filter((item) => !isAmong(item, orphans)).map(({ key, store }) => ({ key, store }));
  return noting(document, [...orphans, ...added]);
}

/** The index without these notes. */
export function withoutOrphans(document: IndexDocument, items: readonly StoredItem[]): IndexDocument {
  const { orphans = [] } = document;
  return noting(
    document,
    orphans.filter((item) => !isAmong(item, items)),
  );
}

function noting({ orphans: _, ...rest }: IndexDocument, orphans: readonly StoredItem[]): IndexDocument {
  return orphans.length === 0 ? rest : { ...rest, orphans };
}

/** The index before an item is written: until a record tells of it, it is an orphan. */
export function withItemToCome(document: IndexDocument, item: StoredItem): IndexDocument {
  return isRecorded(document, item) ? document : withOrphans(document, [item]);
}

/** The items that a record tells of. */
export function itemsOf({
  key,
  store = 'keychain',
  leftIn,
}: Pick<RegistrationRecord, 'key' | 'store' | 'leftIn'>): readonly StoredItem[] {
  return [{ key, store }, ...(leftIn === undefined ? [] : [{ key, store: leftIn }])];
}

/** Every record that tells of an item. */
export function recordsIn({ logins, registrations, clientKeys = [], providers = [] }: IndexDocument) {
  return [...logins, ...providers, ...clientKeys, ...registrations.filter(({ hasSecret }) => hasSecret)];
}

/** Does a record say that this item is where it is? */
export function isRecorded(document: IndexDocument, item: StoredItem): boolean {
  return [...recordsIn(document), ...(document.pendingRevocations ?? [])].some((record) =>
    isAmong(item, itemsOf(record)),
  );
}

type Needs = Pick<StorePorts, 'stores' | 'index' | 'recovery' | 'locks'>;

/**
 * Removes items without a record, what a killed login or logout and a store that was out of order have left. Items in
 * use by another process are left; those that cannot be removed stay noted.
 * @param wanted Which of them; those in a store that nobody wants to wait for can be left out.
 * @throws Failure of the index
 */
export async function removeOrphans(
  ports: Needs,
  wanted: (item: StoredItem) => boolean,
  signal: AbortSignal,
): Promise<readonly KeptOrphan[]> {
  const { orphans = [] } = await ports.index.read();
  const kept: KeptOrphan[] = [];
  for (const item of orphans.filter(wanted)) {
    try {
      await removeOrphan(ports, item, signal);
    } catch (failure) {
      if (!(failure instanceof Failure) || signal.aborted) throw failure;
      if (failure.code !== 'busy') kept.push({ item, failure });
    }
  }
  return kept;
}

async function removeOrphan(ports: Needs, item: StoredItem, signal: AbortSignal): Promise<void> {
  await using _lock = await ports.locks.acquire(item.key, { waitMs: 0, signal });
  const document = await ports.index.read();
  if (!isRecorded(document, item)) {
    // In a store that machines share it may be a login of another one by now.
    if (!isSharedKind(item.store)) await ports.stores.of(item.store).remove(item.key);
    const { logins, providers = [] } = document;
    const isUsed = [...logins, ...providers].some(({ key }) => key === item.key);
    if (!isUsed) await ports.recovery.forget(item.key);
  }
  await ports.index.update((now) => withoutOrphans(now, [item]));
}
