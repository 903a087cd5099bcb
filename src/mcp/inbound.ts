import { Failure } from '../core/failure.js';
import type { EventBytes } from '../core/text/event-stream.js';
import { asObject, type JsonObject, parseObject, stringField } from '../core/text/json.js';
import { entriesAt, listOf, memberOf, membersAt } from '../core/text/json-members.js';
import { skipSpace } from '../core/text/json-scan.js';
import { quoted } from '../core/text/printable.js';
import { protocolBroken } from './failures.js';
import { brokenHeaderMark } from './headers/header-marks.js';
import { messageLimits } from './messages.js';
import type { Pending, PendingRequests } from './pending.js';
import { isResponse, type MessageShape } from './scan-message.js';
import type { Session } from './session.js';

/** A JSON text of the server, as the host has read it. */
export interface Incoming {
  readonly text: Uint8Array;
  /** Several in a batch. */
  readonly messages: readonly Pick<MessageShape, 'kind' | 'id'>[];
}

/** Takes the server's messages: a program behind stdin and stdout, or a command in this process. */
export interface MessageHost {
  /**
   * Undefined for what is no message.
   * @param asked The request that this responds to: an error without an id is its response.
   * @throws Failure `protocol_broken`
   */
  read(text: Uint8Array, asked: Pending | undefined): Incoming | undefined;
  /** Takes what `read` has returned, if it is for the host. Never blocks: look at `isFull`. */
  write(incoming: Incoming): void;
  /** The revision in a response to `initialize`. */
  revisionIn(incoming: Incoming): string | undefined;
  /** Whether texts are used after `write`. If not, their memory is reused. */
  readonly keepsTexts: boolean;
  readonly isFull: boolean;
  /** Calls once, when it is no longer full. */
  whenDrained(then: () => void): void;
}

interface InboundParts {
  readonly server: string;
  readonly host: MessageHost;
  readonly pending: PendingRequests;
  readonly session: Session;
  readonly tell: (line: string) => void;
  /** Takes lines on what was left out; absent: `tell` does. */
  readonly warn?: ((line: string) => void) | undefined;
}

/** Lines about tools that were left out, of one server. */
const maxReported = 100;

/** Messages from the server to the host. */
export class Inbound {
  readonly #parts: InboundParts;
  #unasked = 0;
  #broken = 0;
  /** Tools that were left out, and reported. */
  readonly #leftOut = new Set<string>();

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  /**
   * An event of a stream. False if it brings the host nothing. What is no message, such as a heartbeat, is reported and
   * left out. @throws as `MessageHost.read`, for the stream of a request
   */
  event({ event, data }: EventBytes, asked: Pending | undefined): boolean {
    if (data.byteLength === 0 || (event !== '' && event !== 'message')) return false;
    try {
      const isWanted = this.take(data, asked);
      return isWanted;
    } catch (error) {
      if (!(error instanceof Failure) || (asked !== undefined && error.code !== 'protocol_broken')) throw error;
      this.#broken += 1;
      this.#report(error.message, this.#broken, this.#parts.warn);
      return false;
    }
  }

  /**
   * One JSON text. Responses that were not asked for, or come twice, are left out: false.
   * @param asked as for `MessageHost.read`
   * @throws Failure `protocol_broken` where it is no message
   */
  take(text: Uint8Array, asked?: Pending): boolean {
    const { server, host } = this.#parts;
    const incoming = host.read(this.#kept(text, asked), asked);
    if (incoming === undefined) throw protocolBroken(server, 'it sent something that is no JSON-RPC message');
    if (this.#isWanted(incoming)) {
      for (const message of incoming.messages) this.#admit(incoming, message);
      host.write(incoming);
      return true;
    }
    this.#unasked += 1;
    this.#report('The server sent an answer that nobody waits for; it was left out.', this.#unasked);
    return false;
  }

  /**
   * In the newer era a tool whose marks for headers break the rules is none, and the marks of the others say what calls
   * carry. Looked at before the host reads the text: that may overwrite it.
   */
  #kept(text: Uint8Array, asked: Pending | undefined): Uint8Array {
    if (asked?.isModern !== true || asked.method !== 'tools/list') return text;
    const tools = markedTools(text);
    this.#parts.session.parameterHeaders.learn(tools);
    return withoutBrokenTools(text, tools, (tool, why) => {
      const line = `The tool ${quoted(tool, 128)} is left out of the list: ${why}.`;
      if (this.#leftOut.size >= maxReported || this.#leftOut.has(line)) return;
      this.#leftOut.add(line);
      (this.#parts.warn ?? this.#parts.tell)(line);
    });
  }

  /** Whether each response in it is for a request of its own. Of others nothing is settled: their requests fail. */
  #isWanted({ messages }: Incoming): boolean {
    const ids = messages.filter(isResponse).map(({ id }) => id);
    return ids.every((id) => this.#parts.pending.find(id) !== undefined) && new Set(ids).size === ids.length;
  }

  #admit(incoming: Incoming, message: Incoming['messages'][number]): void {
    const { host, pending, session } = this.#parts;
    const request = isResponse(message) ? pending.find(message.id) : undefined;
    if (request === undefined) return;
    if (request.method === 'initialize' && message.kind === 'result') session.takeRevision(host.revisionIn(incoming));
    pending.settle(request);
  }

  /** Only the first time, the tenth, the hundredth … */
  #report(line: string, times: number, tell = this.#parts.tell): void {
    if (!Number.isInteger(Math.log10(times))) return;
    tell(times === 1 ? line : `${line} (${times} times by now)`);
  }
}

/** The tools of a response to `tools/list`; none where nothing marks a parameter, which is not taken apart. */
function markedTools(response: Uint8Array): readonly JsonObject[] {
  const { buffer, byteOffset, byteLength } = response;
  if (!Buffer.from(buffer, byteOffset, byteLength).includes('"x-mcp-header"')) return [];
  const tools = asObject(parseObject(response, messageLimits)?.['result'])?.['tools'];
  return Array.isArray(tools) ? tools.map((tool) => asObject(tool) ?? {}) : [];
}

/**
 * The response without the tools whose marks for headers break the rules, each of which is reported (2026-07-28,
 * server/tools). The very bytes that came where there is none.
 */
function withoutBrokenTools(
  response: Uint8Array,
  tools: readonly JsonObject[],
  leftOut: (tool: string, why: string) => void,
): Uint8Array {
  const reasons = tools.map(brokenHeaderMark);
  if (reasons.every((why) => why === undefined)) return response;
  for (const [at, why] of reasons.entries()) {
    if (why !== undefined) leftOut(stringField(tools[at] ?? {}, 'name') ?? '', why);
  }
  const { result } = membersAt(response, skipSpace(response, 0), ['result'])?.spans ?? {};
  const [from, to] = memberOf(response, result, 'tools') ?? [0, 0];
  const kept = entriesAt(response, from).filter((_, at) => reasons[at] === undefined);
  const list = listOf(kept.map((span) => response.subarray(...span)));
  return Buffer.concat([response.subarray(0, from), list, response.subarray(to)]);
}
