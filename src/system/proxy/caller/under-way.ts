import type { RequestLine } from '../../../primitives/http1/message-head.js';
import type { Admitted } from '../admit.js';

/** A request as it came: first line, and names and values of its header lines in turn. */
export interface IncomingHead extends RequestLine {
  readonly lines: readonly string[];
  /** What was decided on it by its form alone. */
  admitted: Admitted | undefined;
}

/** Takes the body of a request as it comes. */
export interface BodyTaker {
  /** False: no more for now. The memory of a piece is used again then, or, after false, once the connection goes on. */
  data(piece: Buffer): boolean;
  end(): void;
}

/** A request that is being answered, as the connection that it came on sees it. */
export interface UnderWay {
  /** The caller has gone: nobody waits for the answer any more. */
  gone(): void;
  /** The caller has read what was written of the answer. */
  drained(): void;
  /** What was announced as its body is none. */
  broken(): void;
}
