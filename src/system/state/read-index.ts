import type { IndexDocument } from '../../primitives/records.js';
import { parseIndex } from './index-schema.js';
import { readPrivateFile } from './private-file.js';

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
  if (file.ok) {
    return parseIndex(file.bytes);
  }
  return file.problem === 'absent'
    ? { ok: true, document: { version: 1, logins: [], registrations: [] } }
    : file;
}
