import type { Clock } from '../core/ports.js';
import { isFromFuture } from '../tokens/read-credential.js';
import type { KeptLogin, TokenLife } from './ports.js';

type Times = Pick<Clock, 'now' | 'monotonic'>;

/** Of the time that a token is refreshed ahead, this much more by chance: logins of one hour do not come in one second. */
const spread = 0.2;

const restOfLogins = { firstMs: 5_000, maxMs: 600_000 } as const;

/** An engine or a store that is away is left in peace for so long. */
export const away = { firstMs: 1_000, maxMs: 30_000 } as const;

/** Twice as long after each failure, and not to the millisecond. @param failures Before the last. @param chance From 0 to 1 */
export function pauseMs(
  pause: { readonly firstMs: number; readonly maxMs: number },
  failures: number,
  chance: number,
): number {
  return Math.min(pause.maxMs, pause.firstMs * 2 ** failures) * (0.75 + chance / 2);
}

/**
 * When a token is due to be refreshed, in milliseconds since 1970: `aheadMs` before its end, but not before two thirds of
 * its life are over. Never for one that does not end.
 * @param chance From 0 to 1, the same for one token.
 */
export function dueAt({ expiresAt, obtainedAt }: TokenLife, aheadMs: number, chance: number): number {
  if (expiresAt === null) return Number.POSITIVE_INFINITY;
  const lifeMs = Math.max(0, expiresAt - obtainedAt);
  return expiresAt - Math.min(aheadMs * (1 + spread * chance), (lifeMs / 3) * (1 - spread * chance));
}

/** How long a login rests after so many failures in a row, in milliseconds. */
export function restMs(failures: number, chance: number): number {
  return pauseMs(restOfLogins, failures - 1, chance);
}

/** What a keeper knows of one login. */
export interface KeptState {
  readonly login: KeptLogin;
  readonly life: TokenLife;
  /** By the wall clock and by the monotonic one, which stops while the machine sleeps: whichever is earlier counts. */
  readonly dueAt: number;
  readonly dueBy: number;
  /** After a failure, by the monotonic clock. */
  readonly restsUntil: number;
  /** In a row. */
  readonly failures: number;
  /** Its last failure is for a person, or for its platform. */
  readonly isEnded: boolean;
  /** That failure's code: it was printed. */
  readonly printed?: string | undefined;
  readonly refreshes: number;
  readonly failed: ReadonlyMap<string, number>;
}

/** When a token is to be refreshed, by both clocks. */
export function dueOf(life: TokenLife, { now, monotonic }: Times, aheadMs: number, chance: number) {
  const at = dueAt(life, aheadMs, chance);
  return { dueAt: at, dueBy: monotonic() + at - now() };
}

/** Milliseconds until a login needs attention. A token from the future may expire at any time, so it is due now. */
export function untilDue({ life, dueAt, dueBy, restsUntil }: KeptState, { now, monotonic }: Times): number {
  const due = isFromFuture(life, now()) ? 0 : Math.min(dueAt - now(), dueBy - monotonic());
  return Math.max(due, restsUntil - monotonic());
}

/** What is known of a login once it is listed again: what changed by others counts. */
export function stateOf(
  login: KeptLogin,
  before: KeptState | undefined,
  clock: Times,
  aheadMs: number,
  random: () => number,
): KeptState {
  // Not "later": the clock may have been set back since.
  const isNews =
    before === undefined || ![before.login, before.life].some((one) => one.obtainedAt === login.obtainedAt);
  if (!isNews) return { ...before, login, isEnded: before.isEnded || login.state === 'ended' };
  const { expiresAt, obtainedAt } = login;
  const life = { expiresAt, obtainedAt };
  const counted = before ?? { refreshes: 0, failed: new Map() };
  const { refreshes, failed } = counted;
  const due = dueOf(life, clock, aheadMs, random());
  return { login, life, ...due, restsUntil: 0, failures: 0, isEnded: login.state === 'ended', refreshes, failed };
}
