import type { Edited, FoundEntry } from './edited.js';
import { findGit, type GitVariables, putGit, restoreGit } from './git-config-edit.js';
import { findJson, type JsonEntry, putJson, restoreJson } from './json-edit.js';
import { findKubeUser, type KubeExec, putKubeUser, restoreKubeUser } from './kubeconfig-edit.js';
import { findLine, putLine, restoreLine } from './line-edit.js';
import { findToml, putToml, restoreToml, type TomlEntry } from './toml-edit.js';

/** Which entry of a file is meant: all that an undo has to know of it. */
export type EntryKey =
  | { readonly format: 'json' | 'toml'; readonly path: readonly string[] }
  | { readonly format: 'git'; readonly section: string; readonly subsection: string }
  | { readonly format: 'kubeconfig'; readonly user: string }
  | { readonly format: 'line'; readonly prefix: string };

/** An entry and what it is to hold. */
export type Entry =
  | { readonly key: EntryKey & { format: 'json' }; readonly holds: JsonEntry }
  | { readonly key: EntryKey & { format: 'toml' }; readonly holds: TomlEntry }
  | { readonly key: EntryKey & { format: 'git' }; readonly holds: GitVariables }
  | { readonly key: EntryKey & { format: 'kubeconfig' }; readonly holds: KubeExec }
  | { readonly key: EntryKey & { format: 'line' }; readonly holds: string };

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
      return findLine(text, key.prefix);
  }
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
      return restoreLine(text, key.prefix, former);
  }
}
