/**
 * Lets one task at a time through for each key, in order of arrival: a code or refresh token that two
 * requests bring at once is used by the first and found used by the second (RFC 6749 section 4.1.2).
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>();

  async run(key: string | undefined, task: () => Promise<void>): Promise<void> {
    if (key === undefined) return task();
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(task);
    const settled = mine.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
