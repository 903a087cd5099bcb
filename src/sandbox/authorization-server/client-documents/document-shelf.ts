interface Kept {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** A judged document, and for how long it may be used again. */
export interface FreshDocument {
  readonly text: string;
  readonly seconds: number;
}

/** Most documents kept; the least recently used goes first. */
const mostKept = 100;
/** Most fetches under way at once; more are refused, since each can take seconds. */
const mostUnderWay = 16;

/**
 * Documents by client identifier, while they are fresh. Whoever asks for one that is being fetched waits for
 * that fetch. Failures are never kept: the draft forbids it, and a mended document must work at once.
 */
export class DocumentShelf {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<string>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Undefined when too many fetches are under way. @throws what `fetch` throws */
  async get(clientId: string, fetch: () => Promise<FreshDocument>): Promise<string | undefined> {
    const kept = this.#kept.get(clientId);
    this.#kept.delete(clientId);
    if (kept !== undefined && kept.until > this.#now()) {
      this.#kept.set(clientId, kept);
      return kept.text;
    }
    const underWay = this.#underWay.get(clientId);
    if (underWay !== undefined) return underWay;
    if (this.#underWay.size >= mostUnderWay) return undefined;
    const fetched = this.#fetch(clientId, fetch).finally(() => this.#underWay.delete(clientId));
    this.#underWay.set(clientId, fetched);
    return fetched;
  }

  /** The next request for it fetches it anew. */
  forget(clientId: string): void {
    this.#kept.delete(clientId);
  }

  async #fetch(clientId: string, fetch: () => Promise<FreshDocument>): Promise<string> {
    const { text, seconds } = await fetch();
    if (seconds > 0) {
      this.#kept.set(clientId, { text, until: this.#now() + seconds * 1000 });
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    }
    return text;
  }
}
