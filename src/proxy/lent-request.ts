import { ByteCollector } from '../core/text/bytes.js';
import { asObject, parseObject } from '../core/text/json.js';
import { encoded } from '../mcp/headers/parameter-headers.js';
import { type Verdict, validate, validateKnown } from '../mcp/lending/tool-messages.js';
import type { ToolPolicy } from '../mcp/lending/tool-policy.js';
import type { ListCut } from '../mcp/server-session.js';
import { headerValues } from '../relay/heads.js';
import type { Admitted } from './admit.js';
import type { BodyWatcher, KeptBody } from './bodies.js';
import { proxyLimits } from './limits.js';
import { type Refusal, refusal } from './refusal.js';

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
  /** It may not. `response`: a JSON-RPC error; undefined where it has no request. */
  kept(response: Uint8Array | undefined, tools: readonly string[]): void;
  /** It is too large, or all that is kept of all requests is. */
  tooMuch(code: 'message_too_large' | 'too_many_requests'): void;
  /** More is kept in memory. False: there is no room for it. */
  hold(bytes: number): boolean;
  /** Has the server asked for the list of its tools, with this `_meta`. */
  listTools(meta: object | undefined): Promise<ListCut | undefined>;
  failed(error: unknown, unanswered: boolean): void;
}

/** A body that goes on once it was read whole and validated. */
export class LentBody implements KeptBody {
  readonly replayable = true;
  whole: Uint8Array | undefined;
  readonly #policy: ToolPolicy;
  readonly #forward: readonly string[];
  readonly #watcher: LentWatcher;
  readonly #pieces = new ByteCollector();
  #size = 0;

  constructor(policy: ToolPolicy, forward: readonly string[], watcher: LentWatcher) {
    this.#policy = policy;
    this.#forward = forward;
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
    if (this.#size > proxyLimits.validatedBody) this.#watcher.tooMuch('message_too_large');
    else if (this.#watcher.hold(piece.byteLength)) this.#pieces.push(piece);
    else this.#watcher.tooMuch('too_many_requests');
    return true;
  }

  end(): void {
    if (this.#size > proxyLimits.validatedBody) return;
    const bytes = this.#pieces.take();
    const validated = headersAgree(this.#forward, bytes) ? validate(this.#policy, bytes) : undefined;
    if (validated?.kind !== 'unknown') {
      this.#settle(bytes, validated);
      return;
    }
    const asked = this.#policy.ask(() => this.#watcher.listTools(validated.meta), performance.now());
    asked.then(
      () => this.#settle(bytes, validateKnown(this.#policy, bytes)),
      (error: unknown) => this.#watcher.failed(error, false),
    );
  }

  #settle(bytes: Uint8Array, validated: Exclude<Verdict, { kind: 'unknown' }> | undefined): void {
    if (validated?.kind !== 'passed') {
      this.#watcher.kept(validated?.response, validated?.tools ?? []);
      return;
    }
    this.whole = bytes;
    this.#watcher.passed(validated.lists);
    this.#watcher.ready();
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
