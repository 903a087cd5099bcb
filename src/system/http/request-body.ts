import { Readable } from 'node:stream';
import type { OutboundRequest } from '../../primitives/outbound.js';

export interface BodyWatcher {
  /** A piece was taken: the request makes progress. */
  piece(): void;
  /** The caller's own stream failed. */
  failed(error: unknown): void;
}

/**
 * A body as undici takes it. A stream is passed on piece by piece as the connection takes it; it ends
 * with the request: when `signal` is aborted its source is told to return, and is not waited for.
 */
export function requestBody(
  body: OutboundRequest['body'],
  signal: AbortSignal,
  watcher: BodyWatcher,
): string | Uint8Array | Readable | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array
    ? body
    : Readable.from(pieces(body, signal, watcher), { objectMode: false });
}

async function* pieces(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  watcher: BodyWatcher,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let leave: (reason: unknown) => void = () => undefined;
  signal.addEventListener('abort', () => leave(signal.reason), { once: true });
  let done = false;
  try {
    while (!signal.aborted) {
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        leave = reject;
        iterator.next().then(resolve, reject);
      });
      if (result.done === true) {
        done = true;
        return;
      }
      watcher.piece();
      yield result.value;
    }
  } catch (error) {
    if (!signal.aborted) watcher.failed(error);
    throw error;
  } finally {
    if (!done) iterator.return?.().catch(() => undefined);
  }
}
