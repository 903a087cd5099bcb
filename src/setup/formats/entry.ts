import type { Edited, FoundEntry, FoundValue } from './edited.js';
import { findGit, type GitVariables, gitValues, putGit, restoreGit } from './git-config-edit.js';
import { findJson, type JsonEntry, putJson, restoreJson } from './json-edit.js';
import { jsonAt } from './json-tree.js';
import { findKubeUser, type KubeExec, kubeExec, putKubeUser, restoreKubeUser } from './kubeconfig-edit.js';
import { findLine, putLine, restoreLine } from './line-edit.js';
import { findToml, putToml, restoreToml, type TomlEntry, tomlValues } from './toml-edit.js';

/** Which entry of a file is meant: all that an undo has to know of it. */
export type EntryKey =
  | { readonly format: 'json' | 'toml'; readonly path: readonly string[] }
  | { readonly format: 'git'; readonly section: string; readonly subsection: string }
  | { readonly format: 'kubeconfig'; readonly user: string }
  /** `item`: one of the items that `;` separates in it, and nothing else of the line. */
  | { readonly format: 'line'; readonly prefix: string; readonly item?: string };

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

/** The entry as it stands in a file's text. */
export function findEntry(text: string, key: EntryKey): FoundEntry {
  switch (key.format) {
    case 'json':
      return findJson(text, key.path);
    case 'toml':
      return findToml(text, key.path);
    case 'git':
      return findGit(text, key);
    case 'kubeconfig':
      return findKubeUser(text, key.user);
    case 'line':
      return findLine(text, key.prefix, key.item);
  }
}

/**
 * The entry as a value: of JSON and TOML an object, of git's configuration a list of names and values, of a kubeconfig
 * the user's `exec`, of a line its text. What is laid out anew has the same value.
 */
export function entryValue(text: string, key: EntryKey): FoundValue {
  const found = findEntry(text, key);
  if (!found.ok || found.raw === undefined) return found.ok ? { ok: true, value: undefined } : found;
  switch (key.format) {
    case 'json':
      return { ok: true, value: jsonAt(text, key.path) };
    case 'toml':
      return { ok: true, value: tomlValues(text, key.path) };
    case 'git':
      return { ok: true, value: gitValues(text, key) };
    case 'kubeconfig':
      return { ok: true, value: kubeExec(found.raw) };
    case 'line':
      return { ok: true, value: found.raw.trim() };
  }
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
 * Done twice it is as done once.
 */
export function putEntry(text: string, { key, holds }: Entry): Edited {
  switch (key.format) {
    case 'json':
      return putJson(text, key.path, holds as JsonEntry);
    case 'toml':
      return putToml(text, key.path, holds as TomlEntry);
    case 'git':
      return putGit(text, key, holds as GitVariables);
    case 'kubeconfig':
      return putKubeUser(text, key.user, holds as KubeExec);
    case 'line':
      return putLine(text, key.prefix, holds as string);
  }
}

/** The text with `former` in the entry's place; with undefined, without the entry. */
export function restoreEntry(text: string, key: EntryKey, former: string | undefined): Edited {
  switch (key.format) {
    case 'json':
      return restoreJson(text, key.path, former);
    case 'toml':
      return restoreToml(text, key.path, former);
    case 'git':
      return restoreGit(text, key, former);
    case 'kubeconfig':
      return restoreKubeUser(text, key.user, former);
    case 'line':
      return restoreLine(text, key, former);
  }
}
