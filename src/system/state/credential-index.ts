import {
  indexCorrupt,
  indexFull,
  indexNewer,
  indexTooLarge,
  indexUnsafe,
  stateUnreadable,
} from '../../errors/state.js';
import type { CredentialIndex, Locks } from '../../ports.js';
import type { IndexDocument } from '../../primitives/records.js';
import { parseIndex } from './index-schema.js';
import { indexPath, maxIndexBytes, type ReadIndex, readIndexSync } from './read-index.js';
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
        await replacePrivateFile(path, textOf(path, after));
      }
      return after;
    },
  };
}

function readOrFail(path: string): IndexDocument {
  const read = attempt(path);
  if (read.ok) {
    return read.document;
  }
  switch (read.problem) {
    case 'newer':
      throw indexNewer(path);
    case 'too_large':
      throw indexTooLarge(path);
    case 'corrupt':
      throw indexCorrupt(path, read.why);
    case 'unsafe':
      throw indexUnsafe(path, read.why);
  }
}

function attempt(path: string): ReadIndex {
  try {
    return readIndexSync(path);
  } catch (cause) {
    throw stateUnreadable(path, cause);
  }
}

/** Never writes what it would refuse to read. @throws Failure `index_full` */
function textOf(path: string, document: IndexDocument): string {
  const text = `${JSON.stringify(document, null, 1)}\n`;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > maxIndexBytes) {
    throw indexFull(path);
  }
  const judged = parseIndex(bytes);
  if (!judged.ok) {
    throw new TypeError(
      `this index could not be read again: ${'why' in judged ? judged.why : judged.problem}`,
    );
  }
  return text;
}
