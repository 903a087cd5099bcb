import { clientInfo, latestProtocolVersion, metaName } from '../../core/product.js';
import type { JsonObject } from '../../core/text/json.js';
import { memberBytes, withMembers } from '../../core/text/json-splice.js';
import type { Outcome } from '../../mcp/exchange.js';
import { protocolBroken } from '../../mcp/failures.js';
import { errorCode, jsonText, type MessageText, messageText, objectIn, param, resultMember } from './message-text.js';
import type { ServerConversation } from './server-conversation.js';

const initialized = messageText({ method: 'notifications/initialized' });

/** A session with a server of the older era, opened with what the first request of the host says of itself. */
export class OlderSession {
  readonly #server: string;
  readonly #conversation: ServerConversation;
  #opening: Promise<MessageText | Outcome | undefined> | undefined;
  #response: MessageText | undefined;
  #level: string | undefined;
  #count = 0;

  constructor(server: string, conversation: ServerConversation) {
    this.#server = server;
    this.#conversation = conversation;
  }

  /** What the server can do. */
  get capabilities(): JsonObject {
    return objectIn(this.#response && resultMember(this.#response, 'capabilities'));
  }

  /**
   * Opens it, once. How the server refused, if it did.
   * @param text A request of the host.
   * @throws Failure as the client's `request`; `protocol_broken`
   */
  async open(text: Uint8Array): Promise<{ readonly refused: Outcome | undefined } | undefined> {
    if (this.#response !== undefined) return undefined;
    this.#opening ??= this.#open(text).finally(() => {
      this.#opening = undefined;
    });
    const opened = await this.#opening;
    return opened !== undefined && 'message' in opened ? undefined : { refused: opened };
  }

  /** What the server says of itself, as a result of `server/discover`. */
  discovered(revision: string): Uint8Array {
    const response = this.#response;
    if (response === undefined) throw new Error('the session is open');
    const { tasks: _, ...capabilities } = this.capabilities; // those of the older era are not the extension
    const serverInfo = resultMember(response, 'serverInfo');
    const said = {
      resultType: 'complete',
      supportedVersions: [revision],
      capabilities,
      ttlMs: 0,
      cacheScope: 'private',
    };
    return withMembers(jsonText(said), 0, {
      instructions: resultMember(response, 'instructions'),
      _meta: withMembers(jsonText({}), 0, { [metaName('serverInfo')]: serverInfo }),
    });
  }

  /** Has the server log at that level from now on: it knows one for the whole session. */
  async log(level: string): Promise<void> {
    if (level === this.#level || this.capabilities['logging'] === undefined) return;
    this.#level = level;
    this.#count += 1;
    const id = `postern-level-${this.#count}`;
    const request = messageText({ id, method: 'logging/setLevel' }, { params: jsonText({ level }) });
    await this.#conversation.request(request).catch(() => undefined); // a request does not fail for its log
  }

  /** The server has lost it, and another one was opened. */
  reopened(): void {
    this.#level = undefined;
  }

  async #open(text: Uint8Array): Promise<MessageText | Outcome | undefined> {
    const meta = param(text, '_meta') ?? jsonText({});
    const said = (name: 'clientInfo' | 'clientCapabilities') => memberBytes(meta, 0, metaName(name));
    const params = withMembers(jsonText({ protocolVersion: latestProtocolVersion }), 0, {
      capabilities: said('clientCapabilities') ?? jsonText({}),
      clientInfo: said('clientInfo') ?? jsonText({ ...clientInfo }),
    });
    const request = messageText({ id: `postern-open-${crypto.randomUUID()}`, method: 'initialize' }, { params });
    const reply = await this.#conversation.request(request);
    if (reply.kind === 'none') return reply.outcome;
    const code = errorCode(reply);
    if (code !== undefined) throw protocolBroken(this.#server, `it refuses initialize with the error ${code}`);
    await this.#conversation.client.tell(initialized.text, initialized.message);
    this.#response = reply;
    return reply;
  }
}
