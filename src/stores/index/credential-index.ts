import type { IndexDocument } from '../../core/records.js';
import type { CredentialIndex, Locks } from '../ports.js';
import { readPrivateFile } from '../state/private-file.js';
import { replacePrivateFile } from '../state/safe-file.js';
import { indexCorrupt, indexFull, indexNewer, indexTooLarge, indexUnsafe, stateUnreadable } from '../state-failures.js';
import { parseIndex } from './index-schema.js';

/** An update takes milliseconds; whoever waits longer waits for a paused process. */
const updateWaitMs = 10_000;

/**
 * The index of logins in the state folder `directory`. A file that is not understood is kept: no update
 * replaces it.
 */
export function createCredentialIndex(options: { readonly directory: string; readonly locks: Locks }): CredentialIndex {
  const path = indexPath(options.directory);
  return {
    read: async () => readOrFail(path),
    update: async (change) => {
      const { signal } = new AbortController();
      await using _lock = await options.locks.acquire('index', { waitMs: updateWaitMs, signal });
      const before = readOrFail(path);
      const after = change(before);
      if (after !== before) await replacePrivateFile(path, textOf(path, after));
      return after;
    },
  };
}

function readOrFail(path: string): IndexDocument {
  const read = attempt(path);
  if (read.ok) return read.document;
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
  if (bytes.length > maxIndexBytes) throw indexFull(path);
  const judged = parseIndex(bytes);
  if (!judged.ok) {
    throw new TypeError(`this index could not be read again: ${'why' in judged ? judged.why : judged.problem}`);
  }
  return text;
}

/** Larger than any index that a person's logins make. */
export const maxIndexBytes = 1_048_576;

export type ReadIndex =
  | { readonly ok: true; readonly document: IndexDocument }
  | { readonly ok: false; readonly problem: 'corrupt' | 'unsafe' | 'too_large'; readonly why: string }
  | { readonly ok: false; readonly problem: 'newer' };

/** Where the index of logins stands in the state folder. */
export function indexPath(stateFolder: string): string {
  return `${stateFolder}/logins.json`;
}

/**
 * The index at `path`, judged; an empty one where there is no file yet. Synchronous and light: `postern token`
 * begins with it.
 * @throws an error of the file system other than "no such file"
 */
export function readIndexSync(path: string): ReadIndex {
  const file = readPrivateFile(path, maxIndexBytes);
  if (file.ok) return parseIndex(file.bytes);
  return file.problem === 'absent' ? { ok: true, document: { version: 1, logins: [], registrations: [] } } : file;
}
