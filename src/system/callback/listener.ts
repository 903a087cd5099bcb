import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerUnusable } from '../../errors/authorization.js';
import { linkTakenTwice } from '../../errors/callback.js';
import type { AuthorizationAnswer, CallbackListener } from '../../ports.js';
import type { Secret } from '../../primitives/secret.js';
import { Arrival } from './arrival.js';
import { FinalPage } from './final-page.js';
import { judgeRequest } from './judge-request.js';
import { type CallbackLimits, longestTarget } from './limits.js';
import { equalityTo, newNonce } from './one-time-value.js';
import type { LoopbackServer } from './open-server.js';
import type { Pages } from './page.js';
import { readAnswer } from './read-answer.js';
import { sendOn, sendPage } from './respond.js';

/** What the listener waits for once it is armed. */
interface Expectation {
  readonly isOurState: (state: string) => boolean;
  readonly isOurLink: (path: string) => boolean;
  readonly authorizationUrl: string;
}

/**
 * One wait for one authorization response. Three addresses exist: `/go/<nonce>`, which works once and leads to the
 * authorization server; `/callback`, where only our `state` counts; `/done/<nonce>`, the final page, whose address is
 * worth nothing. All else, and every callback without our state, gets the same constant answer, and the wait goes on.
 */
export class LoopbackListener implements CallbackListener {
  readonly redirectUri: string;
  readonly #authority: string;
  readonly #server: LoopbackServer;
  readonly #pages: Pages;
  readonly #finalPage: FinalPage;
  readonly #arrival = new Arrival<AuthorizationAnswer>();
  #expectation: Expectation | undefined;
  #linkUses = 0;

  constructor(server: LoopbackServer, pages: Pages, limits: CallbackLimits) {
    this.#authority = `127.0.0.1:${server.port}`;
    this.redirectUri = `http://${this.#authority}/callback`;
    this.#server = server;
    this.#pages = pages;
    this.#finalPage = new FinalPage(pages, limits);
  }

  get linkTakenTwice(): boolean {
    return this.#linkUses > 1;
  }

  arm(options: { readonly state: Secret; readonly authorizationUrl: string }): string {
    if (this.#expectation !== undefined) throw new Error('a callback listener is armed once');
    if (!/^https?:\/\/[\x21-\x7e]+$/.test(options.authorizationUrl)) {
      throw new Error('an authorization request is an http or https URL');
    }
    const link = `/go/${newNonce()}`;
    this.#expectation = {
      isOurState: equalityTo(options.state.reveal()),
      isOurLink: equalityTo(link),
      authorizationUrl: options.authorizationUrl,
    };
    return `http://${this.#authority}${link}`;
  }

  answer(signal: AbortSignal): Promise<AuthorizationAnswer> {
    return this.#arrival.wait(signal);
  }

  async finish(outcome: 'stored' | 'failed'): Promise<void> {
    await this.#finalPage.release(outcome);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finalPage.forget();
    this.#arrival.fail(new Error('the callback listener was closed'));
    await this.#server.close();
  }

  /** Answers one request of the server that this listener sits on. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: target = '', rawHeaders } = request;
    const judged = judgeRequest({ method, target, rawHeaders }, this.#authority);
    if (!judged.ok) {
      sendPage(response, judged.status, this.#pages.nothing);
    } else if (judged.path === '/callback' && judged.query !== undefined) {
      this.#takeCallback(judged.query, target.length > longestTarget, response);
    } else if (target.length > longestTarget) {
      sendPage(response, 414, this.#pages.nothing);
    } else if (this.#expectation?.isOurLink(target)) {
      this.#takeLink(this.#expectation, response);
    } else if (!this.#finalPage.serve(target, response)) {
      sendPage(response, judged.path === '/callback' ? 400 : 404, this.#pages.nothing);
    }
  }

  #takeLink(expectation: Expectation, response: ServerResponse): void {
    this.#linkUses += 1;
    if (this.#linkUses === 1) {
      sendOn(response, expectation.authorizationUrl);
      return;
    }
    sendPage(response, 410, this.#pages.used);
    this.#arrival.fail(linkTakenTwice());
  }

  #takeCallback(query: string, isTooLong: boolean, response: ServerResponse): void {
    const reading = readAnswer(query, (state) => this.#expectation?.isOurState(state) ?? false);
    if (reading.kind === 'not_ours') {
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    if (reading.kind === 'unusable') this.#arrival.fail(answerUnusable(reading.why, []));
    else if (isTooLong)
      this.#arrival.fail(answerUnusable(`it is longer than ${longestTarget} characters`, []));
    else this.#arrival.succeed(reading.answer);
  }
}
