import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import { headerText } from '../../primitives/http1/answer-text.js';
import { type ResponseHead, readResponseHead } from '../../primitives/relayed-answer.js';
import type { OutgoingHead } from './caller/answer.js';

/** The head of an answer of the server, and what the caller is told where nothing of it depends on the request. */
export interface ReadAnswer extends ResponseHead {
  readonly plain: OutgoingHead;
  readonly isEventStream: boolean;
  /** Is its body compressed? */
  readonly isCoded: boolean;
}

/** So many heads are remembered: as many as there are busy connections, most of the time. */
const most = 64;

/** Reads heads of answers: the same head, of which connections tell again and again, once. */
export class ReadAnswers {
  readonly #heads: AnswerHead[] = [];
  readonly #read: ReadAnswer[] = [];
  #next = 0;

  of(head: AnswerHead): ReadAnswer {
    const known = this.#read[this.#heads.indexOf(head)];
    if (known !== undefined) return known;
    const read = readAnswer(head);
    this.#heads[this.#next] = head;
    this.#read[this.#next] = read;
    this.#next = (this.#next + 1) % most;
    return read;
  }
}

function readAnswer({ status, lines }: AnswerHead): ReadAnswer {
  const response = readResponseHead(lines);
  const [said] = response.lengths;
  const length = said === undefined ? undefined : Number(said);
  const plain = { status, headers: headerText(response.forward), length };
  // As the most lenient reader has it.
  const isEventStream = /text\/event-stream/i.test(response.contentTypes.join());
  const isCoded = response.contentCodings.some((coding) => !/^(?:identity)?$/i.test(coding));
  return { ...response, plain, isEventStream, isCoded };
}
