type Json = Record<string, unknown>;

/** One JSON-RPC message, as far as these tests look into it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly text: string;
}

export const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** POSTs a body as a client of the protocol does. */
export function post(
  url: string,
  token: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The messages of an answer as they come, with the id of the event, whichever form the answer has. */
export async function* messagesOf(
  response: Response,
): AsyncGenerator<{ readonly message: Message | undefined; readonly id: string | undefined }> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    yield { message: (await response.json()) as Message, id: undefined };
    return;
  }
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const events = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, id] = /^id: ?(.*)$/m.exec(event) ?? [];
      const [, data] = /^data: ?(.*)$/m.exec(event) ?? [];
      if (data !== undefined) yield { message: data === '' ? undefined : (JSON.parse(data) as Message), id };
    }
  }
}

/** All messages of an answer. */
export async function allOf(response: Response): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for await (const { message } of messagesOf(response)) if (message !== undefined) messages.push(message);
  return messages;
}

/** A client that has begun a session. */
export class TestSession {
  readonly url: string;
  readonly id: string;
  /** Sent with each request; may be replaced, as a client does that has stepped up. */
  token: string;
  #next = 1;

  private constructor(url: string, token: string, id: string) {
    this.url = url;
    this.token = token;
    this.id = id;
  }

  static async open(url: string, token: string, capabilities: Json = {}): Promise<TestSession> {
    const response = await post(url, token, { ...initialize, params: { ...initialize.params, capabilities } });
    const id = response.headers.get('mcp-session-id');
    if (response.status !== 200 || id === null) {
      throw new Error(`no session: ${response.status} ${await response.text()}`);
    }
    await response.arrayBuffer();
    const session = new TestSession(url, token, id);
    await (await session.send({ jsonrpc: '2.0', method: 'notifications/initialized' })).arrayBuffer();
    return session;
  }

  get headers(): Readonly<Record<string, string>> {
    return { 'mcp-session-id': this.id, 'mcp-protocol-version': '2025-11-25' };
  }

  send(message: unknown): Promise<Response> {
    return post(this.url, this.token, message, this.headers);
  }

  request(method: string, params: Json = {}): Promise<Response> {
    const id = this.#next;
    this.#next += 1;
    return this.send({ jsonrpc: '2.0', id, method, params });
  }

  call(name: string, args: Json = {}, meta: Json = {}): Promise<Response> {
    return this.request('tools/call', { name, arguments: args, _meta: meta });
  }

  /** The result of a call that is answered with one. */
  async result(method: string, params: Json = {}): Promise<Json> {
    const last = (await allOf(await this.request(method, params))).at(-1);
    if (last?.result === undefined) throw new Error(`no result: ${JSON.stringify(last)}`);
    return last.result;
  }

  async textOf(name: string, args: Json = {}): Promise<string> {
    const { content } = await this.result('tools/call', { name, arguments: args });
    return (content as { readonly text: string }[])[0]?.text ?? '';
  }

  /** A GET: the stream on which the server tells news, or takes up another after an event. */
  listen(more: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${this.token}`, ...this.headers, ...more };
    return fetch(this.url, { headers, ...(signal === undefined ? {} : { signal }) });
  }
}
