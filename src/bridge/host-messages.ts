import { Failure } from '../core/failure.js';
import { remedyAt } from '../core/login-command.js';
import { asciiJson, printable } from '../core/text/printable.js';
import { saysOlder } from '../mcp/eras.js';
import type { Outcome } from '../mcp/exchange.js';
import { ownRevision } from '../mcp/headers/message-headers.js';
import { namedError, refusal, rpcCode } from '../mcp/messages.js';
import type { Pending, PendingRequests } from '../mcp/pending.js';
import { isResponse, type MessageShape, scanText } from '../mcp/scan-message.js';
import type { SplitLine } from '../mcp/stdio/line-splitter.js';
import type { HostPipe } from './host-pipe.js';
import type { LentTools } from './lent-tools.js';
import { allowsBatches, noResponse, refusedBy } from './server-messages.js';
import type { TwoEras } from './translation/two-eras.js';

/** How many messages, and bytes of them, may be under way before the host has to wait. */
const maxUnderWay = 1_000;

const maxBytesUnderWay = 8 * 1024 * 1024;

const refused = {
  not_json: [rpcCode.notJson, 'A line is not JSON in UTF-8; it was not passed on.'],
  not_a_message: [rpcCode.notAMessage, 'A line is JSON and no JSON-RPC message; it was not passed on.'],
  batch: [rpcCode.notAMessage, 'The revision that is spoken here has no batches.'],
  long_batch: [rpcCode.notAMessage, 'A batch has more than 10,000 messages; it was not passed on.'],
} as const;

/** The server that this bridge leads to. */
export interface Destination {
  readonly server: string;
  readonly client: Pick<TwoEras, 'request' | 'tell' | 'take' | 'revision'>;
}

interface HostMessagesParts {
  readonly host: HostPipe;
  /** The server may not be known yet: then each message looks for it again. */
  readonly way: { readonly opened: Destination | undefined; ready(): Promise<Destination> };
  readonly pending: PendingRequests;
  readonly tell: (line: string) => void;
  /** Undefined: every tool is lent. */
  readonly lent: LentTools | undefined;
  /** Most bytes of one message. */
  readonly maxMessageBytes: number;
}

/** The host's messages: validated, and sent in order. */
export class HostMessages {
  readonly #parts: HostMessagesParts;
  /** The opening of a session: what comes after it has to wait. */
  #opening: Promise<void> | undefined;
  /** Notifications keep their order. */
  #sent: Promise<void> = Promise.resolve();
  #underWay = 0;
  #bytes = 0;
  #isPaused = false;
  #awaitsHost = false;
  /** The failure that was printed last: requests often fail alike. */
  #printed = '';

  constructor(parts: HostMessagesParts) {
    this.#parts = parts;
  }

