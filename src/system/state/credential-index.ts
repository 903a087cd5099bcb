import { indexCorrupt, indexNewer, indexUnsafe } from '../../errors/state.js';
import type { CredentialIndex, Locks } from '../../ports.js';
import type { IndexDocument } from '../../primitives/records.js';
import { parseIndex } from './index-schema.js';
import { indexPath, maxIndexBytes, readIndexSync } from './read-index.js';
import { replacePrivateFile } from './safe-file.js';

/** An update takes milliseconds; whoever waits longer waits for a paused process. */
const updateWaitMs = 10_000;

/**
 * The index of logins in the state folder `directory`. A file that is not understood is kept: no update
 * replaces it.
 */
export function createCredentialIndex(options: {
  readonly directory: string;
  readonly locks: Locks;
}): CredentialIndex {
  const path = indexPath(options.directory);
  return {
    read: async () => readOrFail(path),
    update: async (change) => {
      const { signal } = new AbortController();
      await using _lock = await options.locks.acquire('index', { waitMs: updateWaitMs, signal });
      const before = readOrFail(path);
      const after = change(before);
      if (after !== before) {
        await replacePrivateFile(path, textOf(after));
      }
      return after;
    },
  };
}

function readOrFail(path: string): IndexDocument {
  const read = readIndexSync(path);
  if (read.ok) {
    return read.document;
  }
  if (read.problem === 'newer') {
    throw indexNewer(path);
  }
  throw read.problem === 'corrupt' ? indexCorrupt(path, read.why) : indexUnsafe(path, read.why);
}

/** Never writes what it would refuse to read. */
function textOf(document: IndexDocument): string {
  const text = `${JSON.stringify(document, null, 1)}\n`;
  const bytes = new TextEncoder().encode(text);
  const judged = parseIndex(bytes);
  if (!judged.ok || bytes.length > maxIndexBytes) {
    const why = judged.ok ? 'it is too large' : 'why' in judged ? judged.why : judged.problem;
    throw new TypeError(`this index could not be read again: ${why}`);
  }
  return text;
}
