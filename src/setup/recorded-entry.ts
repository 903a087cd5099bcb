import { meaningOf, openEntry } from './formats/entry.js';
import { ifEditable, type OpenedText } from './formats/text.js';
import type { KeptRecord, SetupRecord, SetupRecords } from './machine/setup-records.js';
import type { SetupPlan } from './plan-entry.js';
import { callIn } from './programs/entry-call.js';

/** SHA-256 of a text, in hex. */
export async function digest(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');
}

/** Digests of the entry's bytes, and of what it means by these names; '' where there is none. */
export async function entryDigests(
  opened: Pick<OpenedText, 'raw' | 'value'> | undefined,
  names: readonly string[],
): Promise<Pick<SetupRecord, 'entry' | 'meaning'>> {
  const { raw, value } = opened ?? {};
  return {
    entry: raw === undefined ? '' : await digest(raw),
    meaning: value === undefined ? '' : await digest(meaningOf(value, names)),
  };
}

/**
 * `same`: what was written is there, perhaps laid out anew by another program. `ours`: it calls this program, otherwise
 * than it was written. `other`: it is somebody's work.
 */
export type EntryState = 'same' | 'ours' | 'other' | 'missing' | 'unreadable';

export async function entryState(record: SetupRecord, text: string, platform: string): Promise<EntryState> {
  const { key, entry, meaning, holds } = record;
  const opened = ifEditable(() => openEntry(text, key));
  if (opened === undefined) return 'unreadable';
  if (opened.raw === undefined) return 'missing';
  const now = await entryDigests(opened, holds);
  if (now.entry === entry || now.meaning === meaning) return 'same';
  return callIn(key, opened.value, platform) === undefined ? 'other' : 'ours';
}

/** The record of the entry, by the file and its place there. */
export async function recordOf(
  records: Pick<SetupRecords, 'all'>,
  { file, entry }: Pick<SetupPlan, 'file' | 'entry'>,
): Promise<KeptRecord | undefined> {
  const key = JSON.stringify(entry.key);
  return (await records.all()).find(({ record }) => record.path === file.path && JSON.stringify(record.key) === key);
}
