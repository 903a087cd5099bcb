import { randomBytes } from 'node:crypto';
import { linkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { stateUnsafe } from '../../errors/state.js';
import { asObject, parseJson } from '../../primitives/json.js';
import { readPrivateFile } from './private-file.js';
import { identityIn, type ProcessIdentity } from './process-identity.js';

/** What a lock file says, and what is known of it. */
export interface Claim {
  /** Never used twice: it tells this very claim from any other at the same path. */
  readonly nonce: string;
  /** Undefined when the file cannot be understood (cut off by a power cut). */
  readonly holder: ProcessIdentity | undefined;
  /** When it was written, or last renewed; milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Ends of the names of files beside a lock file. */
export const suffix = { temporary: '.new', breaking: '.break' } as const;

const maxBytes = 4096;

/**
 * Makes the lock file with all that it says in one step: written elsewhere, then `link(2)`, which fails when the
 * name is taken. Returns its nonce, or undefined when another claim was first.
 */
export function publishClaim(path: string, base: string, us: ProcessIdentity): string | undefined {
  const nonce = randomBytes(16).toString('hex');
  const temporary = `${base}.${us.pid}.${nonce}${suffix.temporary}`;
  let isWritten = false;
  try {
    writeFileSync(temporary, JSON.stringify({ nonce, ...us }), { flag: 'wx', mode: 0o600 });
    isWritten = true;
    linkSync(temporary, path);
    return nonce;
  } catch (error) {
    // ENOENT: a sweeper in another container took our file for a dead process's. Before that it is the folder that is gone.
    if (isWritten && hasCode(error, 'EEXIST', 'ENOENT')) return undefined;
    throw error;
  } finally {
    removeIfThere(temporary);
  }
}

/** The claim at `path`; undefined when there is none. @throws Failure `state_unsafe` */
export function readClaim(path: string): Claim | undefined {
  const file = readPrivateFile(path, maxBytes, 2); // the second name is the one it was written under
  if (!file.ok) {
    if (file.problem === 'absent') return undefined;
    throw stateUnsafe(path, file.why);
  }
  const parsed = parseJson(file.bytes);
  const claim = parsed.ok ? asObject(parsed.value) : undefined;
  const holder = identityIn(claim);
  const nonce = claim?.['nonce'];
  const writtenAt = file.modifiedAt;
  if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce) || holder === undefined) {
    return { nonce: `${file.inode}-${Math.floor(writtenAt)}`, holder: undefined, writtenAt };
  }
  return { nonce, holder, writtenAt };
}

/** Says, `at` milliseconds since 1970, that the holder of this claim is at work. */
export function renewClaim(path: string, nonce: string, at: number): void {
  if (readClaim(path)?.nonce === nonce) utimesSync(path, at / 1000, at / 1000);
}

/** Removes the file at `path` if it is this claim's. */
export function removeClaim(path: string, nonce: string): boolean {
  return readClaim(path)?.nonce === nonce && removeIfThere(path);
}

/** False when there was no such file. */
export function removeIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
