import { Failure } from '../core/failure.js';
import { type ResponseHead, readResponseHead } from '../relay/forwarded-headers.js';
import type { AnswerHead } from '../relay/response-head.js';
import { headerText } from '../relay/response-text.js';
import type { OutgoingHead, Refusal } from '../relay/server-response.js';

const seeTerminal = 'The terminal that postern proxy runs in says more.';

const refusals = {
  wrong_host: [421, 'This address does not belong to the proxy: use the one that it printed.'],
  cross_site: [403, 'Requests from web pages are refused.'],
  bad_request: [400, 'This request can be read in more than one way.'],
  bad_target: [
    400,
    'This path is not plain: it must stay below the server’s address, without dot segments or encoded slashes.',
  ],
  expectation_refused: [417, 'Nothing but 100-continue can be expected here.'],
  upgrade_refused: [400, 'Connections are not upgraded here.'],
  version_refused: [505, 'HTTP/1.1 is needed.'],
  too_many_headers: [431, 'There are too many headers.'],
  key_needed: [401, 'The local key is missing or wrong: use the address that postern proxy printed.'],
  no_such_mount: [404, 'No server is mounted at this path.'],
  session_of_other_server: [400, 'This session belongs to another server of this proxy.'],
  too_many_requests: [503, 'Too many requests are under way.'],
  body_stalled: [408, 'The body of the request did not come.'],
  ending: [503, 'The proxy is ending.'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** A refusal of the caller's request, for a reason that lies in it. */
export function refusal(code: keyof typeof refusals, close = false): Refusal {
  const [status, message] = refusals[code];
  return { status, code, message, close };
}

/** The answer for what went wrong on the way to the server, or with its login. */
export function refusalFor(error: unknown): Refusal {
  const code = error instanceof Failure ? error.code : 'fault';
  if (error instanceof Failure && error.exit === 3) {
    return code === 'token_refused'
      ? { status: 401, code, message: `The server refuses the token of this login. ${seeTerminal}` }
      : code === 'insufficient_scope'
        ? { status: 403, code, message: `The login has not the scope for this. ${seeTerminal}` }
        : {
            status: 503,
            code,
            message: `A login is needed; it is used as soon as it is there. ${seeTerminal}`,
          };
  }
  if (error instanceof Failure && error.exit === 4) {
    return { status: 403, code, message: `The server wants more scope than this login has. ${seeTerminal}` };
  }
  if (error instanceof Failure && error.exit === 7) {
    return { status: 503, code, message: `The store of the login is not available. ${seeTerminal}` };
  }
  const status = code === 'timed_out' ? 504 : 502;
  return {
    status,
    code,
    message: `The server could not be asked, or its answer not be used. ${seeTerminal}`,
  };
}

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
