import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import type { BodySource } from './body-source.js';
import type { RequestLines } from './request-heads.js';

/** One request as a lane sends it, which frames it: `headers` say nothing about its body. */
export interface LaneRequest extends RequestLines {
  /** Bytes are left alone until the request is over. */
  readonly body: Uint8Array | BodySource | null;
}

/** What is made of one answer as it comes; nothing is told after `end` or `failed`. */
export interface AnswerTaker {
  /** The head is the same object as before where its text was the same on the same connection. */
  head(head: AnswerHead): void;
  /**
   * The chunk's memory is used again once this has returned; after false, which asks for no more, once `resume` is
   * called. What has been read already may still come meanwhile, in other parts of that memory.
   */
  data(chunk: Uint8Array): boolean;
  /** Memory of a chunk that was answered with false stays as it is. */
  end(): void;
  /** `unanswered`: the connection, an old one, ended before any byte of an answer. */
  failed(error: unknown, unanswered: boolean): void;
}
