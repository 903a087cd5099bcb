import type { CorePorts } from '../core/ports.js';
import { collectBytes } from '../core/text/bytes.js';
import { mediaTypeIs } from '../core/text/characters.js';
import { EventByteReader, type EventBytes } from '../core/text/event-stream.js';
import type { HttpResponse } from '../http/request.js';
import { httpFailed, protocolBroken } from '../mcp/failures.js';
import { type Message, parseMessages } from '../mcp/messages.js';
import type { Allowance } from './allowance.js';
import { openStream, type ProtectedTransport, resumeStream, type SessionState } from './session.js';

/** A stream that breaks is taken up again so many times in a row without a message in between. */
const mostResumptions = 5;

const defaultRetryMs = 1_000;

/** Where in an event stream we are, for taking it up again. */
export interface Position {
  lastEventId: string | undefined;
  retryMs: number;
}

/** What the answers of one call have in common. */
export interface Surroundings {
  readonly transport: ProtectedTransport;
  readonly state: SessionState;
  readonly allowance: Allowance;
  readonly signal: AbortSignal;
}

/**
 * The messages that answer a POST: one JSON body, or an event stream, taken up again after its last event when it ends
 * before the caller has what it wants (the caller stops reading then).
 * @throws Failure `http_failed`, `protocol_broken`, `too_large`, or the HTTP client's
 */
export async function* receive(
  ports: Pick<CorePorts, 'clock'>,
  { transport, state, allowance, signal }: Surroundings,
  first: HttpResponse,
): AsyncGenerator<Iterable<Message>, void, undefined> {
  const type = header(first, 'content-type');
  if (mediaTypeIs(type, 'application/json')) {
    const { largestMessage } = allowance;
    const body = allowance.count(first.body);
    yield parsed(state, await collectBytes(body, largestMessage, () => allowance.tooLarge()));
    return;
  }
  if (!mediaTypeIs(type, 'text/event-stream')) {
    throw protocolBroken(state.server, 'its answer is neither JSON nor an event stream');
  }
  const position: Position = { lastEventId: undefined, retryMs: defaultRetryMs };
  let response = first;
  for (let resumptions = 0; resumptions <= mostResumptions; resumptions += 1) {
    try {
      for await (const messages of streamed(state, allowance, response, position)) {
        yield passing(messages, () => {
          resumptions = 0;
        });
      }
    } finally {
      // The first answer is the caller's own to close.
      await (response === first ? undefined : response[Symbol.asyncDispose]());
    }
    if (position.lastEventId === undefined) break;
    await ports.clock.sleep(position.retryMs, signal);
    response = await resumeStream(transport, state, position.lastEventId, signal);
    if (response.status !== 200 || !mediaTypeIs(header(response, 'content-type'), 'text/event-stream')) {
      await response[Symbol.asyncDispose]();
      throw httpFailed(state.server, response.status);
    }
  }
  throw protocolBroken(state.server, 'its event stream ended before the answer came');
}

/**
 * The messages of one event stream as it comes, and where it is: those of a chunk at once, since to wait for each by
 * itself would take most of the time that it takes. Each is parsed when it is asked for.
 * @throws Failure `protocol_broken`, `too_large`, or the HTTP client's
 */
export async function* streamed(
  state: SessionState,
  allowance: Allowance,
  response: HttpResponse,
  position: Position,
): AsyncGenerator<Iterable<Message>, void, undefined> {
  const reader = new EventByteReader(allowance.largestMessage, allowance.largestMessage);
  for await (const chunk of allowance.count(response.body)) {
    const linesBefore = reader.lines;
    const events = reader.push(chunk);
    if (events === undefined) throw allowance.tooLarge();
    allowance.countPieces(reader.lines - linesBefore, events.length);
    if (events.length > 0) yield messagesOf(state, events, position);
  }
}

function* messagesOf(
  state: SessionState,
  events: readonly EventBytes[],
  position: Position,
): Generator<Message, void, undefined> {
  for (const event of events) {
    remember(position, event);
    if (event.data.byteLength > 0 && (event.event === '' || event.event === 'message')) {
      yield* parsed(state, event.data);
    }
  }
}

function* passing(messages: Iterable<Message>, passed: () => void): Generator<Message, void, undefined> {
  for (const message of messages) {
    passed();
    yield message;
  }
}

function remember(position: Position, event: EventBytes): void {
  if (event.id !== undefined) position.lastEventId = event.id === '' ? undefined : event.id;
  position.retryMs = event.retry ?? position.retryMs;
}

function parsed(state: SessionState, bytes: Uint8Array): readonly Message[] {
  const messages = parseMessages(bytes);
  if (messages === undefined) throw protocolBroken(state.server, 'it sent something that is no JSON-RPC message');
  return messages;
}

/** The value of a header that occurs once. */
export function header(response: HttpResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key === name)?.[1];
}

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
  ports: Pick<CorePorts, 'clock'>,
  options: StreamOptions,
): Promise<AsyncDisposable> {
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let reading = Promise.resolve();
  const opened = new Promise<void>((resolve) => {
    reading = read(options, signal, resolve).catch(() => resolve());
  });
  const waiting = new AbortController();
  const patience = ports.clock.sleep(openingMs, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
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
  if (response.status !== 200 || !mediaTypeIs(header(response, 'content-type'), 'text/event-stream')) return;
  const position = { lastEventId: undefined, retryMs: 0 };
  for await (const messages of streamed(state, allowance, response, position)) {
    for (const message of messages) await take(message);
  }
}
