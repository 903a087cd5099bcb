import type { Failure } from '../core/failure.js';
import { ByteCollector, withoutMark } from '../core/text/bytes.js';
import type { JsonObject } from '../core/text/json.js';
import { jsonText } from '../core/text/json-number.js';
import type { Outcome, Refusal } from '../mcp/exchange.js';
import { protocolBroken, resultMissing, statusFailed } from '../mcp/failures.js';
import type { Incoming, MessageHost } from '../mcp/inbound.js';
import { type MessageText, messageOf, namedError } from '../mcp/messages.js';
import type { Pending, PendingRequests } from '../mcp/pending.js';
import { type MessageShape, type ScannedText, scanText, textMember } from '../mcp/scan-message.js';
import { serverWords } from '../tokens/server-words.js';
import { hostRefusedInput, responseMissing } from './failures.js';
import type { HostPipe } from './host-pipe.js';
import type { LentTools } from './lent-tools.js';

const lineFeed = 0x0a;

const carriageReturn = 0x0d;

const space = 0x20;

const batchProblems = {
  batch: 'it sent a batch of messages, which the revision that was agreed on has not',
  long_batch: 'it sent a batch of more than 10,000 messages',
} as const;

interface ServerMessagesOptions {
  readonly server: string;
  readonly pipe: Pick<HostPipe, 'write' | 'isFull' | 'whenDrained'>;
  /** The host's requests. */
  readonly pending: PendingRequests;
  /** Undefined: every tool is lent. */
  readonly lent: LentTools | undefined;
  /** The negotiated revision. */
  readonly revision: () => string | undefined;
}

interface Scanned extends Incoming {
  readonly messages: readonly MessageShape[];
}

/** Questions to the host that have no answer yet: of all translated requests together. */
const maxAsked = 1_000;

/** Writes the server's messages to the host's pipe: the bytes that came, each message on one line. */
export class ServerMessages implements MessageHost {
  readonly keepsTexts = true;
  readonly #options: ServerMessagesOptions;
  readonly #asked = new Map<string, (response: Uint8Array | undefined) => void>();
  #isDeaf = false;

  constructor(options: ServerMessagesOptions) {
    this.#options = options;
  }

  read(given: Uint8Array, asked: Pending | undefined): Scanned | undefined {
    const whole = withoutMark(given);
    const { lent } = this.#options;
    const first = this.#scan(whole);
    const text = lent === undefined || first === undefined ? whole : lent.filtered(whole);
    const scanned = text === undefined || text === whole ? first : this.#scan(text);
    if (text === undefined || scanned === undefined) return undefined;
    const { messages, spans } = scanned;
    const [message] = messages;
    if (spans.length > 0 || asked === undefined || message?.kind !== 'error' || message.id !== undefined) {
      return { text, messages };
    }
    return this.read(namedError(asked.idBytes, text.subarray(...(message.error ?? []))), undefined);
  }

