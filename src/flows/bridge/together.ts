/** Work that several want at the same time and that is done once. */
export class Together {
  readonly #underWay = new Map<string, Promise<void>>();

  /** Whoever asks for work of a name that is under way waits for that. @throws what the work throws */
  run(name: string, work: () => Promise<void>): Promise<void> {
    const running = this.#underWay.get(name);
    if (running !== undefined) return running;
    const promise = work().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, promise);
    return promise;
  }

  /** Resolves once what is under way now has ended, however. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.values());
  }
}
