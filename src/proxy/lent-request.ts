import { ByteCollector } from '../core/text/bytes.js';
import { EventByteReader } from '../core/text/event-stream.js';
import { asObject, parseObject } from '../core/text/json.js';
import { withSecretHeadersFlat } from '../core/text/secret-headers.js';
import { timeLimit } from '../core/time.js';
import type { Origins } from '../http/origins.js';
import { encoded } from '../mcp/headers/message-headers.js';
import { filterTools, type KnownVerdict, validate, validateAsking } from '../mcp/lending/tool-messages.js';
import type { ToolPage, ToolPolicy } from '../mcp/lending/tool-policy.js';
import { messageLimits, messageOf } from '../mcp/messages.js';
import type { Connection, ResponseHandler } from '../relay/connection.js';
import { headerValues, type ResponseHead } from '../relay/heads.js';
import type { AuthorizedRequest, ProtectedTarget } from '../tokens/authorizer.js';
import type { Admitted, SessionCookies } from './admit.js';
import type { BodyWatcher, KeptBody } from './bodies.js';
import { proxyLimits } from './limits.js';
import { type Refusal, refusal } from './refusal.js';
import { sortedHead } from './response-head.js';

/** Why a request to a server of which only some tools are lent does not go on, whatever its body says. */
export function lentProblem(method: string, { head, framing, mounted, target }: Admitted): Refusal | undefined {
  const { pathname, search } = mounted.url;
  // What lies below may call tools in ways of its own.
  if (target !== pathname + search) return refusal('address_not_lent');
  const hasBody = framing.kind !== 'none';
  if (method !== 'POST')
    return hasBody || /^(?:PUT|PATCH)$/.test(method) ? refusal('method_not_lent', hasBody) : undefined;
  const [type = '', ...otherTypes] = headerValues(head.forward, 'content-type');
  const isJson = /^application\/json[\t ]*(?:;[\t ]*charset="?utf-8"?[\t ]*)?$/i.test(type) && otherTypes.length === 0;
  const isCoded = ['content-encoding', 'content-range', 'content-transfer-encoding'].some((name) =>
    headerValues(head.forward, name).some((value) => !/^(?:identity)?$/i.test(value.trim())),
  );
  return isJson && !isCoded ? undefined : refusal('form_not_lent', hasBody);
}

/** Learns what comes of a body that is validated. */
export interface LentWatcher extends BodyWatcher {
  /** It may go on; these are the requests in it whose results list tools. */
  passed(lists: ReadonlySet<string>): void;
  /** It may not: the caller gets this JSON-RPC error. */
  respond(response: Uint8Array, tools: readonly string[]): void;
  refuse(why: Refusal): void;
  /** More is kept in memory. False: there is no room for it. */
  hold(bytes: number): boolean;
  failed(error: unknown, unanswered: boolean): void;
}

/** A body that goes on once it was read whole and validated. */
export class LentBody implements KeptBody {
  readonly replayable = true;
  whole: Uint8Array | undefined;
  readonly #policy: ToolPolicy;
  readonly #admitted: Admitted;
  readonly #source: ToolSource;
  readonly #watcher: LentWatcher;
  readonly #pieces = new ByteCollector();
  #size = 0;

