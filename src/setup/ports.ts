import type { ProgramCommand, ProgramEnd } from '../stores/programs.js';
import type { EntryKey } from './formats/entry.js';

/** This machine, as far as the place and the form of another program's configuration depend on it. */
export interface Machine {
  /** As `process.platform` says it. */
  readonly platform: string;
  readonly homedir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Where this program keeps what is not secret. */
  readonly stateFolder: string;
  readonly start: StartWords;
  /** What has to be set for the program to find this person's logins, where that is not by the platform's habit. */
  readonly variables: Readonly<Record<string, string>>;
}

/** How another program starts this one: absolute paths, since programs with a window have no PATH of a shell. */
export interface StartWords {
  readonly node: string;
  readonly script: string;
  /** For how long these paths hold. */
  readonly lasts: 'upgrades' | 'this-version-of-node' | 'checkout' | 'cache';
}

/** A configuration file of another program as it was read. */
export interface ProgramFile {
  /** Where it really lies: symbolic links are followed. */
  readonly path: string;
  /** Undefined when there is no such file. */
  readonly text: string | undefined;
}

export interface ProgramFiles {
  /** @throws Failure `program_file_unusable` where it is no plain UTF-8 file of this user's */
  read(path: string): Promise<ProgramFile>;
  /**
   * Replaces it as a whole with its mode kept, if it still is what was read; a new one is closed to others.
   * @throws Failure `program_file_changed`, `program_file_unwritable`
   */
  replace(file: ProgramFile, text: string, options: { readonly executable: boolean }): Promise<void>;
  /** @throws as `replace` */
  remove(file: ProgramFile): Promise<void>;
  /** Removes a file of ours, whatever is in it; nothing where it is gone. @throws as `replace` */
  forget(path: string): Promise<void>;
  exists(path: string): boolean;
  /** The folders above a path that are not there, the innermost first. */
  missingFolders(path: string): readonly string[];
  /** Removes a folder; false where it is not empty, or not ours to remove. */
  removeFolder(path: string): Promise<boolean>;
}

/** What `setup --write` did to one file: all that `--undo` needs beside the backup. No text of the file is in it. */
export interface SetupRecord {
  readonly version: 1;
  readonly program: string;
  /** The server's URL. */
  readonly server: string;
  readonly path: string;
  readonly key: EntryKey;
  /** Was the file there before? */
  readonly existed: boolean;
  /** SHA-256 of the file's text before, of it after (null: others have changed it since), and of the entry after. */
  readonly before: string;
  readonly after: string | null;
  readonly entry: string;
  /** SHA-256 of what the entry means, and the names of what of it was put there. Not given: an earlier release wrote it. */
  readonly meaning?: string;
  readonly holds?: readonly string[];
  /** In a folder's own configuration? Not given: an earlier release wrote it. */
  readonly scope?: 'user' | 'project';
  /** What the program was told to call it. Not given: an earlier release wrote it. */
  readonly name?: string;
  /** A program that was written for it. */
  readonly shim?: string;
  /** Folders that were made for it, the innermost first. */
  readonly folders?: readonly string[];
}

/** A record, and the name that it is kept under. */
export interface KeptRecord {
  readonly id: string;
  readonly record: SetupRecord;
}

export interface SetupRecords {
  all(): Promise<readonly KeptRecord[]>;
  /** The file's text before. @throws Failure `state_unsafe` */
  backup(id: string): Promise<string>;
  /** Keeps a record; with `backup` the file's text as well. Returns the backup's path. */
  keep(kept: KeptRecord, backup: string | undefined): Promise<string>;
  forget(id: string): Promise<void>;
}

/** Other programs on this machine. */
export interface ExternalPrograms {
  readonly machine: Machine;
  readonly files: ProgramFiles;
  readonly records: SetupRecords;
  /** Where that command is on the PATH. */
  find(command: string): string | undefined;
  run(command: ProgramCommand): Promise<ProgramEnd>;
}
