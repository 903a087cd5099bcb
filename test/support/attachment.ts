import { setTimeout as wait } from 'node:timers/promises';

export interface Limits {
  /** How long the person is waited for in all. */
  readonly longestMs: number;
  /** How long one attempt may take, to attach or to look. */
  readonly attemptMs: number;
}

export const usualLimits: Limits = { longestMs: 60_000, attemptMs: 15_000 };

/**
 * A running browser's remote control, which may hang on a busy machine although it is connected: what fails, or takes
 * too long, is let go of and forgotten, and the next look begins with a new one.
 */
export class Attachment<Control> {
  readonly #attach: (signal: AbortSignal) => Promise<Control>;
  readonly #limits: Limits;
  #attached: { readonly control: Promise<Control>; readonly end: AbortController } | undefined;

  /** @param attach Its signal says when what is attached is to be let go of. */
  constructor(attach: (signal: AbortSignal) => Promise<Control>, limits = usualLimits) {
    this.#attach = attach;
    this.#limits = limits;
  }

  /** Looks again and again: browsers tell nobody when they are ready. Of what failed, only the last is told. */
  async until(complaint: string, look: (control: Control) => Promise<boolean>): Promise<void> {
    const end = Date.now() + this.#limits.longestMs;
    for (;;) {
      const seen = await this.#attempt(look).catch((error: Error) => error);
      if (seen === true) return;
      if (Date.now() > end) throw new Error(seen === false ? complaint : `${complaint}: ${seen.message}`);
      await wait(100);
    }
  }

  async #attempt(look: (control: Control) => Promise<boolean>): Promise<boolean> {
    const attached = this.#attached ?? this.#begin();
    const { attemptMs } = this.#limits;
    try {
      const control = await within(attemptMs, attached.control, 'attaching');
      return await within(attemptMs, look(control), 'looking');
    } catch (error) {
      if (this.#attached === attached) this.#attached = undefined;
      attached.end.abort();
      throw error;
    }
  }

  #begin() {
    const end = new AbortController();
    this.#attached = { control: this.#attach(end.signal), end };
    return this.#attached;
  }
}

async function within<Value>(ms: number, doing: Promise<Value>, what: string): Promise<Value> {
  const over = new AbortController();
  const late = wait(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} took more than ${ms} ms`);
  });
  try {
    return await Promise.race([doing, late]);
  } finally {
    over.abort();
    late.catch(() => undefined);
  }
}
