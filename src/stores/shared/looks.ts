import { asObject, type JsonObject } from '../../core/text/json.js';
import type { EngineEntry } from '../engines/engine.js';
import { sharedItemNewer, sharedItemsApart, sharedKeyWrong } from './failures.js';
import type { AccessItem, Note, Part, RefreshItem } from './items.js';
import type { SharedParts } from './lease.js';

/** What is there of one login. `refresh`: undefined on a machine without its key. */
export interface Look {
  readonly entries: Readonly<Partial<Record<Part, EngineEntry>>>;
  readonly access: AccessItem | undefined;
  readonly refresh: RefreshItem | undefined;
  readonly note: Note | undefined;
}

/**
 * One consistent look at some parts of a login.
 * @throws Failure of the engine, `store_key_wrong`, `credential_corrupt`, `credential_newer`
 */
export async function lookAt(
  { engine, items }: Pick<SharedParts, 'engine' | 'items'>,
  key: string,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<Look> {
  const names = parts.map((part) => items.nameOf(key, part));
  const found = await engine.read(names, signal);
  const entries: Look['entries'] = Object.fromEntries(
    parts.flatMap((part, at) => (found[at] === undefined ? [] : [[part, found[at]]])),
  );
  const opened = <Item>(part: Part, valid: (item: JsonObject) => Item | undefined): Item | undefined => {
    const entry = entries[part];
    if (entry === undefined) return undefined;
    const item = items.open(items.nameOf(key, part), entry.value);
    if (item === 'newer') throw sharedItemNewer(engine.label);
    if (item === undefined) throw sharedKeyWrong(engine.label, part === 'access' ? 'readers' : 'refreshers');
    const made = valid(item);
    if (made === undefined) throw sharedItemsApart(engine.label);
    return made;
  };
  return {
    entries,
    access: opened('access', accessItem),
    refresh: opened('refresh', refreshItem),
    note: opened('note', noteItem),
  };
}

/** Who has the lease, in words for a person. */
export function holderOf({ items }: Pick<SharedParts, 'items'>, key: string, { entries }: Look): string {
  const item = entries.lease && items.open(items.nameOf(key, 'lease'), entries.lease.value);
  const by = typeof item === 'object' ? item['by'] : undefined;
  return typeof by === 'string' ? by : 'unknown';
}

export function accessItem(item: JsonObject): AccessItem | undefined {
  const { pair, generation, record } = item;
  const credential = asObject(item['credential']);
  if (typeof pair !== 'string' || typeof generation !== 'number' || credential === undefined) return undefined;
  return { pair, generation, credential, record: asObject(record) };
}

export function refreshItem(item: JsonObject): RefreshItem | undefined {
  const { pair, of, spent, isReusable } = item;
  const hidden = asObject(item['hidden']);
  if (typeof pair !== 'string' || typeof of !== 'string' || hidden === undefined) return undefined;
  const marks = Array.isArray(spent) ? spent.filter((one) => typeof one === 'string') : [];
  return { pair, of, spent: marks, isReusable: isReusable === true, hidden };
}

export function noteItem(item: JsonObject): Note | undefined {
  const { nonce, pair, since, by, isSilent } = item;
  return typeof nonce === 'string' && typeof pair === 'string' && typeof since === 'number' && typeof by === 'string'
    ? { nonce, pair, since, by, isSilent: isSilent === true }
    : undefined;
}
