import type { Ports } from '../../ports.js';
import { mediaTypeIs } from '../../primitives/media-type.js';
import type { Message } from '../../protocol/mcp/messages.js';
import { openStream } from '../../protocol/mcp/session.js';
import { header, type Surroundings, streamed } from './receive.js';

/** How long a call waits for a server to take the stream; most answer at once, some only with the first event. */
const openingMs = 1_000;

export interface StreamOptions extends Surroundings {
  /** Takes what the server sends on it. */
  readonly take: (message: Message) => Promise<void>;
}

/**
 * The session's standing event stream (GET), on which a server may ask the person something in the middle of a call.
 * It is a courtesy: a server that has none (405, 404), or that breaks it, is called without. Closed by disposing.
 */
export async function openStandingStream(
  ports: Pick<Ports, 'clock'>,
  options: StreamOptions,
): Promise<AsyncDisposable> {
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let reading = Promise.resolve();
  const opened = new Promise<void>((resolve) => {
    reading = read(options, signal, resolve).catch(() => resolve());
  });
  const waiting = new AbortController();
  const patience = ports.clock
    .sleep(openingMs, AbortSignal.any([signal, waiting.signal]))
    .catch(() => undefined);
  await Promise.race([opened, patience]);
  waiting.abort();
  options.signal.throwIfAborted();
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await reading;
    },
  };
}

async function read(options: StreamOptions, signal: AbortSignal, opened: () => void): Promise<void> {
  const { transport, state, take, allowance } = options;
  await using response = await openStream(transport, state, signal);
  opened();
  if (response.status !== 200 || !mediaTypeIs(header(response, 'content-type'), 'text/event-stream')) {
    return;
  }
  const position = { lastEventId: undefined, retryMs: 0 };
  for await (const messages of streamed(state, allowance, response, position)) {
    for (const message of messages) await take(message);
  }
}
