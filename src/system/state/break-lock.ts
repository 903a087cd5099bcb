import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Claim, publishClaim, readClaim, removeClaim, removeIfThere, suffix } from './lock-file.js';
import { exists, type ProcessIdentity, stateOf } from './process-identity.js';

/** After this long without a sign of life a holder that cannot be seen (another machine or container) counts as dead. */
const unseenHolderMs = 600_000;

/** Is the process dead that made this claim? Never by its age alone, where it can be seen. */
export function isDead(claim: Claim, us: ProcessIdentity, now: number): boolean {
  const state =
    claim.holder === undefined ? ('unknown' as const) : stateOf(claim.holder, us, claim.writtenAt);
  return state === 'dead' || (state === 'unknown' && now - claim.writtenAt > unseenHolderMs);
}

/**
 * Removes the file at `path` if it still is this claim of a dead process.
 *
 * Only who holds the file `<base>.<nonce>.break` may do so, and it looks again once it does: thus of many waiters
 * one removes the dead claim, and none the live one that follows it. The right to break is named after the nonce
 * of what it breaks; should its holder die, it is broken in the same way.
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

/**
 * Removes what killed processes left beside a lock. Called by its holder only: then no claim but its own exists at
 * `base`, so that no right to break another one means anything any more.
 */
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
