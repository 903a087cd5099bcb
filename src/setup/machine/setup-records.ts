import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { stateUnsafe } from '../../stores/failures.js';
import { readIfThere } from '../../stores/private-file.js';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import type { EntryKey } from '../formats/entry.js';
import type { Members } from '../formats/text.js';
import { maxMebibytes } from './program-files.js';

/** What `setup --write` did to one file: all that `--undo` needs beside the backup. */
export interface SetupRecord {
  readonly version: 1;
  readonly program: string;
  /** The server's URL. */
  readonly server: string;
  readonly path: string;
  readonly key: EntryKey;
  /** Was the file there before? */
  readonly existed: boolean;
  /** SHA-256 of the file's text after; null: others had changed it before the last `--write`. */
  readonly after: string | null;
  /** What was set in the entry. */
  readonly holds: Members;
  readonly scope: 'user' | 'project';
  /** What the program was told to call it. */
  readonly name: string;
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[];
}

/** A record, and the name that it is kept under. */
export interface KeptRecord {
  readonly id: string;
  readonly record: SetupRecord;
}

export type SetupRecords = ReturnType<typeof createSetupRecords>;

const max = { record: 64 * 1024, backup: maxMebibytes * 2 ** 20 };

/** Records and backups in a private folder of the state folder. */
export function createSetupRecords(folder: string) {
  const at = (id: string, end: string) => join(folder, `${id}.${end}`);
  return {
    async all(): Promise<readonly KeptRecord[]> {
      const names = await readdir(folder).catch(() => []);
      return names.sort().flatMap((name) => {
        const id = /^([0-9a-f-]{36})\.json$/.exec(name)?.[1];
        const record = id === undefined ? undefined : recordIn(read(at(id, 'json'), max.record));
        return id === undefined || record === undefined ? [] : [{ id, record }];
      });
    },
    /** The file's text before. @throws Failure `state_unsafe` */
    async backup(id: string): Promise<string> {
      const path = at(id, 'backup');
      const text = read(path, max.backup);
      if (text === undefined) throw stateUnsafe(path, 'it is gone');
      return text;
    },
    /** Keeps a record; with `backup` the file's text as well. Returns the backup's path. */
    async keep({ id, record }: KeptRecord, backup: string | undefined): Promise<string> {
      if (backup !== undefined) await replacePrivateFile(at(id, 'backup'), backup);
      await replacePrivateFile(at(id, 'json'), `${JSON.stringify(record)}\n`);
      return at(id, 'backup');
    },
    async forget(id: string): Promise<void> {
      await unlink(at(id, 'json')).catch(() => undefined);
      await unlink(at(id, 'backup')).catch(() => undefined);
    },
  };
}

function read(path: string, maxBytes: number): string | undefined {
  const file = readIfThere(path, maxBytes);
  return file && new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
}

/** Undefined when this release did not write it. */
function recordIn(text: string | undefined): SetupRecord | undefined {
  try {
    const record = JSON.parse(text ?? 'null');
    return record?.version === 1 && typeof record.path === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}
