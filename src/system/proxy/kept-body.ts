import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BodySource } from '../http/body-source.js';
import type { Framing } from './admit.js';
import { proxyLimits } from './limits.js';
import { ReadableBody } from './readable-body.js';

/** The body of a request, on its way and, up to 1 MiB, kept for a second try. */
export interface KeptBody {
  /** Can what was sent be sent again? */
  readonly replayable: boolean;
  /** All of it, where it was read whole. */
  readonly whole: Uint8Array | undefined;
  /** Is the caller waited for? */
  readonly waiting: boolean;
  /** For one try: from the beginning, then on as it comes. */
  open(): Uint8Array | BodySource | null;
}

/** No body at all. */
export const noBody: KeptBody = { replayable: true, whole: undefined, waiting: false, open: () => null };

/** A short body of announced length: `ready` is called when it is there. */
export class WholeBody implements KeptBody {
  readonly replayable = true;
  whole: Uint8Array | undefined;

  constructor(request: IncomingMessage, ready: () => void) {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => void chunks.push(chunk));
    request.once('end', () => {
      const [first] = chunks;
      this.whole = chunks.length === 1 ? first : Buffer.concat(chunks);
      ready();
    });
  }

  get waiting(): boolean {
    return this.whole === undefined;
  }

  open(): Uint8Array | null {
    return this.whole ?? null;
  }
}

/** A body that is passed on piece by piece, as fast as the server takes it. */
export class StreamedBody implements KeptBody {
  readonly whole = undefined;
  readonly #length: number | undefined;
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #progress: () => void;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #ended = false;
  #pulling: Promise<void> | undefined;

  constructor(request: IncomingMessage, length: number | undefined, progress: () => void) {
    this.#length = length;
    this.#source = request[Symbol.asyncIterator]();
    this.#progress = progress;
  }

  get replayable(): boolean {
    return this.#size <= proxyLimits.keptBody;
  }

  get waiting(): boolean {
    return this.#pulling !== undefined;
  }

  open(): BodySource {
    return new ReadableBody(
      Readable.from(this.#read(), { objectMode: false, highWaterMark: 65_536 }),
      this.#length,
    );
  }

  /** A try that is given up leaves what it was waiting for to the next one. */
  async *#read(): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (;;) {
      for (let piece = this.#pieces[at]; piece !== undefined; piece = this.#pieces[at]) {
        at += 1;
        yield piece;
      }
      if (!this.replayable) {
        this.#pieces = [];
        at = 0;
      }
      if (this.#ended) return;
      if (this.#pulling === undefined) {
        this.#pulling = this.#pull();
        this.#pulling.catch(() => undefined); // whoever waits for it is told
      }
      await this.#pulling;
    }
  }

  async #pull(): Promise<void> {
    const result = await this.#source.next();
    this.#pulling = undefined;
    this.#progress();
    if (result.done === true) {
      this.#ended = true;
      return;
    }
    this.#size += result.value.byteLength;
    this.#pieces.push(result.value);
  }
}

/** The body of a request by its framing. When it is `waiting`, `ready` is called later; `progress` as pieces come. */
export function keepBody(
  request: IncomingMessage,
  framing: Framing,
  watcher: { ready(): void; progress(): void },
): KeptBody {
  if (framing.kind === 'length' && framing.length <= proxyLimits.wholeBody) {
    return new WholeBody(request, watcher.ready);
  }
  const length = framing.kind === 'length' ? framing.length : undefined;
  return framing.kind === 'none' ? noBody : new StreamedBody(request, length, watcher.progress);
}
