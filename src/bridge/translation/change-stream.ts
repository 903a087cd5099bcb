import { Failure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import type { JsonObject } from '../../core/text/json.js';
import { asObject } from '../../core/text/json.js';
import { acknowledged, textsIn } from '../../mcp/eras.js';
import { httpFailed } from '../../mcp/failures.js';
import type { HostSide } from './host-side.js';
import { jsonText, type MessageText, messageText, objectIn, param } from './message-text.js';
import type { Reply, ServerConversation } from './server-conversation.js';

const firstRetryMs = 1_000;

const longestRetryMs = 60_000;

/** Resources that one host may follow. */
const maxFollowed = 1_000;

/** What else a stream brings. */
const changeMethods: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
]);

interface ChangeStreamParts {
  readonly server: string;
  readonly clock: Clock;
  readonly conversation: ServerConversation;
  readonly host: HostSide;
  /** The lists whose changes the server tells, as the filter names them. */
  readonly lists: JsonObject;
  /** Puts on a request what each one carries. */
  readonly carried: (request: MessageText) => MessageText;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One exchange of `subscriptions/listen`. */
interface Stream {
  readonly key: string;
  readonly ending: AbortController;
  /** The filter that the server agrees to; undefined: the stream ended before it said so. */
  readonly agreed: Promise<JsonObject | undefined>;
  readonly agree: (filter: JsonObject | undefined) => void;
  isAgreed: boolean;
}

/** What a server of the newer era tells unasked: one stream, kept open, whose filter follows what the host wants. */
export class ChangeStream {
  readonly #parts: ChangeStreamParts;
  readonly #followed = new Set<string>();
  #current: Stream | undefined;
  #next: Stream | undefined;
  #turning: Promise<JsonObject | undefined> | undefined;
  #inVain = 0;
  #isRefused = false;

  constructor(parts: ChangeStreamParts) {
    this.#parts = parts;
  }

  /** Opens it, or opens it anew with the filter as it is now. The filter that the server agrees to. */
  async turn(): Promise<JsonObject | undefined> {
    // What is asked for while one is being opened comes with the one after it.
    await this.#turning;
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = undefined;
    });
    return this.#turning;
  }

  /** Whether the server tells of changes of that resource from now on. */
  async follow(uri: string): Promise<boolean> {
    if (this.#followed.size >= maxFollowed) return false;
    this.#followed.add(uri);
    const isAgreed = textsIn((await this.turn())?.['resourceSubscriptions']).includes(uri);
    if (!isAgreed) this.#followed.delete(uri);
    return isAgreed;
  }

  async unfollow(uri: string): Promise<void> {
    if (this.#followed.delete(uri)) await this.turn();
  }

  /** Takes a notification, if one of its streams has brought it. */
  take({ text, message: { method } }: MessageText, asked: string | undefined): boolean {
    const stream = [this.#current, this.#next].find((one) => one !== undefined && one.key === asked);
    if (stream === undefined) return false;
    if (method === acknowledged) {
      stream.isAgreed = true;
      stream.agree(objectIn(param(text, 'notifications')));
    } else if (changeMethods.has(method)) this.#parts.host.send(text);
    else if (method === 'notifications/cancelled') stream.ending.abort();
    return true;
  }

  async #turn(): Promise<JsonObject | undefined> {
    const before = this.#current;
    if (Object.keys(this.#parts.lists).length === 0 && this.#followed.size === 0) {
      this.#current = undefined;
      before?.ending.abort();
      return undefined;
    }
    const stream = this.#open();
    this.#next = stream;
    const agreed = await stream.agreed;
    this.#next = undefined;
    if (agreed === undefined && before !== undefined) return undefined; // the one that there is goes on
    this.#current = stream;
    before?.ending.abort();
    return agreed;
  }

  #open(): Stream {
    const { conversation, carried, lists } = this.#parts;
    const id = `postern-changes-${crypto.randomUUID()}`;
    let agree: Stream['agree'] = () => undefined;
    const agreed = new Promise<JsonObject | undefined>((resolve) => {
      agree = resolve;
    });
    const stream = { key: `"${id}`, ending: new AbortController(), agreed, agree, isAgreed: false };
    const resourceSubscriptions = [...this.#followed];
    const notifications = { ...lists, ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }) };
    const request = messageText({ id, method: 'subscriptions/listen' }, { params: jsonText({ notifications }) });
    const { signal } = stream.ending;
    const ended = conversation.request(carried(request), signal).catch((error: unknown) => error);
    void ended.then(async (end) => {
      agree(undefined);
      if (signal.aborted && this.#current !== stream) return;
      await this.#afterEnd(stream, end);
    });
    return stream;
  }

  async #afterEnd(stream: Stream, end: unknown): Promise<void> {
    const { clock, signal, tell, server } = this.#parts;
    await this.#turning; // it may be the one that is being opened
    if (this.#current !== stream || signal.aborted) return;
    const refusal = refusalIn(end, server);
    if (refusal !== undefined) {
      if (!this.#isRefused) tell(`The server tells no changes: ${refusal}`);
      this.#isRefused = true;
      this.#current = undefined;
      return;
    }
    this.#inVain = stream.isAgreed ? 0 : this.#inVain + 1;
    const doubled = firstRetryMs * 2 ** Math.min(this.#inVain, 10);
    await clock.sleep(Math.min(doubled, longestRetryMs) * (1 + Math.random() / 4), signal).catch(() => undefined);
    if (this.#current === stream && !signal.aborted) {
      this.#current = undefined;
      await this.turn();
    }
  }
}

/** Why it is of no use to ask again. */
function refusalIn(end: unknown, server: string): string | undefined {
  if (end instanceof Failure) return end.code === 'network_failed' ? undefined : end.message;
  const reply = end as Reply;
  if (reply.kind === 'response') return reply.message.kind === 'error' ? 'it refuses subscriptions/listen.' : undefined;
  const { outcome } = reply;
  if (outcome?.kind !== 'refused' || outcome.status >= 500 || [408, 429].includes(outcome.status)) return undefined;
  return httpFailed(server, outcome.status).message;
}

/** The lists whose changes a server tells, by its capabilities. */
export function changingLists(capabilities: JsonObject): JsonObject {
  const tells = (name: string) => asObject(capabilities[name])?.['listChanged'] === true;
  return {
    ...(tells('tools') && { toolsListChanged: true }),
    ...(tells('prompts') && { promptsListChanged: true }),
    ...(tells('resources') && { resourcesListChanged: true }),
  };
}
