import { type BusConnection, type BusTrouble, connectBus } from './bus-connection.js';

/**
 * The session bus: one connection for all that a process asks, one thing after another. A new one takes the bus and us a
 * millisecond or two, and closing it two more, as node:net then makes `process.stderr`.
 */
export class SessionBus {
  readonly #env: Readonly<Record<string, string | undefined>>;
  #resting: BusConnection | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /**
   * Does the work on a connection that nobody else uses meanwhile; once more where one that had rested turns out to have
   * ended, so it does no harm twice. @throws what the work throws, and nothing of its own
   */
  async use<T>(limitMs: number, work: (bus: BusConnection) => Promise<T>): Promise<T | BusTrouble> {
    const rested = this.#rested(limitMs);
    const bus = rested ?? (await connectBus(this.#env, limitMs));
    if (typeof bus === 'string') return bus;
    try {
      const done = await work(bus);
      if (bus !== rested || bus.ended !== 'unknown') return done;
    } finally {
      if (this.#resting !== undefined) bus[Symbol.dispose]();
      else if (bus.rest()) this.#resting = bus;
    }
    return await this.use(limitMs, work);
  }

  /** The one that rests, if it has not ended meanwhile. */
  #rested(limitMs: number): BusConnection | undefined {
    const bus = this.#resting;
    this.#resting = undefined;
    if (bus?.rest() !== true) return undefined;
    bus.limit(limitMs);
    return bus;
  }
}
