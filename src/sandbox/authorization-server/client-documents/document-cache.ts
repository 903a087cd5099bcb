/** Times are milliseconds since the epoch. */
interface Kept {
  readonly text: string;
  readonly since: number;
  readonly until: number;
}

/** A validated document, and for how long it may be used again. */
export interface FreshDocument {
  readonly text: string;
  readonly seconds: number;
}

/** Most documents kept; the least recently used goes first. */
const maxKept = 100;

/** Most fetches under way at once; more are refused, since each can take seconds. */
const maxUnderWay = 16;

/** Milliseconds until a document that does not suit may be fetched again. */
const soonestAgain = 10_000;

/**
 * Documents by client identifier, while they are fresh. Whoever asks for one that is being fetched waits for
 * that fetch. Failures are never kept: the draft forbids it, and a repaired document must work at once.
 */
export class DocumentShelf {
  readonly #kept = new Map<string, Kept>();
  readonly #underWay = new Map<string, Promise<string>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Undefined when too many fetches are under way.
   * @param suits whether a kept document will do; if not, it is fetched again before its time
   * @throws what `fetch` throws
   */
  async get(
    clientId: string,
    suits: (text: string) => boolean,
    fetch: () => Promise<FreshDocument>,
  ): Promise<string | undefined> {
    const kept = this.#kept.get(clientId);
    this.#kept.delete(clientId);
    if (kept !== undefined && this.#isUsable(kept, suits)) {
      this.#kept.set(clientId, kept);
      return kept.text;
    }
    const underWay = this.#underWay.get(clientId);
    if (underWay !== undefined) return underWay;
    if (this.#underWay.size >= maxUnderWay) return undefined;
    const fetched = this.#fetch(clientId, fetch).finally(() => this.#underWay.delete(clientId));
    this.#underWay.set(clientId, fetched);
    return fetched;
  }

  #isUsable(kept: Kept, suits: (text: string) => boolean): boolean {
    const now = this.#now();
    return kept.until > now && (now < kept.since + soonestAgain || suits(kept.text));
  }

  async #fetch(clientId: string, fetch: () => Promise<FreshDocument>): Promise<string> {
    const { text, seconds } = await fetch();
    if (seconds > 0) {
      const since = this.#now();
      this.#kept.set(clientId, { text, since, until: since + seconds * 1000 });
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    }
    return text;
  }
}
