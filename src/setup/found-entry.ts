import { entryValue, meaningOf, openEntry } from './formats/entry.js';
import { ifEditable } from './formats/text.js';
import type { MachineFiles } from './machine/ports.js';
import type { SetupRecord } from './machine/setup-records.js';
import { edit, type SetupPlan } from './plan-entry.js';
import { callIn, type EntryCall } from './programs/entry-call.js';
import { entryState } from './recorded-entry.js';

/** How an entry differs from the one that would be written now. */
export type EntryFault =
  /** It is for another server, account or pin. */
  | { readonly kind: 'other-login'; readonly named: string }
  /** It starts another Node.js, or another postern. */
  | { readonly kind: 'other-start'; readonly path: string }
  | { readonly kind: 'not-there'; readonly path: string }
  /** It sets other variables for postern. */
  | { readonly kind: 'variables'; readonly names: readonly string[] }
  /** Words that `setup` would not write. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Members that hold something else, or should not be there. */
  | { readonly kind: 'members'; readonly names: readonly string[] };

/** The entry that is in the file. */
export interface FoundEntry {
  /** `other`: it is somebody else's, or calls something else. */
  readonly state: 'missing' | 'other' | 'there' | 'different';
  readonly faults: readonly EntryFault[];
  /** What was recorded, where the entry is as it was written. */
  readonly recorded?: SetupRecord['call'];
}

/**
 * Reads what a program would run by the entry in its file. Nothing of it is ever run: its words are compared.
 * @param record Of the entry, where `--write` has made one.
 * @throws Failure `entry_not_edited`
 */
export async function readFound(
  { machine, files }: MachineFiles,
  plan: SetupPlan,
  record: SetupRecord | undefined,
): Promise<FoundEntry> {
  const { file, entry, request } = plan;
  const { key, holds } = entry;
  const text = file.text ?? '';
  const { raw, value } = await edit(file.path, () => openEntry(text, key));
  if (raw === undefined) return { state: 'missing', faults: [] };
  const { platform } = machine;
  const call = callIn(key, value, platform);
  if (call === undefined) return { state: 'other', faults: [] };
  const ours = callIn(key, holds.members, platform);
  const members = memberFaults(plan, text);
  const isRecorded = record?.server === request.url && (await entryState(record, text, platform)) === 'same';
  const isAsWritten = isRecorded && members.length === 0;
  const faults = [
    ...startFaults(call, ours, files.exists),
    ...variableFaults(call, ours, isAsWritten),
    ...loginFaults(call, ours, request.url),
    ...(call.others.length === 0 ? [] : [{ kind: 'words', words: call.others } as const]),
    ...members,
  ];
  return {
    state: faults.length === 0 ? 'there' : 'different',
    faults,
    ...(isAsWritten ? { recorded: record.call } : {}),
  };
}

function startFaults(
  call: EntryCall,
  ours: EntryCall | undefined,
  exists: (path: string) => boolean,
): readonly EntryFault[] {
  const paths = startPaths(call);
  const gone = paths.find((path) => /^(?:[/\\]|[A-Za-z]:)/.test(path) && !exists(path));
  if (gone !== undefined) return [{ kind: 'not-there', path: gone }];
  const other = paths.find((path, index) => path !== startPaths(ours)[index]);
  return other === undefined ? [] : [{ kind: 'other-start', path: other }];
}

const variable = /^([A-Za-z_]\w*)=/;

function variableFaults(call: EntryCall, ours: EntryCall | undefined, isAsWritten: boolean): readonly EntryFault[] {
  const [is, should] = [call, ours].map((one) => (one?.start ?? []).filter((word) => variable.test(word)));
  const differing = [...(is ?? []), ...(should ?? [])].filter((word) => !is?.includes(word) || !should?.includes(word));
  const names = [...new Set(differing.map((word) => variable.exec(word)?.[1] ?? ''))];
  // The proxy is there where `--write` was told to put it there.
  const others = names.filter((name) => !(isAsWritten && name.endsWith('_PROXY')));
  return others.length === 0 ? [] : [{ kind: 'variables', names: others }];
}

/** Node.js and the script. */
function startPaths(call: EntryCall | undefined): readonly string[] {
  return (call?.start ?? [])
    .filter((word) => word !== '/usr/bin/env' && !variable.test(word))
    .map((word) => word.replaceAll('\\', '/'));
}

function loginFaults(call: EntryCall, ours: EntryCall | undefined, url: string): readonly EntryFault[] {
  const isPinned = call.options.includes('--pin');
  const [is, should] = [call, ours].map((one) => JSON.stringify([one?.server, [...(one?.options ?? [])].sort()]));
  if (is === should) return [];
  return [{ kind: 'other-login', named: isPinned ? url : [call.server, ...call.options].join(' ') }];
}

/** What is not in the call: the address, what has the entry switched off, credentials of its own. */
function memberFaults({ entry }: SetupPlan, text: string): readonly EntryFault[] {
  const { key, holds } = entry;
  const edited = ifEditable(() => openEntry(text, key).put(holds));
  if (typeof edited === 'function') return []; // a helper of git's, a user, a command: nothing but the call
  const [now, then] = [text, edited ?? text].map((one) => entryValue(one, key) ?? {});
  const calls = ['command', 'cmd', 'args', 'headersHelper', 'http_headers_helper'];
  const names = [...new Set([now, then].flatMap((one) => Object.keys(one ?? {})))].filter(
    (name) => !(calls.includes(name) && name in (then as object)) && meaningOf(now, [name]) !== meaningOf(then, [name]),
  );
  return names.length === 0 ? [] : [{ kind: 'members', names }];
}
