/** Limits of the server's side. Times in milliseconds, sizes in bytes. */
export const serverLimits = {
  /** Connections at a time; the one that has been idle longest gives way to a new one. */
  sockets: 256,
  /** From the first byte of a request's head to its end. A connection on which nothing came has no limit. */
  headMs: 10_000,
  /** How long a caller may be silent in the middle of a body. */
  bodySilenceMs: 60_000,
  /** How long a caller may leave what has come for it unread. */
  unreadMs: 300_000,
  /** How long, and how much of, what a caller still sends is read and dropped behind the last response. */
  lingeringMs: 2_000,
  lingering: 1_048_576,
  /** How often connections are checked. */
  lookMs: 1_000,
  /** Request line and headers together. */
  head: 16_384,
  /** A piece of a response up to this length is copied, to leave in one write with its neighbours. */
  shortPiece: 8_192,
  /** Text that waits for the end of a turn of the event loop, so that it leaves in one write. */
  pending: 16_384,
  /** So many written but unread bytes make the next request of a connection wait. */
  unread: 65_536,
  /** Bytes of requests that are read before their turn: with more, the connection is paused. */
  early: 16_384,
  /** Chunks of a body that are read before it is the turn of other connections. */
  partsInTurn: 512,
} as const;
