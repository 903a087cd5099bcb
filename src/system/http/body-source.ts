/** Takes the pieces of a body as they come. */
export interface BodySink {
  /**
   * False: not sent yet. Until `resume` is called on the source, neither give more nor use the piece's memory for
   * something else; after true that is free again.
   */
  bodyPiece(piece: Uint8Array): boolean;
  bodyEnd(): void;
  /** There will be no end: the request is broken off, and fails with this. */
  bodyFailed(error: unknown): void;
}

/** The body of one request, given piece by piece and no faster than it is sent. */
export interface BodySource {
  /** In bytes, where it is known before; else the body is sent in chunked coding. */
  readonly length: number | undefined;
  /** Called once, when the first piece may be given; that may be done at once. */
  start(sink: BodySink): void;
  resume(): void;
  /** Nothing more is wanted, or will be. May be called at any time, but comes once. */
  stop(): void;
}
