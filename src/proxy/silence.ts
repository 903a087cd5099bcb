import { timedOut } from '../http/failures.js';
import { serverLimits } from '../relay/limits.js';
import type { ProxyOptions } from './ports.js';

/** Whose turn it is. While a token is fetched, or a person asked, other limits hold. */
export type Turn = 'caller sends' | 'token' | 'server responds' | 'server sends' | 'caller reads';

/** Which side has been silent for too long. */
type Overdue =
  | { readonly kind: 'caller_stalled' | 'caller_gone' }
  | { readonly kind: 'server'; readonly failure: Error };

/** Keeps the time since something moved in an exchange. One look at all of them now and then takes no timer for each. */
export class Silence {
  #since = performance.now();
  #turn: Turn = 'caller sends';

  moved(): void {
    this.#since = performance.now();
  }

  turnOf(turn: Turn): void {
    this.#turn = turn;
    this.moved();
  }

  /** @param now as `performance.now()`; `bodyAwaited`: the caller has not sent all of its body, and is waited for */
  overdue(
    now: number,
    host: string,
    { headMs, silenceMs }: ProxyOptions['limits'],
    bodyAwaited: boolean,
  ): Overdue | undefined {
    const silence = now - this.#since;
    if (bodyAwaited) return silence > serverLimits.bodySilenceMs ? { kind: 'caller_stalled' } : undefined;
    if (this.#turn === 'server responds' && silence > headMs) {
      return { kind: 'server', failure: timedOut(host, 'sending the head of its answer', headMs) };
    }
    if (this.#turn === 'server sends' && silenceMs !== null && silence > silenceMs) {
      return { kind: 'server', failure: timedOut(host, 'sending the next piece of its answer', silenceMs) };
    }
    return this.#turn === 'caller reads' && silence > serverLimits.unreadMs ? { kind: 'caller_gone' } : undefined;
  }
}