  constructor(policy: ToolPolicy, admitted: Admitted, source: ToolSource, watcher: LentWatcher) {
    this.#policy = policy;
    this.#admitted = admitted;
    this.#source = source;
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
    if (this.#size > proxyLimits.validatedBody) return true;
    this.#size += piece.byteLength;
    if (this.#size > proxyLimits.validatedBody) this.#watcher.refuse(refusal('message_too_large', true));
    else if (this.#watcher.hold(piece.byteLength)) this.#pieces.push(piece);
    else this.#watcher.refuse(refusal('too_many_requests', true));
    return true;
  }

  end(): void {
    if (this.#size > proxyLimits.validatedBody) return;
    const bytes = this.#pieces.take();
    const { forward } = this.#admitted.head;
    const validated = headersAgree(forward, bytes) ? validate(this.#policy, bytes) : undefined;
    if (validated?.kind !== 'unknown') {
      this.#settle(bytes, validated);
      return;
    }
    const pages = toolPages(this.#source, this.#admitted);
    validateAsking(this.#policy, bytes, pages, performance.now()).then(
      (known) => this.#settle(bytes, known),
      (error: unknown) => this.#watcher.failed(error, false),
    );
  }

  #settle(bytes: Uint8Array, validated: KnownVerdict | undefined): void {
    if (validated?.kind === 'passed') {
      this.whole = bytes;
      this.#watcher.passed(validated.lists);
      this.#watcher.ready();
    } else if (validated?.response === undefined) this.#watcher.refuse(refusal('message_not_lent'));
    else this.#watcher.respond(validated.response, validated.tools);
  }
}

/** Do the headers that repeat a message say what it says (SEP-2243)? A server may go by them. */
function headersAgree(forward: readonly string[], bytes: Uint8Array): boolean {
  const said = forward.flatMap((name, at) => {
    const lower = name.toLowerCase().replaceAll('_', '-'); // to some servers these are one character
    const counts = at % 2 === 0 && (lower === 'mcp-method' || lower === 'mcp-name');
    return counts ? [[lower, (forward[at + 1] ?? '').trim()] as const] : [];
  });
  if (said.length === 0) return true;
  const message = parseObject(bytes, { maxDepth: 200, maxKeys: 1_000_000 });
  const { name, uri, taskId } = asObject(message?.['params']) ?? {};
  const texts = { 'mcp-method': [message?.['method']], 'mcp-name': [name, uri, taskId] } as const;
  return said.every(([header, value]) =>
    texts[header].some((text) => typeof text === 'string' && encoded(text) === value),
  );
}

/** Where the server is asked for its tools. */
interface ToolSource {
  readonly origins: Origins<Connection>;
  readonly cookies: SessionCookies;
  readonly signal: AbortSignal;
}

/**
 * Asks the server for its tools, in the session of the caller's request, and learns what it says of them. A server that
 * does not answer leaves them unknown.
 * @throws Failure of the authorizer and of the connection
 */
function toolPages(around: ToolSource, admitted: Admitted): ToolPage {
  const { policy } = admitted.mounted.mount;
  const signal = AbortSignal.any([around.signal, timeLimit(proxyLimits.listMs)]);
  return async (params) => {
    const id = `postern-tools-${crypto.randomUUID()}`;
    const body = messageOf({ id, method: 'tools/list', params }).text;
    const text = await pageOf(around, admitted, { id, body, signal });
    if (text === undefined || policy === undefined) return undefined;
    filterTools(policy, text, (one) => one === JSON.stringify(id));
    return asObject(parseObject(text, messageLimits)?.['result']);
  };
}

interface Page {
  readonly id: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** The message that responds; undefined where none does. */
async function pageOf(
  { origins, cookies }: ToolSource,
  admitted: Admitted,
  page: Page,
): Promise<Uint8Array | undefined> {
  const { mounted, target } = admitted;
  const { authorizer } = mounted.mount;
  const url = mounted.origin + target;
  const method = 'POST';
  const asked: ProtectedTarget = { url, method, operation: () => 'POST tools/list', repeatable: () => true };
  let authorized: AuthorizedRequest | undefined = await authorizer.authorize(asked, page.signal);
  while (authorized !== undefined) {
    const { own }: AuthorizedRequest = authorized;
    const kept = cookies.addTo(headersOf(admitted.head.forward), admitted);
    const headers = withSecretHeadersFlat(kept, own);
    const response: Collected = await new Promise((resolve, reject) => {
      const collector = new Collector(page.id, resolve, reject);
      const lent = origins.lend(mounted, 'stream', page.signal, (connection) => {
        collector.connection = connection;
        connection.send({ target, method: 'POST', headers, body: page.body }, collector);
        return true;
      });
      lent?.catch(reject);
      page.signal.addEventListener('abort', () => collector.stop(), { once: true });
    });
    if (response.text !== undefined) return response.text;
    authorized = await authorizer.retry(authorized, response, page.signal);
  }
  return undefined;
}

/** What says in which session and revision it is, but nothing of the caller's own message. */
function headersOf(forward: readonly string[]): readonly string[] {
  const kept = forward.flatMap((name, at) => {
    const isKept = at % 2 === 0 && /^(?:mcp-session-id|mcp-protocol-version|user-agent)$/i.test(name);
    return isKept ? [name, forward[at + 1] ?? ''] : [];
  });
  const isNewer = headerValues(forward, 'mcp-method').length > 0;
  return [
    ...kept,
    ...['content-type', 'application/json', 'accept', 'application/json, text/event-stream'],
    ...['accept-encoding', 'identity', ...(isNewer ? ['mcp-method', 'tools/list'] : [])],
  ];
}

interface Collected {
  readonly status: number;
  readonly challenges: readonly string[];
  readonly text: Uint8Array | undefined;
}

/** Reads one response up to the message with that id. */
class Collector implements ResponseHandler {
  connection: Connection | undefined;
  readonly #id: string;
  readonly #done: (collected: Collected) => void;
  readonly #failed: (error: unknown) => void;
  readonly #pieces = new ByteCollector();
  #size = 0;
  #events: EventByteReader | undefined;
  #head = { status: 0, challenges: [] as readonly string[] };

  constructor(id: string, done: (collected: Collected) => void, failed: (error: unknown) => void) {
    this.#id = id;
    this.#done = done;
    this.#failed = failed;
  }

  head(received: ResponseHead): void {
    const { isEventStream, isCoded, challenges } = sortedHead(received);
    this.#head = { status: received.status, challenges };
    if (isCoded || received.status !== 200) this.stop();
    else if (isEventStream) this.#events = new EventByteReader(proxyLimits.validatedBody);
  }

  data(chunk: Uint8Array): boolean {
    this.#size += chunk.byteLength;
    if (this.#size > proxyLimits.validatedBody) this.stop();
    else if (this.#events === undefined) this.#pieces.push(chunk);
    else this.#look(this.#events.push(chunk)?.map(({ data }) => Uint8Array.from(data)) ?? []);
    return true;
  }

  end(): void {
    this.#look(this.#events === undefined ? [this.#pieces.take()] : []);
    this.stop();
  }

  failed(error: unknown): void {
    this.#failed(error);
  }

  stop(): void {
    this.#done({ ...this.#head, text: undefined });
    this.connection?.cut(this);
  }

  #look(texts: readonly Uint8Array[]): void {
    const text = texts.find((one) => parseObject(one, messageLimits)?.['id'] === this.#id);
    if (text === undefined) return;
    this.#done({ ...this.#head, text });
    this.connection?.cut(this);
  }
}
