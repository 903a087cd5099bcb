import type { CorePorts, Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { JsonObject } from '../core/text/json.js';
import { HttpWire } from '../mcp/http-wire.js';
import type { OpenServer } from '../tokens/find-login.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { Allowance } from './allowance.js';
import { Conversation } from './conversation.js';
import type { ElicitationPolicy } from './respond.js';
import { authorizerFor } from './transport.js';

export interface CallRequest {
  /** The login to call with, or a server without one: then no token is sent. */
  readonly login: LoginRecord | OpenServer;
  readonly method: string;
  readonly params: JsonObject;
  readonly relogin: Relogin | undefined;
  readonly policy: ElicitationPolicy;
  /** What it returns is awaited before more is read. */
  readonly notify: (method: string, params: JsonObject) => unknown;
  readonly signal: AbortSignal;
}

/** Lists come in pages; the member that holds the entries, by method. */
const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/**
 * Opens a session, sends one request, and ends the session. The pages of a list are put together.
 * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, and the sender's
 */
export async function call(
  ports: AuthorizerPorts & Pick<CorePorts, 'terminal' | 'limits'>,
  request: CallRequest,
): Promise<JsonObject> {
  const { login, relogin, signal, policy, notify } = request;
  const { server } = login;
  const limits = await ports.limits();
  const { tokens, authorizer } = authorizerFor(ports, { login, relogin, signal });
  ports.progress.begin(`Calling ${request.method}`);
  try {
    await using conversation = new Conversation(ports, {
      ...{ server, authorizer, policy, notify, signal },
      wire: new HttpWire(ports.http),
      credential: tokens,
      meter: new Allowance(server, limits),
      headersMs: limits.answerSeconds * 1000,
      maxMessageBytes: limits.messageMiB * 1024 * 1024,
    });
    const opened = await conversation.open();
    if (request.method === 'initialize') return opened;
    return await allPages(conversation, request, limits.callPages);
  } finally {
    ports.progress.end();
  }
}

async function allPages(conversation: Conversation, request: CallRequest, maxPages: number): Promise<JsonObject> {
  const { method, params } = request;
  const first = await conversation.request(method, params);
  const member = Object.hasOwn(lists, method) ? lists[method] : undefined;
  if (member === undefined || 'cursor' in params) return first;
  const pages = [first];
  let cursor = first['nextCursor'];
  while (typeof cursor === 'string' && pages.length < maxPages) {
    const next = await conversation.request(method, { ...params, cursor });
    pages.push(next);
    cursor = next['nextCursor'];
  }
  const entries = pages.flatMap((page) => (Array.isArray(page[member]) ? page[member] : []));
  const { nextCursor: _cursor, ...rest } = first;
  return { ...rest, [member]: entries, ...(typeof cursor === 'string' ? { nextCursor: cursor } : {}) };
}
