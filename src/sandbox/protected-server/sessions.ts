import { randomUUID } from 'node:crypto';
import {
  type EventId,
  type EventStore,
  type JSONRPCMessage,
  type McpServer,
  type StreamId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Caller } from './verify-token.js';

interface Session {
  /** Who opened it; nobody else may use it. */
  readonly owner: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const maxSessions = 100;

/** The protocol's own sessions (`Mcp-Session-Id`), each bound to who opened it. The least used go first. */
export class Sessions {
  readonly #open = new Map<string, Session>();
  readonly #build: () => McpServer;

  constructor(build: () => McpServer) {
    this.#build = build;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The caller's session; undefined for one that is unknown and for one of somebody else's alike. */
  find(id: string, caller: Caller): WebStandardStreamableHTTPServerTransport | undefined {
    const session = this.#open.get(id);
    if (session?.owner !== ownerOf(caller)) return undefined;
    this.#open.delete(id);
    this.#open.set(id, session);
    return session.transport;
  }

  /** A transport that becomes a session once `initialize` has been accepted on it. */
  async begin(caller: Caller): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = this.#build();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new RecentEvents(),
      retryInterval: 500,
      onsessioninitialized: async (id) => {
        server.server.onclose = () => this.#open.delete(id);
        this.#open.set(id, { owner: ownerOf(caller), server, transport });
        const [oldest] = this.#open.values();
        if (this.#open.size > maxSessions) await oldest?.server.close();
      },
    });
    await server.connect(transport);
    return transport;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ server }) => server.close()));
  }
}

/** Subject and client both: another client of the same person has no business in this one's session. */
function ownerOf(caller: Caller): string {
  return JSON.stringify([caller.subject, caller.clientId]);
}

const maxEvents = 1000;

interface StoredEvent {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
}

/** The latest events of one session, so that a broken stream can be taken up again (`Last-Event-ID`). */
export class RecentEvents implements EventStore {
  #events: StoredEvent[] = [];
  #next = 1;

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    const id = String(this.#next);
    this.#next += 1;
    this.#events.push({ id, stream, message });
    if (this.#events.length > maxEvents) this.#events.shift();
    return id;
  }

  async getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return this.#events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    last: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const at = this.#events.findIndex((event) => event.id === last);
    const stream = this.#events[at]?.stream ?? '';
    const later = this.#events.slice(at + 1).filter((event) => event.stream === stream);
    for (const { id, message } of later) {
      // The event that opens a stream is stored as an empty object: there is nothing to repeat.
      if ('jsonrpc' in message) await send(id, message);
    }
    return stream;
  }
}
