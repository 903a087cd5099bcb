/** Limits of the local proxy; those of its connections are in `relay/limits.ts`. Times in milliseconds, sizes in bytes. */
export const proxyLimits = {
  /** Requests under way at a time: some clients send several down one connection. */
  requests: 512,
  /** How often requests are looked at. */
  sweepMs: 5_000,
  /** Header lines: so many are refused. */
  headerLines: 200,
  /** A body announced as no longer than this is sent on when it is whole. */
  wholeBody: 65_536,
  /** A body is kept for a second try up to here. */
  keptBody: 1_048_576,
  /** A message is validated, where only some tools are lent, and the list of tools read, up to here. */
  validatedBody: 8_388_608,
  /** What is kept of all bodies together for that, before requests are refused. */
  heldBodies: 268_435_456,
  /** How long a server may take to list its tools before a call. */
  listMs: 30_000,
  /** What a piece of it counts beyond its own bytes. */
  costOfPiece: 128,
} as const;
