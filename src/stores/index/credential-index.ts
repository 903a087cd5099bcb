import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { IndexDocument, PastName } from '../../core/records.js';
import { indexUnusable, stateUnreadable } from '../failures.js';
import type { CredentialIndex } from '../ports.js';
import { readPrivateFile } from '../private-file.js';
import type { Locks } from '../state/locks.js';
import { stateFile } from '../state/safe-file.js';
import { type IndexText, indexText, parseIndex } from './index-schema.js';

/** An update takes milliseconds; a longer wait is one for a paused process. */
const waitMs = 10_000;

/** Larger than any index that a person's logins make. */
const maxIndexBytes = 1_048_576;

/**
 * The index of logins in the state folder `directory`. A file that is not understood is kept: no update
 * replaces it.
 */
export function createCredentialIndex(options: { readonly directory: string; readonly locks: Locks }): CredentialIndex {
  const path = indexPath(options.directory);
  const file = stateFile<IndexDocument>({
    path,
    locks: options.locks,
    lock: 'index',
    waitMs,
    read: () => readIndex(path),
    textOf: (document) => textOf(path, document),
  });
  return {
    read: async () => file.read(),
    update: (change) => file.update((before) => withPastNames(before, change(before))),
  };
}

function readIndex(path: string): IndexDocument {
  let read: ReadIndex;
  try {
    read = readIndexSync(path);
  } catch (cause) {
    throw stateUnreadable(path, cause);
  }
  if (!read.ok) throw indexUnusable(read.problem, path, 'why' in read ? read.why : '');
  return read.document;
}

/** Never writes what it would refuse to read. @throws Failure `index_full` */
function textOf(path: string, document: IndexDocument): string {
  const text = indexText(document);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > maxIndexBytes) throw indexUnusable('full', path);
  const parsed = parseIndex(bytes);
  if (parsed.ok) return text;
  throw new TypeError(`this index could not be read again: ${'why' in parsed ? parsed.why : parsed.problem}`);
}

export type ReadIndex =
  | IndexText
  | { readonly ok: false; readonly problem: 'unsafe' | 'too_large'; readonly why: string };

/** Where the index of logins is in the state folder. */
export function indexPath(stateFolder: string): string {
  return join(stateFolder, 'logins.json');
}

/**
 * The index at `path`, validated; an empty one where there is no file yet. Synchronous and light: `postern token`
 * begins with it.
 * @throws an error of the file system other than "no such file"
 */
export function readIndexSync(path: string): ReadIndex {
  const file = readPrivateFile(path, maxIndexBytes);
  if (file.ok) return parseIndex(file.bytes);
  return file.problem === 'absent' ? { ok: true, document: { version: 1, logins: [], registrations: [] } } : file;
}

/** As many as are remembered: nobody has typed the others for long. */
const maxPastNames = 200;

/**
 * The index after a change, with the names in it that a login has lost (logout, another name): scripts and people may
 * still type them, so that no other server gets one unasked. Of its server only a hash is kept, as the login was to be
 * forgotten.
 */
export function withPastNames(before: IndexDocument, after: IndexDocument): IndexDocument {
  const lost = before.logins.flatMap(({ name, server }): readonly PastName[] => {
    const isKept = name === undefined || after.logins.some((login) => login.name === name && login.server === server);
    return isKept ? [] : [{ name, of: markOf(server) }];
  });
  if (lost.length === 0) return after;
  const isLost = ({ name, of }: PastName) => lost.some((one) => one.name === name && one.of === of);
  const others = (after.pastNames ?? []).filter((past) => !isLost(past));
  return { ...after, pastNames: [...others, ...lost].slice(-maxPastNames) };
}

/** Whether a new login for this server may get that name without being asked for: no login has it, no other server's had it. */
export function mayGiveName({ logins, pastNames = [] }: IndexDocument, name: string, server: string): boolean {
  const of = markOf(server);
  return (
    logins.every((login) => login.name !== name) && pastNames.every((past) => past.name !== name || past.of === of)
  );
}

function markOf(server: string): string {
  return createHash('sha256').update(`postern name of ${server}`).digest('hex').slice(0, 32);
}
