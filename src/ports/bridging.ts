/** A request that is told by calls as its answer comes, for what has to be quick and pass bytes through. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Named by the person, or an address on the same origin. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** Whether the answer may be a stream without an end: those have connections of their own. */
  readonly lasting: boolean;
  /** How long the head of the answer may take, in milliseconds. */
  readonly headersMs: number;
}

/** Takes what comes; never called before `send` has returned, and not after `end` or `failed`. */
export interface WireWatcher {
  /** @param header The values of a header, whose name is given in lower case */
  head(status: number, header: (name: string) => readonly string[]): void;
  /** @param chunk Its memory is used again once this has returned. */
  data(chunk: Uint8Array): void;
  end(): void;
  /** @param unanswered A connection that was kept alive was closed before a byte of an answer came. */
  failed(error: unknown, unanswered: boolean): void;
}

export interface WireExchange {
  pause(): void;
  resume(): void;
  /** Ends it: nothing is told of it any more. */
  abort(): void;
}

/** The outbound door once more, with the same checks: for many small requests, of whose answers nothing is waited for. */
export interface Wire extends AsyncDisposable {
  send(request: WireRequest, watcher: WireWatcher): WireExchange;
}

/** The program that has started this one and speaks to it line by line. */
export interface HostPipe {
  /** Tells what comes until `end`, which comes once: at the end of input, or when the host is gone. */
  listen(taker: { data(chunk: Uint8Array): void; end(): void }): void;
  pause(): void;
  resume(): void;
  /** One message; the line feed is added. Never blocks: look at `isFull`. */
  write(message: Uint8Array): void;
  /** Whether more is waiting to be read by the host than should be. */
  readonly isFull: boolean;
  /** Calls once when it is no longer full. */
  whenDrained(then: () => void): void;
  /** Resolves once the host has read all, or cannot any more. */
  flushed(): Promise<void>;
}
