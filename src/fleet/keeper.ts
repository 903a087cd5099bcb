import { exitCode, type Failure, isFailure } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { clockToleranceMs } from '../tokens/read-credential.js';
import type { FleetLogins, Lead, Leadership, TellEvent } from './ports.js';
import { away, dueOf, type KeptState, pauseMs, restMs, stateOf, untilDue } from './schedule.js';

export interface KeeperOptions {
  readonly logins: FleetLogins;
  readonly lead: Lead;
  readonly clock: Clock;
  readonly tell: TellEvent;
  /** How long before its end a token is refreshed, in milliseconds. */
  readonly aheadMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** Refreshes at a time: a slow authorization server keeps only so many others waiting. */
const maxAtOnce = 4;

/** How often the list of logins is read again, in milliseconds. */
const lookMs = 30_000;

/** What can be seen of a keeper from outside. */
export interface KeeperView {
  readonly isLeader: boolean;
  /** Of the store, at its last use. */
  readonly isStoreThere: boolean;
  readonly states: readonly KeptState[];
}

/** Keeps logins fresh for as long as it leads, and waits to lead else. One login that fails stops no other. */
export class Keeper {
  readonly #options: KeeperOptions;
  #states = new Map<string, KeptState>();
  #leadership: Leadership | undefined;
  #storeFailures = 0;
  /** By the monotonic clock. */
  #clockAhead: number | undefined;
  #isClockBack = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  view(): KeeperView {
    const isLeader = this.#leadership?.isHeld() === true;
    return { isLeader, isStoreThere: this.#storeFailures === 0, states: [...this.#states.values()] };
  }

  /** Notes what the election sees of the store, too. */
  noteStore(isThere: boolean): void {
    this.#storeFailures = isThere ? 0 : Math.max(1, this.#storeFailures);
  }

  /**
   * Until `stop`: then the refreshes under way end first, and another keeper may lead at once.
   * @param signal Ends all of it without more ado.
   */
  async run(stop: AbortSignal, signal: AbortSignal): Promise<void> {
    const { lead, tell } = this.#options;
    while (!stop.aborted) {
      const leadership = await lead(stop).catch((error: unknown) => {
        if (stop.aborted) return undefined;
        throw error;
      });
      if (leadership === undefined) return;
      this.#leadership = leadership;
      tell({ event: 'leading' });
      try {
        await this.#keep(leadership, stop, signal);
      } finally {
        this.#leadership = undefined;
        await leadership.release();
      }
      if (!stop.aborted) tell({ event: 'stepped_down' });
    }
  }

  async #keep(leadership: Leadership, stop: AbortSignal, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const over = AbortSignal.any([stop, leadership.lost]);
    while (!over.aborted && leadership.isHeld()) {
      const pauseMs = await this.#round(() => !over.aborted && leadership.isHeld(), signal);
      await clock.sleep(pauseMs, over).catch(() => undefined);
    }
  }

  /** Refreshes what is due. @returns how long there is nothing to do, in milliseconds */
  async #round(mayBegin: () => boolean, signal: AbortSignal): Promise<number> {
    const { clock, logins, aheadMs, random, tell } = this.#options;
    try {
      const listed = await logins.list(signal);
      const entries = listed.map(
        (login) => [login.key, stateOf(login, this.#states.get(login.key), clock, aheadMs, random)] as const,
      );
      this.#states = new Map(entries);
      if (this.#storeFailures > 0) tell({ event: 'store_back' });
      this.#storeFailures = 0;
    } catch (failure) {
      if (!isFailure(failure) || signal.aborted) throw failure;
      const retryInMs = pauseMs(away, this.#storeFailures, random());
      if (this.#storeFailures === 0) tell({ event: 'store_failed', failure, retryInMs });
      this.#storeFailures += 1;
      return retryInMs;
    }
    this.#lookAtClock();
    const due = this.#waiting().filter((state) => untilDue(state, clock) <= 0);
    const workers = Array.from({ length: Math.min(maxAtOnce, due.length) }, async () => {
      for (let state = due.shift(); state !== undefined && mayBegin(); state = due.shift()) {
        await this.#refresh(state, signal);
      }
    });
    await Promise.all(workers);
    const next = Math.min(...this.#waiting().map((state) => untilDue(state, clock)));
    return Math.max(200, Math.min(lookMs * (0.9 + random() / 5), next));
  }

  /** Those that there is something to do for, the most urgent first. What the index calls ended is for a new login. */
  #waiting(): KeptState[] {
    const kept = [...this.#states.values()].filter(({ login }) => login.state === 'kept');
    const { clock } = this.#options;
    return kept.sort((one, other) => untilDue(one, clock) - untilDue(other, clock));
  }

  /** Reports once that the clock was set back: since the last look, or since a token was obtained. */
  #lookAtClock(): void {
    const { clock, tell } = this.#options;
    const ahead = clock.now() - clock.monotonic();
    const obtained = this.#waiting().map(({ life }) => life.obtainedAt - clock.now());
    const byMs = Math.max((this.#clockAhead ?? ahead) - ahead, ...obtained);
    const isBack = byMs > clockToleranceMs;
    if (isBack && !this.#isClockBack) tell({ event: 'clock_set_back', byMs });
    this.#isClockBack = isBack;
    this.#clockAhead = ahead;
  }

  async #refresh(state: KeptState, signal: AbortSignal): Promise<void> {
    const { clock, logins, aheadMs, random, tell } = this.#options;
    const { login, life } = state;
    // The very token that is known here is replaced; one that another machine has got meanwhile lives longer.
    const minLifeMs = Math.max(0, (life.expiresAt ?? 0) - clock.now());
    try {
      const { expiresAt, obtainedAt } = await logins.refresh(login, minLifeMs, signal);
      const isNew = obtainedAt !== life.obtainedAt;
      const now = { expiresAt, obtainedAt };
      this.#keepState({
        ...state,
        life: now,
        ...dueOf(now, clock, aheadMs, random()),
        restsUntil: isNew ? 0 : clock.monotonic() + restMs(1, random()),
        failures: 0,
        isEnded: false,
        printed: undefined,
        refreshes: state.refreshes + Number(isNew),
      });
      if (isNew) tell({ event: 'refreshed', login: login.label, expiresAt });
    } catch (failure) {
      if (!isFailure(failure) || signal.aborted) throw failure;
      this.#failed(state, failure);
    }
  }

  #failed(state: KeptState, failure: Failure): void {
    const { clock, random, tell } = this.#options;
    const failures = state.failures + 1;
    const isEnded = failure.exit === exitCode.loginNeeded;
    const rest = restMs(failures, random());
    const failed = new Map(state.failed).set(failure.code, (state.failed.get(failure.code) ?? 0) + 1);
    // It may be fixed where nothing is seen of it here (at a company's provider, in a file): it is tried again.
    this.#keepState({
      ...state,
      failures,
      failed,
      isEnded,
      printed: failure.code,
      restsUntil: clock.monotonic() + rest,
    });
    const { label } = state.login;
    if (isEnded && state.printed === failure.code) return;
    tell({ event: 'refresh_failed', login: label, failure, retryInMs: isEnded ? null : rest });
  }

  #keepState(state: KeptState): void {
    this.#states.set(state.login.key, state);
  }
}
