import { setImmediate as turn } from 'node:timers/promises';
import type { CorePorts, LoginPorts } from '../../support/product.js';

/** A person with a terminal, a browser and a clock, who does what a test says. */
export interface FakePerson {
  readonly ports: Pick<CorePorts, 'terminal' | 'clock' | 'progress'> & Pick<LoginPorts, 'browser'>;
  readonly signal: AbortSignal;
  /** Every line shown. */
  readonly told: readonly string[];
  readonly questions: readonly { readonly question: string; readonly hidden: boolean }[];
  /** Every URL given to the browser. */
  readonly opened: readonly string[];
  /** Every time slept, in milliseconds. */
  readonly sleeps: readonly number[];
  /** Questions and sleeps that go on. */
  openWaits(): number;
  /** Resolves once a line with `text` was shown. */
  hasBeenTold(text: string): Promise<void>;
  /** Ends every sleep that is over after so many more milliseconds; none given: every sleep. */
  timePasses(ms?: number): void;
  pressEnter(): void;
  /** The opener ends with an error, though it has run for a while. */
  openerFails(): void;
  /** What the spinner has shown. */
  readonly progress: readonly string[];
  /** What a program that reads events has got. */
  readonly events: readonly Readonly<Record<string, string>>[];
  interrupt(reason: Error): void;
}

export function fakePerson(options: {
  readonly interactive: boolean;
  readonly browser?: 'opened' | 'unavailable' | 'hangs';
  /** What is typed, in turn; undefined: end of input. After the last, nothing more is typed. */
  readonly pastes?: readonly (string | undefined)[];
}): FakePerson {
  const told: string[] = [];
  const questions: { question: string; hidden: boolean }[] = [];
  const opened: string[] = [];
  const sleeps: number[] = [];
  const pastes = [...(options.pastes ?? [])];
  const listeners = new Set<() => void>();
  const wakers = new Map<() => void, number>();
  const enters = new Set<() => void>();
  let openerFails = () => {};
  const progress: string[] = [];
  const events: Readonly<Record<string, string>>[] = [];
  let time = 0;
  const interruption = new AbortController();
  let waits = 0;
  const until = async <Value>(
    signal: AbortSignal,
    start: (resolve: (value: Value) => void) => void,
  ): Promise<Value> => {
    waits += 1;
    try {
      return await new Promise<Value>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        start(resolve);
      });
    } finally {
      waits -= 1;
    }
  };
  return {
    told,
    questions,
    opened,
    sleeps,
    signal: interruption.signal,
    openWaits: () => waits,
    timePasses: (ms) => {
      time += ms ?? 0;
      for (const [wake, due] of wakers) {
        if (ms !== undefined && due > time) continue;
        wakers.delete(wake);
        wake();
      }
    },
    pressEnter: () => {
      for (const enter of enters) enter();
    },
    openerFails: () => openerFails(),
    progress,
    events,
    interrupt: (reason) => interruption.abort(reason),
    hasBeenTold: async (text) => {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`not told of ${text}, but: ${told.join('\n')}`)), 10_000);
        const look = (): void => {
          if (!told.some((line) => line.includes(text))) return;
          clearTimeout(late);
          resolve();
        };
        listeners.add(look);
        look();
      });
      await turn(); // who has told it goes on to what comes next
    },
    ports: {
      progress: { begin: (what) => void progress.push(what), end: () => undefined },
      browser: {
        open: (url, _chosen, watch) => {
          opened.push(url);
          openerFails = watch?.failed ?? openerFails;
          return options.browser === 'hangs'
            ? new Promise(() => {})
            : Promise.resolve(options.browser ?? 'unavailable');
        },
      },
      clock: {
        now: () => 0,
        monotonic: () => time,
        sleep: (ms, signal) => {
          sleeps.push(ms);
          return until<void>(signal, (resolve) => void wakers.set(() => resolve(), time + ms));
        },
      },
      terminal: {
        interactive: options.interactive,
        tell: (line) => {
          told.push(line);
          for (const look of listeners) look();
        },
        ask: (question, { hidden, signal }) => {
          questions.push({ question, hidden });
          return until<string | undefined>(signal, (resolve) => {
            if (pastes.length > 0) resolve(pastes.shift());
          });
        },
        choose: () => Promise.reject(new Error('nothing is chosen here')),
        listen: (enter) => {
          enters.add(enter);
          return { [Symbol.dispose]: () => void enters.delete(enter) };
        },
        event: (event) => void events.push(event),
      },
    },
  };
}