  /** Resolves once the notifications that came have been sent. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  /** Looks for the server. Hosts show nobody what fails here: each request says it again. */
  async begin(): Promise<void> {
    const { way } = this.#parts;
    await way.ready().catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      this.#print(error);
    });
  }

  take(line: SplitLine): void {
    const { host, way, maxMessageBytes } = this.#parts;
    if (line === 'too_long') {
      const max = `${maxMessageBytes / 1024 / 1024} MiB`;
      host.write(refusal(rpcCode.notAMessage, `A message is larger than ${max}; it was not passed on.`));
      return;
    }
    const scanned = scanText(line, allowsBatches(way.opened?.client.revision));
    if (typeof scanned === 'string') {
      const [code, why] = refused[scanned];
      host.write(refusal(code, why));
      return;
    }
    const { messages, spans } = scanned;
    // A batch is sent one by one: over HTTP its responses come one by one, too.
    for (const span of spans) this.take(line.subarray(...span));
    const [message] = messages;
    if (spans.length === 0 && message !== undefined && !this.#isRefused(line, message)) this.#pass(line, message);
  }

  /** Is it a call of a tool that is not lent? Of what has no id the server is not asked first. */
  #isRefused(line: Uint8Array, message: MessageShape): boolean {
    const validated = this.#parts.lent?.validate(line);
    if (validated?.kind === 'refused') this.#respondWithRefusal(validated.response, message);
    const isUnknown = validated?.kind === 'unknown' && message.kind !== 'request';
    if (isUnknown) this.#respondWithRefusal(undefined, message);
    return validated?.kind === 'refused' || isUnknown;
  }

  #respondWithRefusal(response: Uint8Array | undefined, { params: { name }, method }: MessageShape): void {
    const { host, tell } = this.#parts;
    if (response !== undefined) host.write(response);
    tell(`Not passed on: ${method}${name === undefined ? '' : ` of ${name}`}, as only some tools are lent here.`);
  }

  #pass(line: Uint8Array, message: MessageShape): void {
    // Only what was opening when this came: waiting for a later opening could deadlock.
    const before = this.#opening;
    if (message.kind === 'request') {
      this.#begin(line, this.#request(line, message, before));
    } else if (message.method === 'notifications/cancelled') {
      this.#begin(line, this.#cancel(line, message, before));
    } else if (isResponse(message)) {
      this.#begin(line, this.#tell(line, message, before));
    } else {
      const sent = this.#sent.then(() => this.#tell(line, message, before));
      this.#sent = sent;
      if (message.method === 'notifications/initialized') this.#holdUp(sent);
      this.#begin(line, sent);
    }
  }

  async #request(line: Uint8Array, message: MessageShape, before: Promise<void> | undefined): Promise<void> {
    const { host, way, pending: all, lent } = this.#parts;
    const { id, idBytes } = message;
    if (id === undefined || idBytes === undefined) return;
    const pending = all.add({
      id,
      idBytes: line.subarray(...idBytes),
      method: message.method,
      isModern: ownRevision(message) !== undefined,
    });
    if (pending === undefined) {
      host.write(refusal(rpcCode.notAMessage, 'A request has the id of another one that has no answer yet.'));
      return;
    }
    if (message.method === 'initialize') this.#holdUp(pending.settled);
    try {
      if (before !== undefined) await before;
      if (pending.isCancelled) return;
      const { server, client } = way.opened ?? (await way.ready());
      const validated = await lent?.validateKnown(line, client);
      if (validated?.kind === 'refused') {
        if (!pending.isCancelled) this.#respondWithRefusal(validated.response, message);
        return;
      }
      const outcome = await client.request(line, message, pending);
      if (outcome !== undefined && !isPassedOn(outcome, pending, client))
        throw noResponse(server, pending.method, outcome);
    } catch (error) {
      this.#respondWithFailure(pending, error);
    } finally {
      all.settle(pending);
    }
  }

  /** In the newer era ending the exchange cancels the request. */
  async #cancel(line: Uint8Array, message: MessageShape, before: Promise<void> | undefined): Promise<void> {
    const { pending: all } = this.#parts;
    const pending = all.find(message.params.requestId);
    if (pending !== undefined) pending.isCancelled = true;
    if (pending?.isModern) {
      pending.exchange?.abort(undefined);
      return;
    }
    await this.#tell(line, message, before);
  }

  async #tell(line: Uint8Array, message: MessageShape, before: Promise<void> | undefined): Promise<void> {
    const { way, tell } = this.#parts;
    try {
      if (before !== undefined) await before;
      const { server, client } = way.opened ?? (await way.ready());
      const refused = await client.tell(line, message);
      if (refused !== undefined) throw refusedBy(server, refused);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tell(`${message.method === '' ? 'An answer' : message.method} was not taken: ${error.message} ${error.remedy}`);
    }
  }

  #holdUp(opening: Promise<void>): void {
    const held = opening.finally(() => {
      if (this.#opening === held) this.#opening = undefined;
    });
    this.#opening = held;
  }

  #respondWithFailure(pending: Pending, error: unknown): void {
    const { host, pending: all } = this.#parts;
    if (!all.has(pending) || pending.isCancelled) return;
    if (!(error instanceof Failure)) throw error;
    const { code, message } = error;
    const failure = { code, message, remedy: remedyAt(error, this.#parts.way.opened?.server) };
    all.settle(pending);
    // A server of the older era may refuse this in any form: by this code each host knows that it wants `initialize`.
    const isOlder = pending.method === 'server/discover' && saysOlder(error);
    host.write(failureResponse(pending.idBytes, failure, isOlder ? rpcCode.unknownMethod : undefined));
    this.#print(failure);
  }

  #print({ message, remedy }: ShownFailure): void {
    const line = `${message} ${remedy}`;
    if (line !== this.#printed) this.#parts.tell(line);
    this.#printed = line;
  }

  /** Counts what is under way, and lets the host wait if it is too much. */
  #begin(line: Uint8Array, work: Promise<void>): void {
    this.#underWay += 1;
    this.#bytes += line.byteLength;
    this.#balance();
    void work.finally(() => {
      this.#underWay -= 1;
      this.#bytes -= line.byteLength;
      this.#balance();
    });
  }

  #balance(): void {
    const { host } = this.#parts;
    const isMuch = this.#underWay >= maxUnderWay || this.#bytes >= maxBytesUnderWay || host.isFull;
    if (host.isFull && !this.#awaitsHost) {
      this.#awaitsHost = true;
      host.whenDrained(() => {
        this.#awaitsHost = false;
        this.#balance();
      });
    }
    if (isMuch === this.#isPaused) return;
    this.#isPaused = isMuch;
    if (!isMuch) host.resume();
    else host.pause();
  }
}

/** Passes on a response in the body of a refusal, even if it does not name the request. */
function isPassedOn(outcome: Outcome, pending: Pending, client: Pick<TwoEras, 'take'>): boolean {
  if (outcome.kind !== 'refused' || outcome.body.byteLength === 0) return false;
  const scanned = scanText(outcome.body);
  if (typeof scanned === 'string') return false;
  const [message] = scanned.messages;
  if (message === undefined || !isResponse(message)) return false;
  return [pending.id, undefined].includes(message.id) && client.take(outcome.body, pending);
}

const longest = 2048;

const loginCodes: ReadonlySet<string> = new Set([
  'login_needed',
  'login_expired',
  'login_changed',
  'login_under_way',
  'login_needs_person',
  'insufficient_scope',
  'token_refused',
  'dpop_needed',
]);

type ShownFailure = Pick<Failure, 'code' | 'message' | 'remedy'>;

/** The response to a request that could not be passed on: what happened and what to type, in words and in `data`. */
function failureResponse(id: Uint8Array, failure: ShownFailure, own?: number): Uint8Array {
  const [message, remedy] = [failure.message, failure.remedy].map((text) => printable(text, longest));
  const other = failure.code === 'not_translated' ? rpcCode.notTranslated : rpcCode.notDelivered;
  const code = own ?? (loginCodes.has(failure.code) ? rpcCode.loginNeeded : other);
  const error = asciiJson({ code, message: `${message} ${remedy}`, data: { code: failure.code, remedy } });
  return namedError(id, Buffer.from(error));
}
