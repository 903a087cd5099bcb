import type { Failure } from '../../errors/failure.js';

/** Entries in their order, those together that failed alike: a store that does not open is told of once. */
export function byFailure<Entry extends { readonly failure: Failure }>(
  entries: readonly Entry[],
): readonly (readonly [Entry, ...Entry[]])[] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const { code, message, remedy } = entry.failure;
    const told = JSON.stringify([code, message, remedy]);
    const group = groups.get(told);
    if (group === undefined) groups.set(told, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}
