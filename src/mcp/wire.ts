/** A request that is told by calls as its response comes, for what has to be quick and pass bytes through. */
export interface WireRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Named by the person, or an address on the same origin. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Those for a second attempt, where one of them is good for one alone. */
  readonly headersAgain?: (() => WireRequest['headers']) | undefined;
  readonly body: Uint8Array | undefined;
  /** Whether the response may be a stream without an end: those have connections of their own. */
  readonly lasting: boolean;
  /** On a connection that was not used before. */
  readonly fresh?: boolean;
  /** How long the head of the response may take, in milliseconds. */
  readonly headersMs: number;
}

/** Is told what comes; never before `send` has returned, and not after `end` or `failed`. */
export interface WireWatcher {
  /** @param header The values of a header, by its name in lower case. @param lines All headers, names and values in turn */
  head(status: number, header: (name: string) => readonly string[], lines: readonly string[]): void;
  data(chunk: Uint8Array): void;
  end(): void;
  /** @param unanswered A connection that was kept alive was closed before a byte of a response came. */
  failed(error: unknown, unanswered: boolean): void;
}

export interface WireExchange {
  pause(): void;
  resume(): void;
  /** Ends it: nothing is told of it any more. */
  abort(): void;
}

/** The protocol client's way to the network: the checks of the HTTP client, responses as they come, redirects reported. */
export interface Wire {
  send(request: WireRequest, watcher: WireWatcher): WireExchange;
  /** Everything that is under way fails with that; what is sent afterwards does not. */
  cut(reason: unknown): void;
}
