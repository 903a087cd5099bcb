/** Limits of the local proxy. Times in milliseconds, sizes in bytes. */
export const proxyLimits = {
  /** Connections at a time; the one that has been silent longest gives way to a new one. */
  sockets: 256,
  /** Requests under way at a time: some clients send several down one connection. */
  requests: 512,
  /** From the first byte of a request's head to its end. A connection on which nothing came has no limit. */
  headMs: 10_000,
  /** How long a caller may be silent in the middle of a body. */
  bodySilenceMs: 60_000,
  /** How long a caller may leave what has come for it unread. */
  unreadMs: 300_000,
  /** How long what a caller still sends is read and dropped behind an answer that ends its connection. */
  lingeringMs: 2_000,
  /** And how much of it. */
  lingering: 1_048_576,
  /** How often connections are looked at, which are not under way with a request. */
  lookMs: 1_000,
  /** How often requests are. */
  sweepMs: 5_000,
  /** Request line and headers together. */
  head: 16_384,
  /** Header lines: so many are refused. */
  headerLines: 200,
  /** A piece of an answer no longer than this is copied, to leave in one piece with what is before and behind it. */
  shortPiece: 8_192,
  /** What waits for the end of a turn of the event loop, so that it leaves together. */
  pending: 16_384,
  /** Answered but unread bytes of a connection that make its next request wait. */
  unread: 65_536,
  /** Bytes of requests before their turn that are read: with more, the connection is not read for the time. */
  early: 16_384,
  /** Chunks of a body that are read of one connection before it is the others' turn. */
  partsInTurn: 512,
  /** A body announced as no longer than this is sent on when it is whole. */
  wholeBody: 65_536,
  /** A body is kept for a second try up to here. */
  keptBody: 1_048_576,
  /** What a piece of it counts beyond its own bytes. */
  costOfPiece: 128,
  /** What is read and dropped of an answer that nobody wants, to save its connection. */
  dropped: 65_536,
  /** And for no longer than this. */
  droppingMs: 2_000,
  /** Interim answers (1xx). */
  informational: 10,
} as const;
