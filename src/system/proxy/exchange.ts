import type { AnswerHead } from '../../primitives/http1/answer-head.js';
import { type ResponseHead, readResponseHead } from '../../primitives/relayed-headers.js';
import type { Secret } from '../../primitives/secret.js';
import type { AnswerTaker } from '../http/answer-taker.js';
import type { Lane } from '../http/lane.js';
import type { Lanes } from '../http/lanes.js';
import { Attempt } from './attempt.js';
import { framingProblem, headersForCaller, isStanding } from './caller-head.js';
import type { ExchangeParts } from './exchange-parts.js';
import { type KeptBody, keepBody } from './kept-body.js';
import { Outgoing } from './outgoing.js';
import { type Refusal, refusal, refusalFor } from './refusal.js';
import { Retries } from './retries.js';
import { Silence } from './silence.js';

/** One request, from its admission to the last byte of its answer. */
export class Exchange implements AnswerTaker {
  readonly #parts: ExchangeParts;
  readonly #out: Outgoing;
  readonly #body: KeptBody;
  readonly #silence = new Silence();
  readonly #retries: Retries;
  #token: Secret | undefined;
  #attempt: Attempt | undefined;
  #ended = false;
  #standing = false;

  constructor(parts: ExchangeParts) {
    const { request, response, admitted } = parts;
    this.#parts = parts;
    this.#out = new Outgoing(response);
    response.once('close', () => {
      this.#attempt?.cut();
      this.#finish();
    });
    this.#body = keepBody(request, admitted.framing, {
      ready: () => this.#ready(),
      progress: () => this.#silence.moved(),
    });
    const { mount, origin } = admitted.mounted;
    this.#retries = new Retries(mount, {
      method: request.method ?? 'GET',
      url: origin + admitted.target,
    });
  }

  /** To be called once; a body that is awaited whole begins it when it is there. */
  begin(): void {
    if (!this.#body.waiting) this.#ready();
  }

  /** Is it a standing event stream? */
  get standing(): boolean {
    return this.#standing;
  }

  /** Looks whether somebody keeps silent for too long. @param now as `performance.now()` */
  sweep(now: number): void {
    const { around, admitted } = this.#parts;
    const { host } = admitted.mounted.url;
    const verdict = this.#silence.judge(now, host, around.options.limits, this.#body.waiting);
    if (verdict?.kind === 'server') this.#fail(verdict.failure);
    else if (verdict?.kind === 'caller_stalled') this.#answer(refusal('body_stalled', true));
    else if (verdict !== undefined) this.cut();
  }

  /** Ends it in the middle. */
  cut(): void {
    this.#parts.response.destroy();
  }

  head({ status, lines }: AnswerHead): void {
    const head = readResponseHead(lines);
    const problem = framingProblem(head, this.#parts.admitted);
    if (problem !== undefined) {
      this.#fail(problem);
      return;
    }
    const { challenges } = head;
    const better = this.#token && this.#retries.after({ status, challenges }, this.#token, this.#body);
    if (better === undefined) {
      this.#passOn(status, head);
      return;
    }
    this.#attempt?.drop();
    this.#sendWith(better);
  }

  data(chunk: Uint8Array): boolean {
    this.#silence.moved();
    // The chunk's memory is the lane's; `node:http` may keep what it is given for a while.
    const goOn = this.#out.data(Buffer.from(chunk), () => {
      this.#silence.turnOf('server sends');
      this.#attempt?.resume();
    });
    if (!goOn) this.#silence.turnOf('caller reads');
    return goOn;
  }

  end(): void {
    this.#out.end();
    this.#finish();
  }

  failed(error: unknown, unanswered: boolean): void {
    const hasBody = this.#parts.admitted.framing.kind !== 'none';
    if (unanswered && this.#token !== undefined && this.#retries.mayRepeat(hasBody)) this.#send(this.#token);
    else this.#fail(error);
  }

  #ready(): void {
    const token = this.#parts.admitted.mounted.mount.token();
    if (token instanceof Promise) this.#sendWith(token);
    else this.#send(token);
  }

  #sendWith(token: Promise<Secret>): void {
    this.#silence.turnOf('token');
    token.then(
      (ready) => this.#send(ready),
      (error: unknown) => this.#fail(error),
    );
  }

  #send(token: Secret): void {
    if (this.#ended) return;
    this.#token = token;
    this.#silence.turnOf('server answers');
    const { places, signal } = this.#parts.around;
    const { url, origin } = this.#parts.admitted.mounted;
    const lanes = places.open(origin);
    const lane = lanes?.borrowNow('stream');
    if (lanes !== undefined && lane !== undefined) {
      this.#dispatch(lanes, lane, token);
      return;
    }
    const borrow = async () => {
      const found = await places.find(url, 'person', signal);
      this.#dispatch(found, await found.borrow('stream', signal), token);
    };
    borrow().catch((error: unknown) => this.#fail(error));
  }

  #dispatch(lanes: Lanes<Lane>, lane: Lane, token: Secret): void {
    if (this.#ended) {
      lanes.release(lane);
      return;
    }
    const { head, target } = this.#parts.admitted;
    const headers = [...head.forward, 'authorization', `Bearer ${token.reveal()}`];
    const { method = 'GET' } = this.#parts.request;
    this.#attempt = new Attempt(lane, this);
    this.#attempt.send({ target, method, headers, body: this.#body.open() });
  }

  #passOn(status: number, head: ResponseHead): void {
    const { request, response, admitted, around } = this.#parts;
    let headers: string[];
    try {
      headers = headersForCaller(status, head, admitted);
    } catch (error) {
      this.#fail(error);
      return;
    }
    around.sessions.learn(head.sessions, admitted.mounted.mount.name);
    this.#standing = isStanding(request.method, head);
    if (around.ending) response.shouldKeepAlive = false;
    response.sendDate = !head.hasDate;
    this.#silence.turnOf('server sends');
    this.#out.head(status, headers);
  }

  #fail(error: unknown): void {
    if (this.#ended) return;
    const { around, admitted, id } = this.#parts;
    around.options.failed(admitted.mounted.mount.name, error, id);
    this.#answer(refusalFor(error));
  }

  #answer(answer: Refusal): void {
    if (this.#ended) return;
    const { request, admitted, around, id } = this.#parts;
    this.#attempt?.cut();
    const isUnread = admitted.framing.kind !== 'none' && !request.complete;
    this.#out.refuse({ ...answer, close: answer.close === true || isUnread || around.ending }, id);
    this.#finish();
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parts.over();
  }
}
