import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

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
