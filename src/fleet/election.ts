import { Failure, isFailure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { parseObject, stringField } from '../core/text/json.js';
import { printable } from '../core/text/printable.js';
import { timeLimit, within } from '../core/time.js';
import type { SharedEngine } from './engine/redis.js';
import type { Lead, Leadership, TellEvent } from './ports.js';
import { away, pauseMs } from './schedule.js';

export interface ElectionOptions {
  readonly engine: SharedEngine;
  /** Where the lease is in the engine. */
  readonly key: string;
  /** Random, and this process's alone. */
  readonly id: string;
  /** For people, e.g. `host-a (process 7)`. */
  readonly name: string;
  readonly clock: Clock;
  readonly tell: TellEvent;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** How long the engine keeps a lease that nobody renews, in milliseconds: a killed leader is followed after so long. */
const leaseMs = 15_000;

/** It is believed for less than that, since two clocks may not go equally fast. */
const believedMs = leaseMs * 0.8;

/** How often it is renewed; those who wait look at it a little more often. */
const roundMs = leaseMs / 3;

/** One of several keepers leads: the one whose lease the engine has. */
export function createElection(options: ElectionOptions): Lead {
  return (signal) => campaign(options, signal);
}

async function campaign(options: ElectionOptions, signal: AbortSignal): Promise<Leadership> {
  const { clock, tell, random } = options;
  let leader: string | undefined;
  let failures = 0;
  for (;;) {
    signal.throwIfAborted();
    let waitMs = roundMs * (0.6 + random() / 3);
    try {
      const turn = await take(options, signal);
      if (failures > 0) tell({ event: 'store_back' });
      failures = 0;
      if ('until' in turn) return new HeldLease(options, turn.until);
      if (turn.leader !== leader) tell({ event: 'standing_by', leader: turn.leader });
      leader = turn.leader;
    } catch (error) {
      if (!isFailure(error) || signal.aborted) throw error;
      waitMs = pauseMs(away, failures, random());
      if (failures === 0) tell({ event: 'store_failed', failure: error, retryInMs: waitMs });
      failures += 1;
    }
    await clock.sleep(waitMs, signal);
  }
}

/** Takes the lease where nobody has it, or this process has: what was written and not acknowledged is found so, too. */
async function take(
  { engine, key, id, name, clock }: ElectionOptions,
  signal: AbortSignal,
): Promise<{ readonly until: number } | { readonly leader: string }> {
  const began = clock.monotonic();
  const [entry] = await engine.read([key], signal);
  const holder = entry && parseObject(entry.value);
  if (entry !== undefined && stringField(holder ?? {}, 'id') !== id) {
    return { leader: printable(stringField(holder ?? {}, 'name') ?? 'another keeper', 100) };
  }
  const value = new TextEncoder().encode(JSON.stringify({ id, name }));
  const onlyIf = [{ key, revision: entry?.revision }];
  const result = await engine.commit({ onlyIf, puts: [{ key, value, ttlMs: leaseMs }], removes: [] }, signal);
  if (result.outcome === 'committed') return { until: began + believedMs };
  if (result.outcome === 'unknown' && result.cause instanceof Failure) throw result.cause;
  return { leader: 'another keeper' };
}

class HeldLease implements Leadership {
  readonly #options: ElectionOptions;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  readonly #extending: Promise<void>;
  #until: number;

  constructor(options: ElectionOptions, until: number) {
    this.#options = options;
    this.#until = until;
    this.#extending = this.#extend();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isHeld(): boolean {
    // A process that was stopped finds out here, before its timers have run.
    return !this.#lost.signal.aborted && this.#options.clock.monotonic() < this.#until;
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#extending;
    const { engine, key, id } = this.#options;
    const soon = timeLimit(5_000);
    try {
      const [entry] = await engine.read([key], soon);
      if (entry === undefined || stringField(parseObject(entry.value) ?? {}, 'id') !== id) return;
      await engine.commit({ onlyIf: [{ key, revision: entry.revision }], puts: [], removes: [key] }, soon);
    } catch (error) {
      if (!isFailure(error) && !soon.aborted) throw error; // it ends by itself
    }
  }

  async #extend(): Promise<void> {
    const { clock } = this.#options;
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      const left = this.#until - clock.monotonic();
      await clock.sleep(Math.max(0, Math.min(roundMs, left)), stop).catch(() => undefined);
      if (stop.aborted) return;
      if (!(await this.#extended(stop))) {
        this.#lost.abort();
        return;
      }
    }
  }

  /** False once another keeper may lead: by our own clock, however slow the engine is. */
  async #extended(stop: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const over = new AbortController();
    const left = () => Math.max(0, this.#until - clock.monotonic());
    try {
      const turn = await within(clock, left(), take(this.#options, AbortSignal.any([stop, over.signal])));
      if (turn === undefined || !('until' in turn)) return false;
      this.#until = turn.until;
      return true;
    } catch (error) {
      if (stop.aborted) return true;
      if (!isFailure(error)) throw error;
      await clock.sleep(Math.min(away.firstMs, left()), stop).catch(() => undefined);
      return left() > 0;
    } finally {
      over.abort();
    }
  }
}
