import type { Locks } from '../ports.js';
import { smallFile } from './small-files.js';

const max = { lines: 500, characters: 1_000 } as const;

/** The lines that were typed in `postern shell`: the last 500, none of more than 1,000 characters. */
export function createShellHistory(options: { readonly directory: string; readonly locks: Locks }): {
  read(): Promise<readonly string[]>;
  add(line: string): Promise<void>;
} {
  const file = smallFile('shell-history', options, (entries): readonly string[] =>
    Array.isArray(entries) ? entries.filter((line) => typeof line === 'string') : [],
  );
  return {
    read: async () => file.read().toReversed(),
    add: async (line) => {
      if (line.length > max.characters) return;
      await file.update((lines) =>
        lines.at(-1) === line ? lines : [...lines.filter((one) => one !== line), line].slice(-max.lines),
      );
    },
  };
}
