import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import { headerText } from '../../primitives/http1/answer-text.js';
import { type ResponseHead, readResponseHead } from '../../primitives/relayed-answer.js';
import type { OutgoingHead } from './caller/answer.js';

/** The head of an answer of the server, and what the caller is told where nothing of it depends on the request. */
export interface ReadAnswer extends ResponseHead {
  readonly plain: OutgoingHead;
  readonly isEventStream: boolean;
}

/** Reads heads of answers: the same head, of which connections tell again and again, once. */
export class ReadAnswers {
  readonly #known = new WeakMap<AnswerHead, ReadAnswer>();

  of(head: AnswerHead): ReadAnswer {
    const known = this.#known.get(head);
    if (known !== undefined) return known;
    const response = readResponseHead(head.lines);
    const [length] = response.lengths;
    const plain = {
      status: head.status,
      headers: headerText(response.forward),
      length: length === undefined ? undefined : Number(length),
    };
    const isEventStream = /^text\/event-stream\b/i.test(response.contentType);
    const read = { ...response, plain, isEventStream };
    this.#known.set(head, read);
    return read;
  }
}
