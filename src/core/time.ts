import type { Failure } from './failure.js';
import type { Clock } from './ports.js';
import { defined, type LoginRecord } from './records.js';

const longestLifetimeSeconds = 30 * 24 * 60 * 60;

const longestDelayMs = 24 * 60 * 60 * 1000;

export type Lifetime =
  | { readonly kind: 'known'; readonly seconds: number }
  | { readonly kind: 'unknown'; readonly warning?: string };

/**
 * `expires_in` of a token response (RFC 6749 section 5.1) in whole seconds, at most 30 days. Accepts a decimal string;
 * `null` counts as absent; anything else is an unknown lifetime with a warning.
 */
export function lifetimeSeconds(value: unknown): Lifetime {
  if (value === undefined || value === null) return { kind: 'unknown' };
  const seconds = typeof value === 'string' && /^[0-9]+(?:\.[0-9]+)?$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || Number.isNaN(seconds) || seconds < 0) {
    return { kind: 'unknown', warning: 'expires_in is not a number of seconds, so the lifetime is unknown' };
  }
  if (seconds === Number.POSITIVE_INFINITY && typeof value === 'number') {
    return { kind: 'unknown', warning: 'expires_in is out of range, so the lifetime is unknown' };
  }
  return { kind: 'known', seconds: Math.floor(Math.min(Math.max(seconds, 0), longestLifetimeSeconds)) };
}

/** A longer lifetime means no end. */
const longestGrantSeconds = 20 * 365 * 24 * 60 * 60;

/** The end of a span of whole seconds, greater than 0, that begins at `now`; undefined for anything else. */
export function endOf(seconds: unknown, now: number): number | undefined {
  const isSpan = Number.isSafeInteger(seconds) && Number(seconds) > 0 && Number(seconds) <= longestGrantSeconds;
  return isSpan ? now + Number(seconds) * 1000 : undefined;
}

/** When a login's refresh token and authorization end, if known. */
export function endsOf({
  refreshExpiresAt,
  authorizationExpiresAt,
}: Pick<LoginRecord, 'refreshExpiresAt' | 'authorizationExpiresAt'>) {
  return defined({ refreshExpiresAt, authorizationExpiresAt });
}

/**
 * `Retry-After` (RFC 9110 section 10.2.3) in milliseconds from `nowMs`, at most `maxMs`: whole seconds or an
 * IMF-fixdate; a date that is past is 0. Anything else, and no header, is undefined.
 */
export function retryAfterMs(value: string | undefined, nowMs: number, maxMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text.length > 64) return undefined;
  const delay = /^[0-9]+$/.test(text) ? Number(text) * 1000 : dateMs(text) - nowMs;
  return Number.isNaN(delay) ? undefined : Math.min(Math.max(delay, 0), maxMs);
}

/**
 * A delay that timers handle, 0 to 24 hours. The platform turns delays beyond 2^31 ms, and NaN, into 1 ms; so NaN becomes
 * the longest delay, and no loop runs hot.
 */
export function clampDelay(ms: number): number {
  return Number.isNaN(ms) ? longestDelayMs : Math.min(Math.max(ms, 0), longestDelayMs);
}

const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT$/;

/** NaN for an invalid date. */
function dateMs(text: string): number {
  const ms = imfFixdate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== text ? Number.NaN : ms;
}

/** A time limit for the peer that can be stopped while the user is asked. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #failure: () => Failure;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param ms Milliseconds, at most a day. @param failure Makes the signal's reason when time is up. */
  constructor(ms: number, failure: () => Failure) {
    this.#ms = ms;
    this.#failure = failure;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  restart(): void {
    this.stop();
    if (this.#isOver) return; // the user may answer after the end
    this.#timer = setTimeout(() => this.#controller.abort(this.#failure()), this.#ms);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.stop();
  }
}

/** Replaces `AbortSignal.timeout`, which Node.js 20 collects too early if only `AbortSignal.any` refers to it. */
export function timeLimit(ms: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(new DOMException('The time is up', 'TimeoutError')), ms).unref();
  return over.signal;
}

/** The work's result if it arrives in time, else undefined. @throws what the work throws */
export async function within<T>(clock: Pick<Clock, 'sleep'>, ms: number, work: Promise<T>): Promise<T | undefined> {
  const waiting = new AbortController();
  const nothing = () => undefined;
  try {
    return await Promise.race([work, clock.sleep(ms, waiting.signal).then(nothing, nothing)]);
  } finally {
    waiting.abort();
  }
}

/** The work's result; the signal ends only the wait. @throws what the work throws, or the signal's reason */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  work.catch(() => undefined); // it may fail after the wait has ended
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Waits until the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
