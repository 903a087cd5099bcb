import { join } from 'node:path';
import { parseObject, stringListField } from '../../core/text/json.js';
import type { Locks } from '../ports.js';
import { readIfThere } from './private-file.js';
import { updateStateFile } from './safe-file.js';

const max = { lines: 500, characters: 1_000, bytes: 1_048_576 } as const;

const waitMs = 500;

/**
 * The lines that were typed in `postern shell`, in a small private file of `directory`: the last 500, none of more than
 * 1,000 characters.
 */
export function createShellHistory({ directory, locks }: { readonly directory: string; readonly locks: Locks }): {
  read(): Promise<readonly string[]>;
  add(line: string): Promise<void>;
} {
  const path = join(directory, 'shell-history.json');
  const read = (): readonly string[] => {
    const file = readIfThere(path, max.bytes);
    const object = file && parseObject(file.bytes);
    return (object && stringListField(object, 'lines')) ?? [];
  };
  const textOf = (lines: readonly string[]) => `${JSON.stringify({ version: 1, lines }, null, 1)}\n`;
  return {
    read: async () => read().toReversed(),
    add: async (line) => {
      if (line.length > max.characters) return;
      await updateStateFile({ path, locks, lock: 'shell-history', waitMs, read, textOf }, (lines) =>
        lines.at(-1) === line ? lines : [...lines.filter((one) => one !== line), line].slice(-max.lines),
      );
    },
  };
}
