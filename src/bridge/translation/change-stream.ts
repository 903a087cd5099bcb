import { Failure, isFailure } from '../../core/failure.js';
import type { Clock } from '../../core/ports.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import { acknowledged, textsIn } from '../../mcp/eras.js';
import { CallRefused, HttpFailed } from '../../mcp/failures.js';
import { type MessageText, objectOf } from '../../mcp/messages.js';
import type { ServerMessages } from '../server-messages.js';

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
  readonly clock: Clock;
  /** Sends `subscriptions/listen`, until it is ended. */
  readonly listen: (
    params: JsonObject,
    signal: AbortSignal,
    notified: (notification: MessageText) => void,
  ) => Promise<JsonObject>;
  readonly host: ServerMessages;
  /** The lists whose changes the server tells, as the filter names them. */
  readonly lists: JsonObject;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One exchange of `subscriptions/listen`. */
interface Stream {
  readonly ending: AbortController;
  /** The filter that the server agrees to; undefined: the stream ended before it said so. */
  readonly agreed: Promise<JsonObject | undefined>;
}

/** What a server of the newer era tells unasked: one stream, kept open, whose filter follows what the host wants. */
export class ChangeStream {
  readonly #parts: ChangeStreamParts;
  readonly #followed = new Set<string>();
  #current: Stream | undefined;
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

  async #turn(): Promise<JsonObject | undefined> {
    const before = this.#current;
    const isWanted = Object.keys(this.#parts.lists).length > 0 || this.#followed.size > 0;
    const stream = isWanted ? this.#open() : undefined;
    const agreed = await stream?.agreed;
    if (isWanted && agreed === undefined && before !== undefined) return undefined; // the one that there is goes on
    this.#current = stream;
    before?.ending.abort();
    return agreed;
  }

  #open(): Stream {
    const { listen, lists, host } = this.#parts;
    const ending = new AbortController();
    let agree: (filter: JsonObject | undefined) => void = () => undefined;
    const agreed = new Promise<JsonObject | undefined>((resolve) => {
      agree = resolve;
    });
    const notified = (notification: MessageText) => {
      const { method } = notification.message;
      if (method === acknowledged) {
        const params = asObject(objectOf(notification.text)?.['params']);
        agree(asObject(params?.['notifications']) ?? {});
      } else if (changeMethods.has(method)) host.send(notification);
      else if (method === 'notifications/cancelled') ending.abort();
    };
    const resourceSubscriptions = [...this.#followed];
    const notifications = { ...lists, ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }) };
    const stream = { ending, agreed };
    const ended = listen({ notifications }, ending.signal, notified).catch((error: unknown) => error);
    void ended.then((end) => {
      agree(undefined);
      return this.#afterEnd(stream, end);
    });
    return stream;
  }

  async #afterEnd(stream: Stream, end: unknown): Promise<void> {
    const { clock, signal, tell } = this.#parts;
    await this.#turning; // it may be the one that is being opened
    if (this.#current !== stream || signal.aborted) return;
    const refusal = refusalIn(end);
    if (refusal !== undefined) {
      if (!this.#isRefused) tell(`The server tells no changes: ${refusal}`);
      this.#isRefused = true;
      this.#current = undefined;
      return;
    }
    this.#inVain = (await stream.agreed) === undefined ? this.#inVain + 1 : 0;
    const doubled = firstRetryMs * 2 ** Math.min(this.#inVain, 10);
    await clock.sleep(Math.min(doubled, longestRetryMs) * (1 + Math.random() / 4), signal).catch(() => undefined);
    if (this.#current !== stream || signal.aborted) return;
    this.#current = undefined;
    await this.turn();
  }
}

/** Why it is of no use to ask again. */
function refusalIn(end: unknown): string | undefined {
  if (end instanceof CallRefused) return 'it refuses subscriptions/listen.';
  if (end instanceof HttpFailed && (end.status >= 500 || [408, 429].includes(end.status))) return undefined;
  return isFailure(end, 'network_failed', 'answer_missing') || !(end instanceof Failure) ? undefined : end.message;
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
