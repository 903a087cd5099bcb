import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere } from '../../stores/state/private-file.js';
import { replacePrivateFile } from '../../stores/state/safe-file.js';
import { stateUnsafe } from '../../stores/state-failures.js';
import type { KeptRecord, SetupRecord, SetupRecords } from '../ports.js';

const max = { record: 64 * 1024, backup: 32 * 1024 * 1024 };

/** Records and backups in a private folder of the state folder. */
export function createSetupRecords(folder: string): SetupRecords {
  const at = (id: string, end: string) => join(folder, `${id}.${end}`);
  const read = (path: string, maxBytes: number): string | undefined => {
    const file = readIfThere(path, maxBytes);
    return file && new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
  };
  return {
    all: async () => {
      const names = await readdir(folder).catch(() => []);
      return names.sort().flatMap((name): readonly KeptRecord[] => {
        const id = /^([0-9a-f-]{36})\.json$/.exec(name)?.[1];
        const record = id === undefined ? undefined : recordIn(read(at(id, 'json'), max.record));
        return id === undefined || record === undefined ? [] : [{ id, record }];
      });
    },
    backup: async (id) => {
      const path = at(id, 'backup');
      const text = read(path, max.backup);
      if (text === undefined) throw stateUnsafe(path, 'it is gone');
      return text;
    },
    keep: async ({ id, record }, backup) => {
      if (backup !== undefined) await replacePrivateFile(at(id, 'backup'), backup);
      await replacePrivateFile(at(id, 'json'), `${JSON.stringify(record)}\n`);
      return at(id, 'backup');
    },
    forget: async (id) => {
      await unlink(at(id, 'json')).catch(() => undefined);
      await unlink(at(id, 'backup')).catch(() => undefined);
    },
  };
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
