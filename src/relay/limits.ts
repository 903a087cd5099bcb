/** Limits of the server's side. Times in milliseconds, sizes in bytes. */
export const serverLimits = {
  /** Connections at a time; the one that has been silent longest gives way to a new one. */
  sockets: 256,
  /** From the first byte of a request's head to its end. A connection on which nothing came has no limit. */
  headMs: 10_000,
  /** How long a caller may be silent in the middle of a body. */
  bodySilenceMs: 60_000,
  /** How long a caller may leave what has come for it unread. */
  unreadMs: 300_000,
  /** How long what a caller still sends is read and dropped behind a response that ends its connection. */
  lingeringMs: 2_000,
  /** And how much of it. */
  lingering: 1_048_576,
  /** How often connections are looked at on which no request is under way. */
  lookMs: 1_000,
  /** Request line and headers together. */
  head: 16_384,
  /** A piece of a response no longer than this is copied, to leave in one piece with what is before and behind it. */
  shortPiece: 8_192,
  /** What waits for the end of a turn of the event loop, so that it leaves together. */
  pending: 16_384,
  /** Written but unread bytes of a connection that make its next request wait. */
  unread: 65_536,
  /** Bytes of requests before their turn that are read: with more, the connection is not read for the time. */
  early: 16_384,
  /** Chunks of a body that are read of one connection before it is the others' turn. */
  partsInTurn: 512,
} as const;
