import { newestRevision } from '../core/product.js';
import { asObject, type JsonObject, jsonWords } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { commonRevision, type Discovery, maxInputs, mayAsk, newerError, newerRevision } from './eras.js';
import { CallRefused, protocolBroken } from './failures.js';
import { readPages } from './server-session.js';

interface NewerParts {
  /** What the server is called in failures. */
  readonly server: string;
  /** What each request says of the one who sends it, as a revision has it. */
  readonly meta: (revision: string) => JsonObject;
  /** Sends one request as it is. @throws CallRefused, HttpFailed, and what else the conversation throws */
  readonly exchange: (method: string, params: JsonObject, cancelled: AbortSignal | undefined) => Promise<JsonObject>;
  /** The response to a question of the server. @throws Failure `protocol_broken` for what was not offered */
  readonly ask: (request: JsonObject, cancelled: AbortSignal | undefined) => Promise<JsonObject>;
  /** Follows a task that the server has made of a call; absent: it may make none. */
  readonly task?: (created: JsonObject, cancelled: AbortSignal | undefined) => Promise<JsonObject>;
}

/** How often a server may ask before it responds. */
const maxRounds = 10;

/** Speaks the newer era: every request names its revision, and a question comes as the result of one. */
export class NewerEra {
  readonly #parts: NewerParts;
  #revision = newestRevision;

  constructor(parts: NewerParts) {
    this.#parts = parts;
  }

  /**
   * What the server says of itself, if it speaks this era; nothing, if it only shows that it does.
   * @throws as `newerRevision`
   */
  async discover(cancelled: AbortSignal | undefined): Promise<JsonObject | undefined> {
    const came = await this.agreed('server/discover', {}, cancelled).then(
      (result): Discovery => ({ result }),
      (error: unknown): Discovery => (error instanceof CallRefused ? { error: error.error } : { failure: error }),
    );
    const revision = newerRevision(this.#parts.server, came);
    if (revision === undefined) return undefined;
    this.#revision = revision;
    return 'result' in came ? came.result : {};
  }

  /**
   * One request and its result. What the server asks in between is answered, and the request sent again.
   * @throws as `exchange` and `ask`; Failure `protocol_broken`, `revision_unknown`
   */
  async request(method: string, params: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    const { server, task } = this.#parts;
    let inputs: JsonObject = {};
    for (let round = 0; ; round += 1) {
      const result = await this.#withHeaders(method, { ...params, ...inputs }, cancelled);
      const { resultType: type = 'complete' } = result;
      if (type === 'complete') return result;
      if (type === 'task' && task !== undefined && method === 'tools/call') return await task(result, cancelled);
      if (type !== 'input_required' || !mayAsk.has(method)) {
        throw protocolBroken(
          server,
          `its result is of the type ${quoted(jsonWords(type, ''), 40)}, which ${method} cannot have`,
        );
      }
      if (round === maxRounds) throw protocolBroken(server, `it asks something for the ${maxRounds + 1}th time`);
      inputs = await this.#inputs(result, cancelled);
    }
  }

  /** What the request is to be sent with once more. */
  async #inputs(result: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    const { server, ask } = this.#parts;
    const { requestState } = result;
    const requests = Object.entries(asObject(result['inputRequests']) ?? {});
    if (requests.length === 0 && requestState === undefined) throw protocolBroken(server, 'it asks, and says not what');
    if (requestState !== undefined && typeof requestState !== 'string') {
      throw protocolBroken(server, 'the state of its question is no text');
    }
    if (requests.length > maxInputs) throw protocolBroken(server, `it asks ${requests.length} things at a time`);
    const responses: [string, JsonObject][] = [];
    for (const [key, request] of requests) responses.push([key, await ask(asObject(request) ?? {}, cancelled)]);
    return {
      ...(responses.length > 0 && { inputResponses: Object.fromEntries(responses) }),
      ...(requestState !== undefined && { requestState }),
    };
  }

  /** A server that misses what a header should have repeated has changed its tools: they are read, and it is asked again. */
  async #withHeaders(method: string, params: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    try {
      return await this.agreed(method, params, cancelled);
    } catch (error) {
      const isMissed = error instanceof CallRefused && error.error.code === newerError.headerMismatch;
      if (!isMissed || method !== 'tools/call') throw error;
    }
    await readPages((at) => this.agreed('tools/list', at, cancelled));
    return await this.agreed(method, params, cancelled);
  }

  /** In a revision that both know: another one that the server names is tried once. */
  async agreed(method: string, params: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    try {
      return await this.#send(method, params, cancelled);
    } catch (error) {
      if (!(error instanceof CallRefused) || error.error.code !== newerError.revisionUnsupported) throw error;
      const before = this.#revision;
      this.#revision = commonRevision(this.#parts.server, asObject(error.error.data)?.['supported']);
      if (this.#revision === before) throw error;
    }
    return await this.#send(method, params, cancelled);
  }

  #send(method: string, params: JsonObject, cancelled: AbortSignal | undefined): Promise<JsonObject> {
    return this.#parts.exchange(method, this.carried(params), cancelled);
  }

  /** With what each request says. */
  carried(params: JsonObject): JsonObject {
    return { ...params, _meta: { ...asObject(params['_meta']), ...this.#parts.meta(this.#revision) } };
  }
}