  #scan(text: Uint8Array): ScannedText | undefined {
    const scanned = scanText(text, allowsBatches(this.#options.revision()));
    const why = scanned === 'batch' || scanned === 'long_batch' ? batchProblems[scanned] : undefined;
    if (why !== undefined) throw protocolBroken(this.#options.server, why);
    return typeof scanned === 'string' ? undefined : scanned;
  }

  write({ text, messages: [message] }: Scanned): void {
    if (this.#options.lent?.isOwn(message?.id)) return;
    this.#options.pipe.write(oneLine(text));
  }

  revisionIn({ text, messages: [message] }: Scanned): string | undefined {
    return message && textMember(text, message.result, 'protocolVersion');
  }

  get isFull(): boolean {
    return this.#options.pipe.isFull;
  }

  whenDrained(then: () => void): void {
    this.#options.pipe.whenDrained(then);
  }
  /** The response to a request of the host's: its `result`, or its `error`. @throws Failure `protocol_broken` */
  respond(request: Pending, response: JsonObject): void {
    const { server, pending } = this.#options;
    if (!pending.has(request) || request.isCancelled) return;
    const start = Buffer.from('{"jsonrpc":"2.0","id":');
    const text = Buffer.concat([start, request.idBytes, Buffer.from(','), Buffer.from(jsonText(response)).subarray(1)]);
    const incoming = this.read(text, request);
    if (incoming === undefined) throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    pending.settle(request);
    this.write(incoming);
  }

  /** What the host gets without having asked. */
  send({ text }: Pick<MessageText, 'text'>): void {
    const incoming = this.read(text, undefined);
    if (incoming !== undefined) this.write(incoming);
  }

  /** The host's input has ended: it answers no question any more. */
  inputEnded(): void {
    this.#isDeaf = true;
    for (const end of [...this.#asked.values()]) end(undefined);
  }

  /**
   * Asks the host, one of the older era. Its response.
   * @throws Failure `not_translated` where its input has ended; the signal's reason
   */
  async ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    if (this.#asked.size >= maxAsked) throw hostRefusedInput(method, 'it has too many questions to answer');
    const id = `postern-${crypto.randomUUID()}`;
    const key = `"${id}`;
    const end = () => this.#asked.get(key)?.(undefined);
    signal.addEventListener('abort', end, { once: true });
    let response: Uint8Array | undefined;
    try {
      response = await new Promise<Uint8Array | undefined>((resolve) => {
        this.#asked.set(key, resolve);
        this.send(messageOf({ id, method, ...(params && { params }) }));
        if (this.#isDeaf) resolve(undefined);
      });
    } finally {
      this.#asked.delete(key);
      signal.removeEventListener('abort', end);
    }
    if (response !== undefined) return response;
    const cancelled = { requestId: id, reason: 'The request that it was asked for has ended.' };
    this.send(messageOf({ method: 'notifications/cancelled', params: cancelled }));
    signal.throwIfAborted();
    throw hostRefusedInput(method, 'its input has ended');
  }

  /** Takes a response of the host's, if it is one to `ask`. */
  take({ text, message }: MessageText): boolean {
    const taken = this.#asked.get(message.id ?? '');
    taken?.(text);
    return taken !== undefined;
  }
}

/** Only revision 2025-03-26 has batches. */
export function allowsBatches(revision: string | undefined): boolean {
  return revision === '2025-03-26';
}

/** What some readers take for the end of a line: U+0085, U+2028 and U+2029. */
const otherLineEnds = [
  { bytes: Uint8Array.of(0xc2, 0x85), escaped: '\\u0085' },
  { bytes: Uint8Array.of(0xe2, 0x80, 0xa8), escaped: '\\u2028' },
  { bytes: Uint8Array.of(0xe2, 0x80, 0xa9), escaped: '\\u2029' },
].map(({ bytes, escaped }) => ({ bytes, escaped: new TextEncoder().encode(escaped) }));

/**
 * JSON on one line for every reader. Line ends of ASCII are white space, and become blanks. The others can only be in
 * strings, and are escaped.
 */
function oneLine(text: Uint8Array): Uint8Array {
  const bytes = text instanceof Buffer ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const isOne = bytes.indexOf(lineFeed) === -1 && bytes.indexOf(carriageReturn) === -1;
  const flat = isOne ? bytes : bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte));
  const mayHaveOther = bytes.indexOf(0xe2) !== -1 || bytes.indexOf(0xc2) !== -1;
  return mayHaveOther && otherLineEnds.some((end) => bytes.indexOf(end.bytes) !== -1) ? escaped(flat) : flat;
}

function escaped(text: Uint8Array): Uint8Array {
  const collector = new ByteCollector();
  let from = 0;
  for (let at = 0; at < text.byteLength; at += 1) {
    const lead = text[at];
    if (lead !== 0xc2 && lead !== 0xe2) continue;
    const found = otherLineEnds.find(({ bytes }) => bytes.every((byte, index) => text[at + index] === byte));
    if (found === undefined) continue;
    collector.push(text.subarray(from, at));
    collector.push(found.escaped);
    from = at + found.bytes.byteLength;
  }
  collector.push(text.subarray(from));
  return collector.take();
}

/** Why a request has no response, by how its exchange ended. */
export function noResponse(server: string, method: string, outcome: Outcome | undefined): Failure {
  if (outcome?.kind === 'refused') return refusedBy(server, outcome);
  if (outcome?.kind === 'stream' && (outcome.error !== undefined || method !== 'server/discover'))
    return responseMissing(server, outcome.error);
  if (outcome?.kind === 'empty' && outcome.status !== 200) return resultMissing(server, outcome.status);
  return protocolBroken(server, `it gave no answer to ${method}`);
}

export function refusedBy(server: string, refused: Refusal): Failure {
  return statusFailed(server, refused, serverWords(refused));
}
