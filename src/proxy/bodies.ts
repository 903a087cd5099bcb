import { ByteCollector } from '../core/text/bytes.js';
import type { RequestFraming } from '../relay/heads.js';
import type { BodySink, BodySource } from '../relay/request-writer.js';
import type { BodyHandler } from '../relay/server-request.js';
import { proxyLimits } from './limits.js';

/** The body of a request, on its way and, up to 1 MiB, kept for a second try. */
export interface KeptBody extends BodyHandler {
  /** Can what was sent be sent again? */
  readonly replayable: boolean;
  /** All of it, where it was read whole. */
  readonly whole: Uint8Array | undefined;
  /** Is the caller waited for? */
  readonly waiting: boolean;
  /** For one try: from the beginning, then on as it comes. */
  open(): Uint8Array | BodySource | null;
}

/** Learns how a body goes on. */
export interface BodyWatcher {
  /** A body that was waited for is there. */
  ready(): void;
  /** A piece has come. */
  progress(): void;
  /** More can be taken. */
  goOn(): void;
}

/** No body at all. */
const noBody: KeptBody = {
  replayable: true,
  whole: undefined,
  waiting: false,
  open: () => null,
  data: () => true,
  end: () => undefined,
};

/** A short body of announced length. */
class WholeBody implements KeptBody {
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

/** The body of a request by its framing. When it is `waiting` from the beginning, `ready` is called later. */
export function keepBody(framing: RequestFraming, watcher: BodyWatcher): KeptBody {
  if (framing.kind !== 'length') return framing.kind === 'none' ? noBody : new StreamedBody(undefined, watcher);
  const { length } = framing;
  return length <= proxyLimits.wholeBody ? new WholeBody(watcher) : new StreamedBody(length, watcher);
}

/** A body that is passed on piece by piece, as fast as the server takes it. */
export class StreamedBody implements KeptBody {
  readonly whole = undefined;
  readonly #length: number | undefined;
  readonly #watcher: BodyWatcher;
  /** What may be wanted again, and what has not been taken yet. */
  #pieces: Buffer[] = [];
  #size = 0;
  /** What keeping them costs. */
  #kept = 0;
  #ended = false;
  /** Is the caller paused? */
  #held = false;
  #try: Try | undefined;

  constructor(length: number | undefined, watcher: BodyWatcher) {
    this.#length = length;
    this.#watcher = watcher;
  }

  get replayable(): boolean {
    return this.#kept <= proxyLimits.keptBody;
  }

  get waiting(): boolean {
    return !this.#ended && !this.#held && this.#try !== undefined;
  }

  open(): BodySource {
    this.#try = new Try(this, this.#length);
    return this.#try;
  }

  data(piece: Buffer): boolean {
    this.#watcher.progress();
    this.#size += piece.byteLength;
    this.#kept += piece.byteLength + proxyLimits.costOfPiece;
    this.#pieces.push(this.replayable ? Buffer.from(piece) : piece);
    // Without a try under way only so much is taken in advance.
    const goOn = this.#try === undefined ? this.#size < proxyLimits.wholeBody : this.#try.give();
    this.#held = !goOn;
    return goOn;
  }

  end(): void {
    this.#ended = true;
    this.#try?.give();
  }

  /** The piece at a place in the order in which they came; what cannot be wanted again is let go. */
  take(at: number): Buffer | undefined {
    if (this.replayable || at < this.#pieces.length) return this.#pieces[at];
    this.#pieces = [];
    return undefined;
  }

  /** Where a try goes on that has had so many. */
  indexAfter(at: number): number {
    return Math.min(at, this.#pieces.length);
  }

  /** A try has had all that there is. True: there will be no more. */
  wants(one: Try): boolean {
    if (this.#held && !this.#ended && one === this.#try) {
      this.#held = false;
      this.#watcher.goOn();
    }
    return this.#ended;
  }
}

/** The body as one try sends it: from the beginning, then on as it comes. */
class Try implements BodySource {
  readonly length: number | undefined;
  readonly #body: StreamedBody;
  #sink: BodySink | undefined;
  #at = 0;
  #blocked = false;

  constructor(body: StreamedBody, length: number | undefined) {
    this.#body = body;
    this.length = length;
  }

  start(sink: BodySink): void {
    this.#sink = sink;
    this.give();
  }

  resume(): void {
    this.#blocked = false;
    this.give();
  }

  stop(): void {
    this.#sink = undefined;
  }

  /** Gives what there is. True: and could give more. */
  give(): boolean {
    const body = this.#body;
    while (this.#sink !== undefined && !this.#blocked) {
      const piece = body.take(this.#at);
      this.#at = piece === undefined ? body.indexAfter(this.#at) : this.#at + 1;
      if (piece !== undefined) this.#blocked = !this.#sink.bodyPiece(piece);
      else if (!body.wants(this)) return true;
      else {
        const sink = this.#sink;
        this.#sink = undefined;
        sink.bodyEnd();
      }
    }
    return false;
  }
}
