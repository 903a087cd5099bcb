import { EventByteReader } from '../../core/text/event-stream.js';
import type { SentResponse } from '../wire/response.js';

/** Of a response of the SDK, in bytes. */
const largestEvent = 32 * 1024 * 1024;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The response of the SDK as one of ours. An event stream that turns out to hold one response and nothing
 * else becomes plain JSON: both forms are right, and clients must be ready for both (Streamable HTTP).
 */
export async function responseOf(response: Response, signal: AbortSignal): Promise<SentResponse> {
  const { status } = response;
  const headers = [...response.headers];
  if (response.body === null || !isEventStream(response)) {
    return { status, headers, body: new Uint8Array(await response.arrayBuffer()) };
  }
  const reader: Reader = response.body.getReader();
  // Whoever is gone needs no more: the SDK hears of it at once, not with its next event.
  const leave = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const { chunks, lone } = await firstOf(reader);
  if (lone === undefined) return { status, headers, body: streamed(chunks, reader) };
  const others = headers.filter(([name]) => name !== 'content-type' && name !== 'connection');
  return { status, headers: [...others, ['content-type', 'application/json']], body: Buffer.from(lone) };
}

/** The response to a GET: an event stream from its first byte on, even while there is nothing to tell. */
export function streamOf(response: Response, signal: AbortSignal): Promise<SentResponse> | SentResponse {
  if (response.body === null || !isEventStream(response)) return responseOf(response, signal);
  const reader: Reader = response.body.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  return { status: response.status, headers: [...response.headers], body: streamed([], reader) };
}

function isEventStream(response: Response): boolean {
  return (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/** Reads until it is clear which form fits: `lone` is the only message of a stream that ended with it. */
async function firstOf(reader: Reader): Promise<{ chunks: readonly Uint8Array[]; lone?: string }> {
  const events = new EventByteReader(largestEvent);
  const chunks: Uint8Array[] = [];
  const messages: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    const [lone, ...others] = messages;
    if (done) return lone === undefined || others.length > 0 ? { chunks } : { chunks, lone };
    chunks.push(value);
    const found = events.push(value) ?? [];
    messages.push(...found.map(({ data }) => new TextDecoder().decode(data)).filter((data) => data !== ''));
    // A sign of life, a request or a notification: the caller should hear of it now.
    if (found.length === 0 || messages.some((message) => 'method' in JSON.parse(message))) return { chunks };
  }
}

async function* streamed(chunks: readonly Uint8Array[], reader: Reader): AsyncGenerator<Uint8Array> {
  yield* chunks;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
