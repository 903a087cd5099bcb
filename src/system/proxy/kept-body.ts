import { ByteCollector } from '../../primitives/collect-bytes.js';
import type { BodySource } from '../http/body-source.js';
import type { BodyTaker } from './caller/under-way.js';

/** The body of a request, on its way and, up to 1 MiB, kept for a second try. */
export interface KeptBody extends BodyTaker {
  /** Can what was sent be sent again? */
  readonly replayable: boolean;
  /** All of it, where it was read whole. */
  readonly whole: Uint8Array | undefined;
  /** Is the caller waited for? */
  readonly waiting: boolean;
  /** For one try: from the beginning, then on as it comes. */
  open(): Uint8Array | BodySource | null;
}

/** What becomes of a body is told. */
export interface BodyWatcher {
  /** A body that was waited for is there. */
  ready(): void;
  /** A piece has come. */
  progress(): void;
  /** More can be taken. */
  goOn(): void;
}

/** No body at all. */
export const noBody: KeptBody = {
  replayable: true,
  whole: undefined,
  waiting: false,
  open: () => null,
  data: () => true,
  end: () => undefined,
};

/** A short body of announced length. */
export class WholeBody implements KeptBody {
  readonly replayable = true;
  readonly #watcher: BodyWatcher;
  readonly #pieces = new ByteCollector();
  whole: Uint8Array | undefined;

  constructor(watcher: BodyWatcher) {
    this.#watcher = watcher;
  }

  get waiting(): boolean {
    return this.whole === undefined;
  }

  open(): Uint8Array | null {
    return this.whole ?? null;
  }

  data(piece: Buffer): boolean {
    this.#watcher.progress();
    this.#pieces.push(piece);
    return true;
  }

  end(): void {
    this.whole = this.#pieces.take();
    this.#watcher.ready();
  }
}
