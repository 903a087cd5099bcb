import { ByteCollector } from '../core/text/bytes.js';
import { EventByteReader } from '../core/text/event-stream.js';
import { asObject, type JsonObject, parseObject } from '../core/text/json.js';
import { withSecretHeadersFlat } from '../core/text/secret-headers.js';
import { timeLimit } from '../core/time.js';
import { filterTools } from '../mcp/lending/tool-messages.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import { messageLimits } from '../mcp/messages.js';
import { type ListCut, readPages } from '../mcp/server-session.js';
import type { Connection, ResponseHandler } from '../relay/connection.js';
import { headerValues, type ResponseHead } from '../relay/heads.js';
import type { AuthorizedRequest, ProtectedTarget } from '../tokens/authorizer.js';
import type { Admitted } from './admit.js';
import type { Surroundings } from './exchange-parts.js';
import { proxyLimits } from './limits.js';
import { sortedHead } from './response-head.js';

/**
 * Asks the server for its tools, in the session of the caller's request, and learns what it says of them. A server that
 * does not answer leaves them unknown.
 * @throws Failure of the authorizer and of the connection
 */
export async function listTools(
  around: Pick<Surroundings, 'origins' | 'signal' | 'cookies'>,
  admitted: Admitted,
  policy: ToolPolicy,
  meta: object | undefined,
): Promise<ListCut | undefined> {
  const signal = AbortSignal.any([around.signal, timeLimit(proxyLimits.listMs)]);
  const { progressToken: _, ...others } = { progressToken: undefined, ...meta };
  return readPages(async (at): Promise<JsonObject | undefined> => {
    const id = `postern-tools-${crypto.randomUUID()}`;
    const params = { ...at, ...(meta === undefined ? {} : { _meta: others }) };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params }));
    const text = await pageOf(around, admitted, { id, body, signal });
    if (text === undefined) return undefined;
    filterTools(policy, text, (one) => one === JSON.stringify(id));
    return asObject(parseObject(text, messageLimits)?.['result']);
  });
}

interface Page {
  readonly id: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

/** The message that responds; undefined where none does. */
async function pageOf(
  { origins, cookies }: Pick<Surroundings, 'origins' | 'cookies'>,
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
