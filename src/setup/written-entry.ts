import { edit } from './failures.js';
import { entryAlone, entryValue, meaningOf, openEntry, putEntry, wholeKey } from './formats/entry.js';
import { ifEditable } from './formats/text.js';
import type { SetupPlan } from './plan-entry.js';
import type { ExternalPrograms, Machine } from './ports.js';
import { callIn, type EntryCall, readCall } from './programs/entry-call.js';

/** How an entry differs from the one that would be written now. */
export type EntryFault =
  /** It calls the login by its name: an earlier release wrote it. */
  | { readonly kind: 'by-name'; readonly name: string }
  /** It is for another server, account or pin. */
  | { readonly kind: 'other-login'; readonly named: string }
  /** It starts another Node.js, or another postern. */
  | { readonly kind: 'other-start'; readonly path: string }
  | { readonly kind: 'not-there'; readonly path: string }
  /** It sets other variables for postern. */
  | { readonly kind: 'variables' }
  /** Words that `setup` would not write. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Members that hold something else, or should not be there. */
  | { readonly kind: 'members'; readonly names: readonly string[] };

/** The entry as it stands in the file. */
export type WrittenEntry =
  | { readonly place: 'missing' }
  /** It is somebody else's, or calls something else. */
  | { readonly place: 'other' }
  | {
      readonly place: 'there' | 'different';
      readonly call: EntryCall;
      readonly variables: Machine['variables'];
      readonly faults: readonly EntryFault[];
    };

/**
 * Reads what a program would run by the entry in its file. Nothing of it is ever run: its words are compared.
 * @throws Failure `entry_not_edited`, `program_file_unusable` (of a shim)
 */
export async function readWritten(
  { machine, files }: Pick<ExternalPrograms, 'machine' | 'files'>,
  plan: SetupPlan,
): Promise<WrittenEntry> {
  const { file, entry, request } = plan;
  const key = wholeKey(entry.key);
  const text = file.text ?? '';
  const found = edit(file.path, () => openEntry(text, key));
  if (file.text === undefined || found.raw === undefined) return { place: 'missing' };
  const { platform } = machine;
  const names = [plan.wanted.server, request.url, request.server];
  const read = async (path: string) => (await files.read(path)).text;
  const { call, shim } = await readCall(read, [key, found.value], { names, platform });
  if (call === undefined) return { place: key.format === 'line' && shim === undefined ? 'missing' : 'other' };
  const wanted = wantedCall(plan, platform);
  const faults = [
    ...startFaults(call, wanted, (one) => files.exists(one)),
    ...loginFaults(call, wanted, request.url),
    ...(call.others.length === 0 ? [] : [{ kind: 'words', words: call.others } as const]),
    ...memberFaults(plan, text),
  ];
  const isThere = faults.length === 0 && (plan.shim === undefined || plan.shim.text === shim);
  return { place: isThere ? 'there' : 'different', call, variables: variablesOf(call), faults };
}

function wantedCall({ entry, wanted, shim }: SetupPlan, platform: string): EntryCall | undefined {
  const key = wholeKey(entry.key);
  return callIn(key, entryValue(entryAlone(entry), key), {
    shim: shim?.text,
    names: [wanted.server],
    platform,
  });
}

function startFaults(
  call: EntryCall,
  wanted: EntryCall | undefined,
  exists: (path: string) => boolean,
): readonly EntryFault[] {
  const [ours, theirs] = [startOf(wanted), startOf(call)];
  const [gone] = theirs.filter((path) => /^(?:[/\\]|[A-Za-z]:)/.test(path) && !exists(path));
  if (gone !== undefined) return [{ kind: 'not-there', path: gone }];
  const other = theirs.find((path, index) => path !== ours[index]);
  if (other !== undefined) return [{ kind: 'other-start', path: other }];
  const [before, now] = [call, wanted].map((one) => JSON.stringify(ownVariables(one)));
  return before === now ? [] : [{ kind: 'variables' }];
}

function loginFaults(call: EntryCall, wanted: EntryCall | undefined, url: string): readonly EntryFault[] {
  const isPinned = call.options.includes('--pin');
  if (!call.server.includes('://') && !isPinned) return [{ kind: 'by-name', name: call.server }];
  const [is, should] = [call, wanted].map((one) => JSON.stringify([one?.server, [...(one?.options ?? [])].sort()]));
  if (is === should) return [];
  return [{ kind: 'other-login', named: isPinned ? url : [call.server, ...call.options].join(' ') }];
}

/** What of the entry is no call: the address beside it, what has it switched off, credentials of its own. */
function memberFaults(plan: SetupPlan, text: string): readonly EntryFault[] {
  const { entry } = plan;
  const { key } = entry;
  if (key.format !== 'json' && key.format !== 'toml') return [];
  const [now, then] = [text, ifEditable(() => putEntry(text, entry)) ?? text].map((one) => {
    return (entryValue(one, key) ?? {}) as Readonly<Record<string, unknown>>;
  });
  const calls = ['command', 'args', 'headersHelper', 'http_headers_helper'];
  const names = [...new Set([...Object.keys(now ?? {}), ...Object.keys(then ?? {})])].filter(
    (name) => !calls.includes(name) && meaningOf(now, [name]) !== meaningOf(then, [name]),
  );
  return names.length === 0 ? [] : [{ kind: 'members', names }];
}

/** Node.js and the script. */
function startOf(call: EntryCall | undefined): readonly string[] {
  return (call?.start ?? [])
    .filter((word) => !/^(?:@?exec|\/usr\/bin\/env|@)$|^[A-Z_]+=/.test(word))
    .map((word) => word.replace(/^@/, '').replaceAll('\\', '/'));
}

/** Those that an entry always has; the proxy is there where a person wanted it. */
function ownVariables(call: EntryCall | undefined): readonly (readonly [string, string])[] {
  return Object.entries(variablesOf(call)).filter(([name]) => !name.endsWith('_PROXY'));
}

/** What the entry sets for postern; nothing else that stands there is ever passed on. */
function variablesOf(call: EntryCall | undefined): Machine['variables'] {
  const known =
    /^(POSTERN_(?:CONFIG_DIR|STATE_DIR|STORE_KEY_FILE|CA_FILE)|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_PROXY)=(.*)$/;
  const pairs = (call?.start ?? []).flatMap((word) => {
    const [, name, value] = known.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs.sort(([one], [other]) => (one < other ? -1 : 1)));
}
