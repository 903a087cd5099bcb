import { randomBytes } from 'node:crypto';
import { linkSync, readdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../core/failure.js';
import { parseObject } from '../../core/text/json.js';
import { readIfThere } from './private-file.js';
import { exists, identityIn, type ProcessIdentity, stateOf, writtenIdentity } from './process-identity.js';

/** What a lock file says, and what is known of it. */
export interface Claim {
  /** Never used twice: it tells this very claim from any other at the same path. */
  readonly nonce: string;
  /** Undefined when the file cannot be understood (cut off by a power cut). */
  readonly holder: ProcessIdentity | undefined;
  /** When it was written, or its holder last gave a sign of life; milliseconds since 1970. */
  readonly writtenAt: number;
}

/** Ends of the names of a lock's other files. */
const suffix = { temporary: '.new', breaking: '.break' } as const;

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
    writeFileSync(temporary, JSON.stringify({ nonce, ...writtenIdentity(us) }), { flag: 'wx', mode: 0o600 });
    isWritten = true;
    linkSync(temporary, path);
    return nonce;
  } catch (error) {
    // ENOENT: a sweeper in another container took our file for a dead process's. Before that it is the folder that is gone.
    if (isWritten && ['EEXIST', 'ENOENT'].includes(systemCode(error))) return undefined;
    throw error;
  } finally {
    removeIfThere(temporary);
  }
}

/** The claim at `path`; undefined when there is none. @throws Failure `state_unsafe` */
export function readClaim(path: string): Claim | undefined {
  const file = readIfThere(path, maxBytes, 2); // the second name is the one it was written under
  if (file === undefined) return undefined;
  const claim = parseObject(file.bytes);
  const holder = identityIn(claim);
  const nonce = claim?.['nonce'];
  const writtenAt = file.modifiedAt;
  const isWhole = typeof nonce === 'string' && /^[0-9a-f]{32}$/.test(nonce) && holder !== undefined;
  if (isWhole) return { nonce, holder, writtenAt };
  return { nonce: `${file.inode}-${Math.floor(writtenAt)}`, holder: undefined, writtenAt };
}

/** Says, `at` milliseconds since 1970, that the holder of this claim is at work. */
export function touchClaim(path: string, nonce: string, at: number): void {
  if (readClaim(path)?.nonce === nonce) utimesSync(path, at / 1000, at / 1000);
}

/** Removes the file at `path` if it is this claim's. */
export function removeClaim(path: string, nonce: string): void {
  if (readClaim(path)?.nonce === nonce) removeIfThere(path);
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** After this long without a sign of life a holder that cannot be seen (another machine or container) counts as dead. */
const unseenHolderMs = 600_000;

/** Is the process dead that made this claim? Never by its age alone, where it can be seen. */
export function isDead(claim: Claim, us: ProcessIdentity, now: number): boolean {
  const state = claim.holder === undefined ? 'unknown' : stateOf(claim.holder, us, claim.writtenAt);
  return state === 'dead' || (state === 'unknown' && now - claim.writtenAt > unseenHolderMs);
}

/**
 * Removes the file at `path` if it still is this claim of a dead process. Only the holder of the file
 * `<base>.<nonce>.break` may do so, and it looks again first: of many waiters one removes the dead claim, and none the
 * live one that follows it. Should that holder die, its file is broken in the same way.
 */
export function breakClaim(
  path: string,
  claim: Claim,
  by: { readonly base: string; readonly us: ProcessIdentity; readonly now: number },
): void {
  const { base, us, now } = by;
  const right = `${base}.${claim.nonce}${suffix.breaking}`;
  const ours = publishClaim(right, base, us);
  if (ours === undefined) {
    const other = readClaim(right);
    if (other !== undefined && isDead(other, us, now)) breakClaim(right, other, by);
    return;
  }
  try {
    removeClaim(path, claim.nonce);
  } finally {
    removeClaim(right, ours);
  }
}

/** Removes what killed processes left of a lock. For its holder only: then no right to break another claim counts. */
export function sweep(base: string, ownNonce: string): void {
  const folder = dirname(base);
  const prefix = `${basename(base)}.`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    const isOldRight = rest.endsWith(suffix.breaking) && !rest.startsWith(ownNonce);
    const isOrphan = rest.endsWith(suffix.temporary) && !exists(Number.parseInt(rest, 10));
    if (isOldRight || isOrphan) removeIfThere(join(folder, name));
  }
}
