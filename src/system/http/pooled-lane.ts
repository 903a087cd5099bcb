/** A connection as those see it who keep it between requests. */
export interface PooledLane extends AsyncDisposable {
  /** Whether the next request can go the same way without connecting anew. */
  readonly usable: boolean;
}

/** Where a connection belongs. */
export interface LaneHome<L extends PooledLane> {
  /** The request that it was lent for is over; a lane that is not usable any more is closed. Again: nothing. */
  release(lane: L): void;
  /** The answer to its request is a stream that may stay: others need not wait for its end. */
  stands(lane: L): void;
  /** No connection came about: the place may have moved. */
  unreachable(): void;
  /** The connection is closed. */
  gone(lane: L): void;
}
