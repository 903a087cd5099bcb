import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import { Busy, stateUnwritable } from '../failures.js';
import { ensurePrivateFolder } from '../private-file.js';
import {
  breakClaim,
  type Claim,
  isDead,
  type Looker,
  type OwnClaim,
  publishClaim,
  readClaim,
  removeClaim,
  sweep,
  touchClaim,
} from './lock-file.js';
import { ownIdentity, type ProcessIdentity } from './process-identity.js';

/** Between two looks at a lock that another process has: a tenth of what was waited, in milliseconds. */
const pollMs = { min: 3, max: 250 } as const;

/** How often a holder gives a sign of life to those who cannot see its process, in milliseconds. */
const usualSignMs = 30_000;

/**
 * Locks between processes, as files in `directory`. A lock of a process that died is taken over at once; one of a
 * stopped process never is: the wait for it fails with `busy`. A holder that cannot be seen, on another machine or in
 * another container, counts as dead when it has long given no sign of life.
 */
export function createLocks(options: { readonly directory: string; readonly clock: Clock; readonly signMs?: number }) {
  const { directory, clock, signMs = usualSignMs } = options;
  /**
   * For each lock, when the last of this process that wants it has left. Only the first looks at the file: twenty that look
   * again and again leave the holder no time for its work where a look is slow (Windows).
   */
  const queues = new Map<string, Promise<unknown>>();
  return {
    /** @throws Failure `busy` after `waitMs` */
    acquire: async (name: string, options: { readonly waitMs: number; readonly signal: AbortSignal }) => {
      const { waitMs, signal } = options;
      const base = join(directory, `${fileNameOf(name)}.lock`);
      const since = clock.monotonic();
      const before = queues.get(base);
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const last: Promise<unknown> = Promise.all([before, left]).then(() => {
        if (queues.get(base) === last) queues.delete(base);
      });
      queues.set(base, last);
      try {
        await ensurePrivateFolder(directory);
        if (before !== undefined) await doneWithin(before, waitMs, { clock, signal });
        const us = ownIdentity();
        for (;;) {
          signal.throwIfAborted();
          const held = attempt({ base, us, now: clock.now() });
          if (held !== undefined && 'life' in held) return hold(base, held, { clock, signMs, leave });
          const waited = clock.monotonic() - since;
          if (waited >= waitMs && held !== undefined) throw new Busy(base, nameOf(held, us), waited);
          const pause = Math.min(pollMs.max, pollMs.min + waited / 10);
          await clock.sleep(pause * (0.5 + Math.random()), signal); // never the same for two that wait
        }
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** Locks between processes, by name. */
export type Locks = ReturnType<typeof createLocks>;

export type Lock = ReturnType<typeof hold>;

async function doneWithin(
  before: Promise<unknown>,
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const done = new AbortController();
  const limit = clock.sleep(ms, AbortSignal.any([signal, done.signal])).catch(() => undefined);
  await Promise.race([before, limit]);
  done.abort();
}

/** Our claim, with a sign of life now and then for as long as the work takes. */
function hold(
  base: string,
  { nonce, life }: OwnClaim,
  { clock, signMs, leave }: { readonly clock: Clock; readonly signMs: number; readonly leave: () => void },
) {
  const signs = setInterval(() => {
    try {
      touchClaim(base, nonce, clock.now());
    } catch {
      // on a disk that is full or gone; the next one may go well
    }
  }, signMs).unref();
  return {
    /** Is it still ours? A process on another machine may take it from one that was paused for long. */
    isHeld: () => {
      try {
        return readClaim(base)?.nonce === nonce;
      } catch {
        return false;
      }
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(signs);
      let isGone = false;
      try {
        release(base, nonce);
        isGone = true;
      } finally {
        life.end(isGone);
        leave();
      }
    },
  };
}

/** Our claim when we got it; else whose it is, or undefined when that was not seen. */
function attempt(by: Looker): OwnClaim | Claim | undefined {
  const { base } = by;
  try {
    const claim = readClaim(base);
    if (claim !== undefined && !isDead(claim, by)) return claim;
    if (claim !== undefined) breakClaim(base, claim, by);
    return publishClaim(base, by) ?? readClaim(base);
  } catch (cause) {
    throw stateUnwritable(base, cause);
  }
}

function release(base: string, nonce: string): void {
  try {
    try {
      sweep(base, nonce);
    } finally {
      removeClaim(base, nonce);
    }
  } catch (cause) {
    throw stateUnwritable(base, cause);
  }
}

function nameOf(claim: Claim, us: ProcessIdentity): string {
  if (claim.holder === undefined) return 'process unknown';
  const elsewhere = claim.holder.system === us.system ? '' : ' on another machine or in another container';
  return `process ${claim.holder.pid}${elsewhere}`;
}

/** A lock's name may hold anything; a file's may not. */
function fileNameOf(name: string): string {
  return /^[a-z0-9-]{1,64}$/.test(name) ? name : `sha256-${createHash('sha256').update(name).digest('hex')}`;
}
