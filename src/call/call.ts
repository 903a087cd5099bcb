import { isFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { JsonObject } from '../core/text/json.js';
import { shellWord } from '../core/text/printable.js';
import { CallRefused } from '../mcp/failures.js';
import { type ListCut, readPages } from '../mcp/server-session.js';
import type { StorePorts, ToolSignature } from '../stores/ports.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { Allowance } from './allowance.js';
import type { Conversation, Introduction } from './conversation.js';
import { type ConversationRequest, createConversation } from './create-conversation.js';
import type { PersonPorts } from './elicitation/ask-page.js';
import { type CommandFor, isMisfit, KnownTools, saysMisfit, toolListKey } from './tools/known-tools.js';
import type { ProtocolCall } from './words.js';

export interface CallRequest extends Omit<ConversationRequest, 'meter' | 'tell'> {
  readonly method: string;
  readonly params: JsonObject;
  /** What is given to a tool, which is the request then: its schema says what to make of it. */
  readonly tool?: ProtocolCall['tool'] | undefined;
  readonly orTool?: ProtocolCall['tool'] | undefined;
  /** Takes what the server says of itself, before the result; a server of the newer era is asked for it. */
  readonly introduced?: ((said: Introduction) => void) | undefined;
  /** The server as the person named it; by its URL where that is not given. */
  readonly named?: string;
}

/** Lists come in pages; the member that holds the entries, by method. */
const lists: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

type CallPorts = AuthorizerPorts & PersonPorts & Pick<CorePorts, 'limits'> & Pick<StorePorts, 'toolLists'>;

/**
 * Opens a session, sends one request, and ends the session. The pages of a list are put together. For a tool the list of
 * tools is asked for before, where its arguments need that and it is not kept.
 * @throws Failure `call_failed`, `http_failed`, `protocol_broken`, those of `KnownTools`, and the sender's
 */
export async function call(ports: CallPorts, request: CallRequest): Promise<JsonObject> {
  const { login } = request;
  const limits = await ports.limits();
  const meter = new Allowance(login.server, limits);
  const known = knownTools(ports, request);
  const notify = async (method: string, params: JsonObject) => {
    if (method === 'notifications/tools/list_changed') await known.forget();
    return request.notify(method, params);
  };
  ports.progress.begin(`Calling ${request.method}`);
  try {
    await using conversation = await createConversation(ports, {
      ...request,
      notify,
      meter,
      tell: () => undefined,
      warn: ports.terminal.tell,
    });
    if (request.method === 'initialize') return await conversation.describe();
    if (request.introduced === undefined) await conversation.open();
    else request.introduced(await conversation.introduction());
    return await ask(conversation, request, { known, maxPages: limits.callPages, tell: ports.terminal.tell });
  } finally {
    ports.progress.end();
  }
}

/** The tool of that name, from the list that is kept, else from the server's. @throws as `call`; Failure `tool_unknown` */
export function toolNamed(ports: CallPorts, name: string, request: Omit<CallRequest, 'tool'>): Promise<ToolSignature> {
  return knownTools(ports, request).tool(name, () => call(ports, { ...request, method: 'tools/list', params: {} }));
}

/** Command lines that ask the same server for something else. */
export function commandFor({ login, named = login.server }: CallRequest): CommandFor {
  return 'program' in login
    ? (words) => `postern call ${words} -- ${login.server}`
    : (words) => `postern call ${shellWord(named)} ${words}`.trim();
}

function knownTools(ports: CallPorts, request: CallRequest): KnownTools {
  return new KnownTools(ports, toolListKey(request.login), commandFor(request));
}

/** How many pages of a list are read, and who hears of those that are not. */
export interface Paging {
  readonly maxPages: number;
  readonly tell: (line: string) => void;
}

interface Asking extends Paging {
  readonly known: KnownTools;
  /** The tools as somebody knows them; undefined where the server cannot list them. */
  readonly list?: () => Promise<JsonObject | undefined>;
}

interface AskedRequest extends Pick<CallRequest, 'method' | 'params' | 'tool' | 'orTool'> {
  /** As for `Conversation.request`. */
  readonly cancelled?: AbortSignal;
}

/**
 * One request in a session that is open, and its result. The pages of a list are put together.
 * @throws as `call`
 */
export async function ask(conversation: Conversation, request: AskedRequest, asking: Asking): Promise<JsonObject> {
  try {
    return await askOnce(conversation, request, asking);
  } catch (error) {
    if (!(await conversation.pagesFirst(error, request.cancelled))) throw error;
  }
  return await askOnce(conversation, request, asking);
}

async function askOnce(
  conversation: Conversation,
  { orTool, cancelled, ...asked }: AskedRequest,
  { known, list: given, ...paging }: Asking,
): Promise<JsonObject> {
  const ending = cancelled && { cancelled };
  let listing: Promise<JsonObject | undefined> | undefined;
  const listed = () => {
    listing ??= allPages(conversation, { method: 'tools/list', params: {}, ...ending }, paging).catch(noList);
    return listing;
  };
  const list = given ?? listed;
  const isTool = orTool !== undefined && (await known.has(orTool.name, list));
  const { method, params, tool } = isTool
    ? { method: 'tools/call', params: { name: orTool.name }, tool: orTool }
    : asked;
  if (tool === undefined) {
    const result = await allPages(conversation, { method, params, ...ending }, paging);
    if (method === 'tools/list' && !('cursor' in params)) await known.keep(result);
    return result;
  }
  const sent = await known.argumentsFor(tool, list);
  if (conversation.sendsHeaders && (await known.mayBeMarked(tool.name))) {
    const result = await list(); // which parameters go into headers, the client learns of this response
    if (result !== undefined) await known.keep(result);
  }
  try {
    const result = await conversation.request(method, { ...params, arguments: sent }, cancelled);
    if (saysMisfit(result)) await known.forget();
    return result;
  } catch (error) {
    if (error instanceof CallRefused && isMisfit(error.error.code)) await known.forget();
    throw error;
  }
}

/** A server that lists no tools may have some. */
function noList(error: unknown): undefined {
  if (!isFailure(error, 'call_failed', 'http_failed')) throw error;
}

function incomplete({ why, isFault }: ListCut): string {
  return `The list is incomplete: ${why}.${isFault ? '' : ' To read more, raise callPages in the configuration: postern config'}`;
}

/**
 * The result of a request; the pages of a list are put together.
 * @param request.cancelled as for `Conversation.request`
 * @throws as `Conversation.request`
 */
export async function allPages(
  conversation: Conversation,
  request: { readonly method: string; readonly params: JsonObject; readonly cancelled?: AbortSignal },
  { maxPages, tell }: Paging,
): Promise<JsonObject> {
  const { method, params, cancelled } = request;
  const member = Object.hasOwn(lists, method) ? lists[method] : undefined;
  if (member === undefined || 'cursor' in params) return conversation.request(method, params, cancelled);
  const pages: JsonObject[] = [];
  const cut = await readPages(async (at) => {
    const page = await conversation.request(method, { ...params, ...at }, cancelled);
    pages.push(page);
    return page;
  }, maxPages);
  if (cut !== undefined) tell(incomplete(cut));
  const [first = {}] = pages;
  if (pages.length === 1) return first;
  const entries = pages.flatMap((page) => (Array.isArray(page[member]) ? page[member] : []));
  // A server that ignores the cursor sends the same page twice.
  const once = cut?.isFault ? [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()] : entries;
  const { nextCursor: _cursor, ...rest } = first;
  return { ...rest, [member]: once, ...(cut && { nextCursor: pages.at(-1)?.['nextCursor'] ?? null }) };
}
