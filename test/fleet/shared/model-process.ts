import type { Scheduler } from 'fast-check';
import { Items, sharedKeysOf } from '../../../src/fleet/shared/items.js';
import { SharedLogins } from '../../../src/fleet/shared/shared-logins.js';
import type { Turn } from '../../../src/fleet/shared/turn.js';
import { type Clock, isFailure } from '../../support/product.js';
import { key, type ModelEngine, type ModelIssuer, type ModelMachine, numberIn, seenOn, textOf } from './model.js';

/** The end of a process: nothing that it would do afterwards is done. */
class Killed extends Error {}

const { signal } = new AbortController();

export interface ProcessOptions {
  readonly scheduler: Scheduler;
  readonly engine: ModelEngine;
  readonly issuer: ModelIssuer;
  readonly machine: ModelMachine;
  /** It is killed at this of its steps; undefined: it is not. */
  readonly killedAt: number | undefined;
  /** Refreshes, one after the other. */
  readonly times: number;
  /** Of what may cost a login: a response that nobody has sealed, and a note that stays though nothing came of it. */
  readonly lost: string[];
}

export type Outcome = number | 'killed' | 'left' | 'busy' | 'away' | 'endless';

/** Steps of one process after which it comes to no end. */
const maxSteps = 1_000;

/** A process that refreshes what has run out; as `tokens/refresh.ts` does it, which has more around it. */
export async function refreshIn(options: ProcessOptions): Promise<Outcome> {
  const { scheduler, engine, issuer, machine, killedAt, times, lost } = options;
  let steps = 0;
  let monotonic = 0;
  const live = () => {
    steps += 1;
    if (isDead()) throw new Killed();
  };
  const clock: Clock = {
    now: () => 1,
    monotonic: () => monotonic,
    sleep: async (ms, ending) => {
      ending.throwIfAborted();
      // Signs of life are given when the scheduler says so, and end with the lease.
      let leave = (): void => undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(ending.reason);
      });
      ending.addEventListener('abort', leave);
      await Promise.race([scheduler.schedule(Promise.resolve(), 'sleep'), left]).finally(() =>
        ending.removeEventListener('abort', leave),
      );
      monotonic += ms;
      live();
    },
  };
  const isDead = () => steps > (killedAt ?? maxSteps);
  const items = new Items(sharedKeysOf(Buffer.alloc(32, 1), Buffer.alloc(32, 2)), 'default');
  const parts = {
    engine: engine.for(live),
    items,
    clock,
    by: 'a machine, process 1',
    leaseMs: 15_000,
    signal,
    seen: seenOn(machine),
  };
  const logins = new SharedLogins(parts);
  const write = async (number: number) => await logins.write(key, textOf(number), signal);

  /** What has run out, as this process has found it. */
  let first: number | undefined;
  const once = async (): Promise<Outcome | 'again'> => {
    const read = await logins.read(key, signal);
    const held = numberIn(read?.text ?? '');
    const recovered = machine.sealed.get(held);
    if (recovered !== undefined) await write(recovered);
    first ??= held;
    if (recovered !== undefined || held !== first) return recovered ?? held;
    const turn = await logins.begin(key, { waitMs: 2_000, lives: false, signal });
    if (!('basis' in turn)) return 'left';
    try {
      await using _turn = turn;
      return await spend(turn, held);
    } finally {
      if (engine.hasNote) lost.push('its note could not be taken back');
    }
  };
  const spend = async (turn: Turn, held: number): Promise<Outcome | 'again'> => {
    try {
      await turn.sending();
    } catch (error) {
      if (error instanceof Killed) lost.push('killed while its note was written'); // which may arrive later
      throw error;
    }
    const sent = scheduler.schedule(Promise.resolve(), 'request');
    try {
      await sent;
      live();
    } catch (error) {
      if (error instanceof Killed) lost.push('killed with the note written, before the request was');
      throw error;
    }
    const next = issuer.refresh(held);
    try {
      await scheduler.schedule(Promise.resolve(), 'response of the token endpoint');
      live();
    } catch (error) {
      if (error instanceof Killed) lost.push('killed before the response was sealed');
      throw error;
    }
    if (next === undefined) throw new Error('replayed');
    turn.responded();
    machine.sealed.set(held, next);
    await write(next);
    return next;
  };
  try {
    for (let done = 0; ; ) {
      const result = await machine
        .locked(() => once())
        .catch((error: unknown) => {
          if (isFailure(error, 'shared_overtaken')) return 'again' as const;
          throw error;
        });
      if (result === 'again') continue;
      done += 1;
      if (done === times || typeof result !== 'number') return result;
      first = undefined;
    }
  } catch (error) {
    if (error instanceof Killed || isDead()) return killedAt === undefined ? 'endless' : 'killed';
    if (isFailure(error, 'busy')) return 'busy';
    if (isFailure(error, 'store_unavailable')) return 'away';
    throw error;
  }
}
