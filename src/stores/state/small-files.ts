import { join } from 'node:path';
import { type JsonValue, parseObject } from '../../core/text/json.js';
import type { Locks } from '../ports.js';
import { readIfThere } from './private-file.js';
import { updateStateFile } from './safe-file.js';

/** The small files of the state folder: how large one may be, and how long a change waits for its lock. */
export const smallFiles = {
  attempts: { maxBytes: 1_048_576, waitMs: 10_000 },
  // Another program, or a person who types, waits meanwhile.
  failures: { maxBytes: 65_536, waitMs: 500 },
  'shell-history': { maxBytes: 1_048_576, waitMs: 500 },
} as const;

type Name = keyof typeof smallFiles;

/** Where a small file is in the state folder. */
export function smallFilePath(stateFolder: string, name: Name): string {
  return join(stateFolder, `${name}.json`);
}

/** The entries of the small file at `path`; undefined where there are none, or it is not understood. @throws Failure `state_unsafe` */
export function readEntries(path: string, name: Name): JsonValue | undefined {
  const file = readIfThere(path, smallFiles[name].maxBytes);
  return file && parseObject(file.bytes, { maxKeys: 100_000 })?.['entries'];
}

/** A small private file, which every process reads without a lock, and changes under one. */
export function smallFile<Value>(
  name: Name,
  { directory, locks }: { readonly directory: string; readonly locks: Locks },
  parse: (entries: JsonValue | undefined) => Value,
) {
  const path = smallFilePath(directory, name);
  const read = (): Value => parse(readEntries(path, name));
  const textOf = (entries: Value) => `${JSON.stringify({ version: 1, entries }, null, 1)}\n`;
  const file = { path, locks, lock: name, waitMs: smallFiles[name].waitMs, read, textOf };
  return { read, update: (change: (value: Value) => Value) => updateStateFile(file, change) };
}
