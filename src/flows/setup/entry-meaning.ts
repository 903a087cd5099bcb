import type { SetupRecord } from '../../ports/neighbours.js';
import { type EntryKey, entryValue, findEntry, partOf } from '../../primitives/edit/entry.js';
import { callIn, callOf, goCommands, goWords } from '../../protocol/setup/entry-call.js';

/** SHA-256 of a text, in hex. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Digest of the entry as it stands in a text; of nothing where there is none. */
export async function entryDigest(text: string, key: EntryKey): Promise<string> {
  const found = findEntry(text, key);
  return found.ok && found.raw !== undefined ? await digest(found.raw) : '';
}

/** Digest of what the entry means, of what was put there alone: no layout, no order of names, no members of others. */
export async function meaningDigest(text: string, key: EntryKey, names: readonly string[]): Promise<string> {
  const found = entryValue(text, key);
  return found.ok && found.value !== undefined ? await digest(plain(partOf(found.value, names))) : '';
}

/**
 * `same`: what was written is there, perhaps laid out anew by another program. `ours`: it calls this program, otherwise
 * than it was written. `other`: it is somebody's work.
 */
export type EntryState = 'same' | 'ours' | 'other' | 'missing' | 'unreadable';

export async function entryState(record: SetupRecord, text: string, platform: string): Promise<EntryState> {
  const { key, entry, meaning, holds = [] } = record;
  const found = entryValue(text, key);
  if (!found.ok) return 'unreadable';
  const raw = findEntry(text, key);
  if (raw.ok && raw.raw === undefined) return changedItem(record, text);
  if ((await entryDigest(text, key)) === entry) return 'same';
  if (meaning !== undefined && (await meaningDigest(text, key, holds)) === meaning) return 'same';
  const call = callIn(key, found.value, { platform });
  if (call === undefined) return 'other';
  // Earlier releases have kept no meaning: their entry can only be told by whom it calls.
  return meaning === undefined ? 'same' : 'ours';
}

/** An item of a line that is not there as it was written: another one for the same server has its place, or none. */
function changedItem({ key, server }: SetupRecord, text: string): EntryState {
  if (key.format !== 'line' || key.item === undefined) return 'missing';
  const line = findEntry(text, { format: 'line', prefix: key.prefix });
  const items = goCommands((line.ok && line.raw?.slice(key.prefix.length)) || '').map(goWords);
  const changed = items.find((words) => words.includes(server));
  if (changed === undefined) return 'missing';
  return callOf(changed) === undefined ? 'other' : 'ours';
}

/** A value with the names of its objects in order. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
