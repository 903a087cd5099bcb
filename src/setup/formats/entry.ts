import { type GitVariables, openGit } from './git-config.js';
import { type EntryMembers, openJson } from './json.js';
import { type KubeExec, openKubeUser } from './kubeconfig.js';
import { type LineKey, openLine } from './line.js';
import { ifEditable, isBlank, NotEditable, type OpenedText } from './text.js';
import { openToml } from './toml.js';
import { openYaml } from './yaml.js';

/** Which entry of a file is meant. It is kept in the record for the undo. */
export type EntryKey =
  | { readonly format: 'json' | 'toml' | 'yaml'; readonly path: readonly string[] }
  | { readonly format: 'git'; readonly section: string; readonly subsection: string }
  | { readonly format: 'kubeconfig'; readonly user: string }
  | ({ readonly format: 'line' } & LineKey);

/** An entry and what it is to hold. */
export type Entry =
  | { readonly key: EntryKey & { format: 'json' | 'toml' | 'yaml' }; readonly holds: EntryMembers }
  | { readonly key: EntryKey & { format: 'git' }; readonly holds: GitVariables }
  | { readonly key: EntryKey & { format: 'kubeconfig' }; readonly holds: KubeExec }
  | { readonly key: EntryKey & { format: 'line' }; readonly holds: string };

/** For an item of a line: the line, whatever else is in it. */
export function wholeKey(key: EntryKey): EntryKey {
  return key.format === 'line' ? { format: 'line', prefix: key.prefix } : key;
}

/** What the program calls an entry, where entries have names. */
export function entryName(key: EntryKey): string | undefined {
  if (key.format === 'kubeconfig') return key.user;
  if (key.format === 'line') return key.name;
  return key.format === 'git' ? undefined : key.path.at(-1);
}

/**
 * The entry in a file's text. Its value: of JSON, TOML and YAML an object, of git's configuration a list of names and values,
 * of a kubeconfig the user's `exec`, of a line its text.
 * @throws NotEditable
 */
export function openEntry(text: string, key: EntryKey): OpenedText<never> {
  switch (key.format) {
    case 'json':
      return openJson(text, key.path);
    case 'toml':
      return openToml(text, key.path);
    case 'yaml':
      return openYaml(text, key.path);
    case 'git':
      return openGit(text, key);
    case 'kubeconfig':
      return openKubeUser(text, key.user);
    case 'line':
      return openLine(text, key);
  }
}

/** The entry's bytes; undefined where there is none, or the text is not editable. */
export function rawEntry(text: string, key: EntryKey): string | undefined {
  return ifEditable(() => openEntry(text, key))?.raw;
}

/** The entry's value; undefined where there is none, or the text is not editable. */
export function entryValue(text: string, key: EntryKey): unknown {
  return ifEditable(() => openEntry(text, key))?.value;
}

/** What an entry's value says of these names, whatever their order: only a change of those is a change of the entry. */
export function meaningOf(value: unknown, names: readonly string[]): string {
  if (Array.isArray(value)) return JSON.stringify(value.filter(([name]) => names.includes(name)));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const part = Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
  return JSON.stringify(part, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

/** The names that `putEntry` sets. */
export function namesIn({ key, holds }: Entry): readonly string[] {
  if (key.format === 'git') return (holds as GitVariables).map(([name]) => name.toLowerCase());
  if (key.format === 'kubeconfig') return Object.keys(holds);
  return key.format === 'line' ? [] : Object.keys((holds as EntryMembers).members);
}

/**
 * The text with the entry in it; everything else keeps its bytes: comments, layout, line endings, byte order mark.
 * Done twice it is as done once. An edit that does not read back as it was meant is refused.
 * @throws NotEditable
 */
export function putEntry(text: string, entry: Entry): string {
  return editedText(text, entry, openEntry(text, entry.key)).text;
}

/** As `putEntry`, with the entry as it is then. @throws NotEditable */
export function editedText(
  text: string,
  entry: Entry,
  before: OpenedText<never>,
): { readonly text: string; readonly before: OpenedText<never>; readonly after: OpenedText<never> } {
  const { key, holds } = entry;
  const edited = before.put(holds as never);
  if (edited === text) return { text, before, after: before };
  if (isBlank(text)) return { text: edited, before, after: openEntry(edited, key) };
  const names = namesIn(entry);
  const after = readBack(edited, key, before.rest);
  if (meaningOf(after.value, names) !== meaningOf(entryValue(entryAlone(entry), key), names)) {
    throw new NotEditable('unreadable');
  }
  return { text: edited, before, after };
}

/** The entry in an empty file. */
export function entryAlone({ key, holds }: Entry): string {
  return openEntry('', key).put(holds as never);
}

/** The text with `former` in place of the entry; with undefined, without the entry. @throws NotEditable */
export function restoreEntry(text: string, key: EntryKey, former: string | undefined): string {
  const opened = openEntry(text, key);
  const restored = opened.restore(former);
  readBack(restored, key, opened.rest);
  return restored;
}

/** The entry in an edited text in which all else has to mean what it did. */
function readBack(edited: string, key: EntryKey, rest: unknown): OpenedText<never> {
  const then = ifEditable(() => openEntry(edited, key));
  if (then === undefined || JSON.stringify(then.rest) !== JSON.stringify(rest)) throw new NotEditable('unreadable');
  return then;
}
