import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../core/ports.js';
import type { Lock, Locks } from '../ports.js';
import { Busy, stateUnwritable } from '../state-failures.js';
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
import { type Lives, livesOn } from './lock-life.js';
import { ensurePrivateFolder } from './private-file.js';
import { ownIdentity, type ProcessIdentity } from './process-identity.js';

/** Between two looks at a lock that another process has, milliseconds; `long`: where a person is waited for. */
const pollMs = { min: 3, max: 40, long: 250 } as const;

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
  readonly lives?: Lives;
}): Locks {
  const { directory, clock, signMs = usualSignMs, lives = livesOn(process.platform) } = options;
  const queues = new Queues(clock);
  return {
    acquire: async (name, { waitMs, signal }) => {
      const base = join(directory, `${fileNameOf(name)}.lock`);
      await ensurePrivateFolder(directory);
      const us = ownIdentity();
      const since = clock.monotonic();
      const leave = await queues.take(base, waitMs, signal);
      try {
        for (let looks = 0; ; looks += 1) {
          signal.throwIfAborted();
          const held = attempt({ base, us, lives, now: clock.now() });
          if (held !== undefined && 'life' in held) return hold(base, held, lives, { clock, signMs, leave });
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
  readonly #clock: Clock;
  /** For each lock, when the last in its queue leaves. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when its turn has come, or after `waitMs`, with what has to be called in the end. */
  async take(base: string, waitMs: number, signal: AbortSignal): Promise<() => void> {
    const before = this.#last.get(base);
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const last = Promise.all([before, left]).then(() => {
      if (this.#last.get(base) === last) this.#last.delete(base);
    });
    this.#last.set(base, last);
    if (before === undefined) return leave;
    const turn = new AbortController();
    const limit = this.#clock.sleep(waitMs, AbortSignal.any([signal, turn.signal]));
    await Promise.race([before, limit.catch(() => undefined)]); // aborted: whoever looks at the file next says so
    turn.abort();
    return leave;
  }
}

/** Our claim, with a sign of life now and then for as long as the work takes. */
function hold(
  base: string,
  { nonce, life }: OwnClaim,
  lives: Lives,
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
        release(base, nonce, lives);
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

function release(base: string, nonce: string, lives: Lives): void {
  try {
    try {
      sweep(base, nonce, lives);
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
