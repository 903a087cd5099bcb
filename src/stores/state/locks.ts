import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import { Busy, stateUnwritable } from '../failures.js';
import type { Lock, Locks } from '../ports.js';
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
import { ensurePrivateFolder } from './private-file.js';
import { ownIdentity, type ProcessIdentity } from './process-identity.js';

/** Between two looks at a lock that another process has, milliseconds; `long`: where a person is waited for; `queue`: at the folder. */
const pollMs = { min: 3, max: 40, long: 250, queue: 250 } as const;

/** A longer wait is one for a person, in milliseconds. */
const longestWork = 60_000;

/** How often a holder gives a sign of life to those who cannot see its process, in milliseconds. */
const usualSignMs = 30_000;

/**
 * Locks between processes, as files in `directory`. A lock of a process that died is taken over at once; one of a
 * stopped process never is: the wait for it fails with `busy`. A holder that cannot be seen, on another machine or in
 * another container, counts as dead when it has long given no sign of life.
 */
export function createLocks(options: {
  readonly directory: string;
  readonly clock: Clock;
  readonly signMs?: number;
}): Locks {
  const { directory, clock, signMs = usualSignMs } = options;
  const queues = new Queues();
  return {
    acquire: async (name, { waitMs, signal }) => {
      const base = join(directory, `${fileNameOf(name)}.lock`);
      const since = clock.monotonic();
      const { before, leave } = queues.join(base);
      try {
        await ensurePrivateFolder(directory);
        for (let isTurn = before === undefined; !isTurn; ) {
          signal.throwIfAborted();
          const left = since + waitMs - clock.monotonic();
          // A missing folder is reported at once by the look at the file.
          if (left <= 0 || !existsSync(directory)) break;
          isTurn = await isDoneWithin(before, Math.min(left, pollMs.queue), { clock, signal });
        }
        const us = ownIdentity();
        for (let looks = 0; ; looks += 1) {
          signal.throwIfAborted();
          const held = attempt({ base, us, now: clock.now() });
          if (held !== undefined && 'life' in held) return hold(base, held, { clock, signMs, leave });
          const waited = clock.monotonic() - since;
          if (waited >= waitMs && held !== undefined) throw new Busy(base, nameOf(held, us), waited);
          await clock.sleep(pauseMs(looks, waitMs), signal);
        }
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/**
 * Those of this process that want one lock, in the order in which they came: only the first looks at its file. Twenty that
 * all look again and again leave the holder no time for its work, where a look at a file is slow (Windows).
 */
class Queues {
  /** For each lock, when the last in its queue and all before it have left. */
  readonly #last = new Map<string, Promise<void>>();

  /** `before`: resolves when it is this one's turn; undefined: it is. `leave` has to be called in the end. */
  join(base: string): { readonly before: Promise<void> | undefined; readonly leave: () => void } {
    const before = this.#last.get(base);
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const last = Promise.all([before, left]).then(() => {
      if (this.#last.get(base) === last) this.#last.delete(base);
    });
    this.#last.set(base, last);
    return { before, leave };
  }
}

/** False, too, when the signal is aborted. */
async function isDoneWithin(
  before: Promise<void> | undefined,
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
  const done = new AbortController();
  const no = () => false;
  const limit = clock.sleep(ms, AbortSignal.any([signal, done.signal])).then(no, no);
  const isDone = await Promise.race([before?.then(() => true), limit]);
  done.abort();
  return isDone ?? true;
}

/** Our claim, with a sign of life now and then for as long as the work takes. */
function hold(
  base: string,
  { nonce, life }: OwnClaim,
  { clock, signMs, leave }: { readonly clock: Clock; readonly signMs: number; readonly leave: () => void },
): Lock {
  const signs = setInterval(() => {
    try {
      touchClaim(base, nonce, clock.now());
    } catch {
      // on a disk that is full or gone; the next one may go well
    }
  }, signMs).unref();
  return {
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

/** Grows with the number of looks, and is never the same for two that wait. */
function pauseMs(looks: number, waitMs: number): number {
  const longest = waitMs > longestWork ? pollMs.long : pollMs.max;
  return pollMs.min + Math.random() * Math.min(longest, pollMs.min * 2 ** Math.min(looks, 7));
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
