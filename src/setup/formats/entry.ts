import { openGit } from './git-config.js';
import { openJson, readJson } from './json.js';
import {
  type Commands,
  type EntryMembers,
  ifEditable,
  isBlank,
  type Members,
  membersOf,
  NotEditable,
  type OpenedText,
  valueAt,
  valueWithout,
} from './text.js';
import { openToml, readToml } from './toml.js';
import { openGo, openKubeUser } from './tools.js';
import { openYaml, readYaml } from './yaml.js';

const formats = {
  json: openJson,
  toml: openToml,
  yaml: openYaml,
  git: openGit,
  kubeconfig: openKubeUser,
  go: openGo,
  pasted: openPasted,
} as const;

/**
 * Which entry of a file is meant: by the names that lead to it, by the address (git), the user (kubeconfig), the names of
 * the server (go). It is kept in the record for the undo.
 */
export interface EntryKey {
  readonly format: keyof typeof formats;
  readonly path: readonly string[];
}

/** A line that a person adds: the file itself is not read. */
function openPasted(): OpenedText<string> {
  const set: OpenedText<string>['set'] = (entry) => `${membersOf(entry?.value)['line']}\n`;
  return { raw: undefined, value: undefined, rest: undefined, set };
}

/** An entry and what it is to hold. */
export interface Entry {
  readonly key: EntryKey;
  readonly holds: EntryMembers;
}

/** What the program calls an entry, where entries have names. */
export function entryName({ format, path }: EntryKey): string | undefined {
  return format === 'git' || format === 'go' ? undefined : path.at(-1);
}

/** The entry in a file's text. @throws NotEditable */
export function openEntry(text: string, { format, path }: EntryKey): OpenedText {
  return formats[format](text, path);
}

/** The entry's bytes; undefined where there is none, or the text is not editable. */
export function rawEntry(text: string, key: EntryKey): string | undefined {
  return ifEditable(() => openEntry(text, key))?.raw;
}

/** The entry's value; undefined where there is none, or the text is not editable. */
export function entryValue(text: string, key: EntryKey): unknown {
  return ifEditable(() => openEntry(text, key))?.value;
}

/** What is at that path of a text; undefined where there is nothing, or no text of that format, or it is not read here. */
export function valueIn(format: EntryKey['format'], text: string, path: readonly string[]): unknown {
  const read = { json: readJson, toml: readToml, yaml: readYaml, git: null, kubeconfig: null, go: null, pasted: null }[
    format
  ];
  return ifEditable(() => valueAt(read?.(text), path));
}

/** What an entry's value says of these names, whatever their order: only a change of those is a change of the entry. */
export function meaningOf(value: unknown, names: readonly string[]): string {
  const part = Object.fromEntries(Object.entries(membersOf(value)).filter(([name]) => names.includes(name)));
  return JSON.stringify(part, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** Runs the commands of the program of that format on a copy of a text, and returns what they have made of it. */
export type RunCommands = (text: string, format: EntryKey['format'], commands: Commands) => Promise<string>;

/** An entry with what it is to hold; members that are not named stay. @throws NotEditable */
export function entryWith({ raw, value }: OpenedText, { members, without }: EntryMembers): Members {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (raw !== undefined && !isMap) throw new NotEditable('shape');
  return { ...(without.reduce(withoutMember, value) as Members | undefined), ...members };
}

/** `a/b` is the member `b`, in any letter case, of the member `a`. */
function withoutMember(entry: unknown, name: string): unknown {
  const [first = '', second] = name.split('/');
  const inner = second === undefined ? [] : Object.keys(membersOf(membersOf(entry)[first]));
  const paths = inner.filter((one) => one.toLowerCase() === second).map((one) => [first, one]);
  return (second === undefined ? [[first]] : paths).reduce<unknown>(valueWithout, entry);
}

/** What puts an entry into a text: the text with it, or the commands of its program. @throws NotEditable */
export function changeFor(text: string, { key, holds }: Entry): string | Commands {
  const before = openEntry(text, key);
  return before.set({ value: entryWith(before, holds) });
}

/**
 * The text with the entry in it; everything else keeps its bytes (comments, layout, line endings, byte order mark), or, where
 * the program itself writes it, its meaning. Done twice it is as done once. An edit that does not read back as it was
 * meant is refused.
 * @throws NotEditable
 */
export async function putEntry(text: string, { key, holds }: Entry, run: RunCommands): Promise<string> {
  const before = openEntry(text, key);
  const value = entryWith(before, holds);
  if (before.raw !== undefined && isSame(before.value, value)) return text;
  const edited = await changed(text, key.format, before.set({ value }), run);
  const after = readBack(edited, key, isBlank(text) ? undefined : before.rest);
  const names = Object.keys(holds.members);
  if (meaningOf(after.value, names) !== meaningOf(value, names)) throw new NotEditable('unreadable');
  return edited;
}

/** The text with the entry as `backup` has it; where that has none, without it. @throws NotEditable */
export async function restoreEntry(text: string, key: EntryKey, backup: string, run: RunCommands): Promise<string> {
  const opened = openEntry(text, key);
  const former = ifEditable(() => openEntry(backup, key));
  const restored = await changed(text, key.format, opened.set(former?.raw === undefined ? undefined : former), run);
  // The bytes of before may not fit into the layout of now.
  if (!isSame(readBack(restored, key, opened.rest).value, former?.value)) throw new NotEditable('form');
  return restored;
}

async function changed(text: string, format: EntryKey['format'], change: string | Commands, run: RunCommands) {
  return typeof change === 'string' ? change : await run(text, format, change);
}

function isSame(one: unknown, other: unknown): boolean {
  const names = Object.keys({ ...membersOf(one), ...membersOf(other) });
  return meaningOf(one, names) === meaningOf(other, names);
}

/** The entry in an edited text in which all else has to mean what it did. */
function readBack(edited: string, key: EntryKey, rest: unknown): OpenedText {
  const then = ifEditable(() => openEntry(edited, key));
  const isKept = then !== undefined && (rest === undefined || JSON.stringify(then.rest) === JSON.stringify(rest));
  if (!isKept) throw new NotEditable('unreadable');
  return then;
}
