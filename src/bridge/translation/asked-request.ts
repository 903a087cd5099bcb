import type { JsonObject, JsonValue } from '../../core/text/json.js';
import { withMembers } from '../../core/text/json-splice.js';
import { jsonText, type MessageText, paramsIn, resultText, valueIn } from './message-text.js';
import type { Reply } from './server-conversation.js';

/** Questions of one request that wait for the host. */
const maxQuestions = 100;

const maxQuestionBytes = 1024 * 1024;

/** What a server of the older era asks while it works on a request. */
export interface Question {
  /** The id of its request, as the server spelled it. */
  readonly idBytes: Uint8Array;
  readonly method: string;
  readonly params: Uint8Array | undefined;
}

/** How a request at the server ended. */
export type End = Reply | { readonly kind: 'failed'; readonly error: unknown } | { readonly kind: 'cancelled' };

/** What a host that waits gets next. */
export type Turn = End | { readonly kind: 'asks' };

/**
 * A request at a server of the older era. It may outlive the host's own: a question ends that one, and the host's next one
 * goes on with it.
 */
export class AskedRequest {
  readonly method: string;
  /** Bytes of what was sent to the server. */
  readonly size: number;
  /** What the host has declared for it. */
  readonly capabilities: JsonObject;
  /** The index of its log level; undefined without one. */
  readonly level: number | undefined;
  /** What the server names in its progress; undefined: the host wants none. */
  readonly token: Uint8Array | undefined;
  /** The same of the host's request that waits for it now. */
  tokenNow: Uint8Array | undefined;
  /** By the keys that the host gets. */
  readonly questions = new Map<string, Question>();
  /** The error of a server that wants pages opened first: once they are, the request is sent anew. */
  pagesFirst: MessageText | undefined;
  /** The id at the server, as in `MessageShape`. */
  id = '';
  /** Aborts when nobody wants it any more. */
  ending = new AbortController();
  #end: End | undefined;
  #waiting: ((turn: Turn) => void) | undefined;
  #asked = 0;

  constructor(request: Pick<AskedRequest, 'method' | 'size' | 'capabilities' | 'level' | 'token'>) {
    this.method = request.method;
    this.size = request.size;
    this.capabilities = request.capabilities;
    this.level = request.level;
    this.token = request.token;
    this.tokenNow = request.token;
  }

  /** Whether a host's request waits for it. */
  get isAwaited(): boolean {
    return this.#waiting !== undefined;
  }

  /** The next thing that the host has to know. */
  async next(): Promise<Turn> {
    try {
      return await new Promise<Turn>((resolve) => {
        this.#waiting = resolve;
        this.#turn();
      });
    } finally {
      this.#waiting = undefined;
    }
  }

  ask(question: Question): void {
    this.#asked += 1;
    this.questions.set(String(this.#asked), question);
    // Questions that come together are asked together.
    setImmediate(() => this.#turn());
  }

  /** Whether there is room for another question of so many bytes: one of any size, several small ones. */
  hasRoom(bytes: number): boolean {
    const { size } = this.questions;
    return size === 0 || (size < maxQuestions && this.#questionBytes + bytes <= maxQuestionBytes);
  }

  /** Bytes that are held for it. */
  get heldBytes(): number {
    return this.size + this.#questionBytes + (this.pagesFirst?.text.byteLength ?? 0);
  }

  get #questionBytes(): number {
    return [...this.questions.values()].reduce((sum, { params }) => sum + (params?.byteLength ?? 0), 0);
  }

  finish(end: End | undefined): void {
    this.#end = end;
    this.#turn();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  #turn(): void {
    if (this.#end !== undefined) this.#waiting?.(this.#end);
    else if (this.questions.size > 0) this.#waiting?.({ kind: 'asks' });
  }
}

/** The result that asks the host. */
export function inputRequired(
  idBytes: Uint8Array,
  questions: ReadonlyMap<string, Pick<Question, 'method' | 'params'>>,
  requestState: string,
): Uint8Array {
  const requests = [...questions].map(([key, { method, params }]) => {
    return [key, withMembers(jsonText({ method }), 0, { params })] as const;
  });
  const inputRequests = withMembers(jsonText({}), 0, Object.fromEntries(requests));
  const result = withMembers(jsonText({ resultType: 'input_required', requestState }), 0, { inputRequests });
  return resultText(idBytes, result);
}

/** What a request asks for, in whatever order its members come: its repetition asks for the same. */
export async function fingerprint(method: string, text: Uint8Array): Promise<string> {
  const only = { _meta: undefined, inputResponses: undefined, requestState: undefined };
  const params = withMembers(paramsIn(text) ?? jsonText({}), 0, only);
  const value = valueIn(params);
  const bytes = value === undefined ? params : jsonText(sorted(value));
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes));
  return `${method} ${Buffer.from(digest).toString('base64')}`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
