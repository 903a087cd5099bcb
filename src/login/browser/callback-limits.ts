/** Limits of the callback listener. Times in milliseconds. */
export interface CallbackLimits {
  /** Connections at a time; the one that has been silent longest gives way to a new one. */
  readonly sockets: number;
  /** From a request's first byte to the end of its headers. A connection on which nothing came has no limit. */
  readonly headersMs: number;
  /** From a request's first byte to its end. */
  readonly requestMs: number;
  /** How long the browser is kept waiting on the callback for the outcome. */
  readonly holdMs: number;
  /** How long the final page stays to be fetched once the outcome is known. */
  readonly lingerMs: number;
}

/** The limits that the program runs with. */
export const callbackLimits: CallbackLimits = {
  sockets: 64,
  headersMs: 5_000,
  requestMs: 10_000,
  holdMs: 60_000,
  lingerMs: 5_000,
};

/** Request line and headers together, in bytes: the HTTP parser refuses what is longer with 431. */
export const maxHeadBytes = 16_384;

/** Header lines of a request: Node drops what is over this silently, so that many are refused. */
export const maxHeaderLines = 100;

/** Of a request target, in characters. */
export const maxTargetLength = 8_192;

/** Of a name or a value in an authorization response, in characters. */
export const maxParameterLength = 4_096;

/** In an authorization response. */
export const maxParameters = 64;
