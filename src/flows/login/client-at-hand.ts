import type { IdentifiedClient } from './identify-client.js';

/** The client of a login: identified at once, or, where that tells the authorization server of it, once a person has agreed. */
export class ClientAtHand {
  readonly #identify: () => Promise<IdentifiedClient>;
  #identifying: Promise<IdentifiedClient> | undefined;
  #found: IdentifiedClient | undefined;

  constructor(identify: () => Promise<IdentifiedClient>) {
    this.#identify = identify;
  }

  /** What is identified so far. */
  get found(): IdentifiedClient | undefined {
    return this.#found;
  }

  /** Identifies it, once. @throws as `identifyClient` */
  async get(): Promise<IdentifiedClient> {
    this.#identifying ??= this.#identify();
    this.#found = await this.#identifying;
    return this.#found;
  }
}
