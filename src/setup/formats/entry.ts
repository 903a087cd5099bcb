import { type GitVariables, openGit } from './git-config.js';
import { type JsonEntry, openJson } from './json.js';
import { type KubeExec, openKubeUser } from './kubeconfig.js';
import { type LineKey, openLine } from './line.js';
import { type Edited, notEdited, type Opened, withoutMark } from './text.js';
import { openToml, type TomlEntry } from './toml.js';

/** Which entry of a file is meant: all that an undo has to know of it. */
export type EntryKey =
  | { readonly format: 'json' | 'toml'; readonly path: readonly string[] }
  | { readonly format: 'git'; readonly section: string; readonly subsection: string }
  | { readonly format: 'kubeconfig'; readonly user: string }
  | ({ readonly format: 'line' } & LineKey);

/** An entry and what it is to hold. */
export type Entry =
  | { readonly key: EntryKey & { format: 'json' }; readonly holds: JsonEntry }
  | { readonly key: EntryKey & { format: 'toml' }; readonly holds: TomlEntry }
  | { readonly key: EntryKey & { format: 'git' }; readonly holds: GitVariables }
  | { readonly key: EntryKey & { format: 'kubeconfig' }; readonly holds: KubeExec }
  | { readonly key: EntryKey & { format: 'line' }; readonly holds: string };

/** Of an item of a line the line, whatever else is in it. */
export function wholeKey(key: EntryKey): EntryKey {
  return key.format === 'line' ? { format: 'line', prefix: key.prefix } : key;
}

/** What the program calls an entry, where entries have names. */
export function entryName(key: EntryKey): string | undefined {
  if (key.format === 'kubeconfig') return key.user;
  return key.format === 'json' || key.format === 'toml' ? key.path.at(-1) : undefined;
}

/**
 * The entry as it stands in a file's text, and as a value: of JSON and TOML an object, of git's configuration a list of
 * names and values, of a kubeconfig the user's `exec`, of a line its text. What is laid out anew has the same value.
 */
export function openEntry(text: string, key: EntryKey): Opened<never> {
  switch (key.format) {
    case 'json':
      return openJson(text, key.path);
    case 'toml':
      return openToml(text, key.path);
    case 'git':
      return openGit(text, key);
    case 'kubeconfig':
      return openKubeUser(text, key.user);
    case 'line':
      return openLine(text, key);
  }
}

/** The entry as it stands in a file's text; undefined where there is none, or nobody can tell. */
export function rawEntry(text: string, key: EntryKey): string | undefined {
  const opened = openEntry(text, key);
  return opened.ok ? opened.raw : undefined;
}

/** The entry's value; undefined where there is none, or nobody can tell. */
export function entryValue(text: string, key: EntryKey): unknown {
  const opened = openEntry(text, key);
  return opened.ok ? opened.value : undefined;
}

/** The part of an entry's value that was put there: of it alone a change is one of the entry. */
export function partOf(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.filter(([name]) => names.includes(name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

/** The names of what `putEntry` puts there. */
export function namesIn({ key, holds }: Entry): readonly string[] {
  if (key.format === 'git') return (holds as GitVariables).map(([name]) => name.toLowerCase());
  if (key.format === 'kubeconfig') return Object.keys(holds);
  return key.format === 'line' ? [] : Object.keys((holds as JsonEntry).members);
}

/**
 * The text with the entry in it; everything else keeps its bytes: comments, layout, line endings, byte order mark.
 * Done twice it is as done once. What does not read back as it was meant is refused.
 */
export function putEntry(text: string, entry: Entry): Edited {
  const { key, holds } = entry;
  const now = openEntry(text, key);
  const put = now.ok ? now.put(holds as never) : now;
  if (!now.ok || !put.ok || put.text === text || withoutMark(text).trim() === '') return put;
  const alone = entryValue(entryAlone(entry), key);
  return readBack(put, key, now.rest, (value) => sameValue(value, alone, namesIn(entry)));
}

/** The entry as it would stand in an empty file. */
export function entryAlone({ key, holds }: Entry): string {
  const empty = openEntry('', key);
  const put = empty.ok ? empty.put(holds as never) : empty;
  return put.ok ? put.text : '';
}

/** The text with `former` in the entry's place; with undefined, without the entry. All else stays as it is. */
export function restoreEntry(text: string, key: EntryKey, former: string | undefined): Edited {
  const now = openEntry(text, key);
  const restored = now.ok ? now.restore(former) : now;
  if (!now.ok || !restored.ok) return restored;
  return readBack(restored, key, now.rest, () => true);
}

function readBack(made: Edited, key: EntryKey, rest: unknown, isMeant: (value: unknown) => boolean): Edited {
  const then = made.ok ? openEntry(made.text, key) : made;
  const isSame = then.ok && JSON.stringify(then.rest) === JSON.stringify(rest) && isMeant(then.value);
  return isSame ? made : notEdited('unreadable');
}

function sameValue(one: unknown, other: unknown, names: readonly string[]): boolean {
  return plainJson(partOf(one, names)) === plainJson(partOf(other, names));
}

/** A value with the names of its objects in order. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
