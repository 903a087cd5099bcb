import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerUnusable } from '../../errors/authorization.js';
import type { AuthorizationAnswer, CallbackListener, PlaceOfLink } from '../../ports.js';
import { Arrival } from './arrival.js';
import { FinalPage } from './final-page.js';
import { judgeRequest } from './judge-request.js';
import { type CallbackLimits, longestTarget } from './limits.js';
import { Links } from './links.js';
import { equalityTo, newNonce } from './one-time-value.js';
import type { LoopbackServer } from './open-server.js';
import type { Page, Pages } from './page.js';
import { isOfOtherUser } from './peer-user.js';
import { readAnswer } from './read-answer.js';
import { sendOn, sendPage } from './respond.js';

/** What the listener waits for once it is armed. */
interface Expectation {
  readonly isOurState: (state: string) => boolean;
  readonly authorizationUrl: string;
  /** The page that is shown first, and is its button's address that one? It stands on that page alone. */
  readonly consent: { readonly page: Page; readonly isNext: (path: string) => boolean } | undefined;
}

/**
 * One wait for one authorization response. Four addresses exist: `/go/<nonce>`, which leads to the
 * authorization server, where a program began the login by way of a page that asks the person and `/agreed/<nonce>`; `/callback`, where only our `state` counts; `/done/<nonce>`, the final page, whose address is
 * worth nothing. All else, and every callback without our state, gets the same constant answer, and the wait goes on.
 */
export class LoopbackListener implements CallbackListener {
  readonly redirectUri: string;
  readonly #authority: string;
  readonly #server: LoopbackServer;
  readonly #pages: Pages;
  readonly #finalPage: FinalPage;
  readonly #arrival = new Arrival<AuthorizationAnswer>();
  readonly #links = new Links();
  /** Ports have no cookies of their own: logins at the same time would take each other's. */
  readonly #cookie: string;
  #expectation: Expectation | undefined;
  #answeredBy: string | undefined;
  #answered = false;
  #ignored = 0;

  constructor(server: LoopbackServer, pages: Pages, limits: CallbackLimits) {
    this.#authority = `127.0.0.1:${server.port}`;
    this.redirectUri = `http://${this.#authority}/callback`;
    this.#cookie = `postern-${server.port}`;
    this.#server = server;
    this.#pages = pages;
    this.#finalPage = new FinalPage(pages, limits);
  }

  get doubtful(): boolean {
    return this.#links.doubtful && !this.#links.isOfPerson(this.#answeredBy);
  }

  get ignored(): number {
    return this.#ignored;
  }

  arm(options: Parameters<CallbackListener['arm']>[0]): void {
    if (this.#expectation !== undefined) throw new Error('a callback listener is armed once');
    if (!/^https?:\/\/[\x21-\x7e]+$/.test(options.authorizationUrl)) {
      throw new Error('an authorization request is an http or https URL');
    }
    const next = `/agreed/${newNonce()}`;
    const { consent } = options;
    this.#expectation = {
      consent: consent && { page: this.#pages.consent(consent, next), isNext: equalityTo(next) },
      isOurState: equalityTo(options.state.reveal()),
      authorizationUrl: options.authorizationUrl,
    };
  }

  link(place: PlaceOfLink): string {
    return `http://${this.#authority}${this.#links.add(place)}`;
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
      this.#takeCallback(request, judged.query, response);
    } else if (target.length > longestTarget) {
      sendPage(response, 414, this.#pages.nothing);
    } else if (this.#takeLink(request, target, response)) {
      return;
    } else if (!this.#finalPage.serve(target, response)) {
      sendPage(response, judged.path === '/callback' ? 400 : 404, this.#pages.nothing);
    }
  }

  /** False when `target` is none of our links, nor the button's. */
  #takeLink(request: IncomingMessage, target: string, response: ServerResponse): boolean {
    if (this.#expectation === undefined) return false;
    const { authorizationUrl, consent } = this.#expectation;
    if (consent?.isNext(target)) {
      sendOn(response, authorizationUrl);
      return true;
    }
    const visitor = { browser: this.#browserOf(request), isOtherUser: () => isOfOtherUser(request.socket) };
    const taking = this.#links.take(target, visitor);
    if (taking?.kind === 'used') sendPage(response, 410, this.#pages.used);
    if (taking?.kind === 'sent_on') {
      const cookie = `${this.#cookie}=${taking.browser}; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`;
      if (consent === undefined) sendOn(response, authorizationUrl, cookie);
      else sendPage(response, 200, consent.page, cookie);
    }
    return taking !== undefined;
  }

  #takeCallback(request: IncomingMessage, query: string, response: ServerResponse): void {
    const isTooLong = (request.url ?? '').length > longestTarget;
    const reading = readAnswer(query, (state) => this.#expectation?.isOurState(state) ?? false);
    if (reading.kind === 'not_ours') {
      if (this.#expectation !== undefined && /(?:^|&)(?:code|error)=/.test(query)) this.#ignored += 1;
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    if (!this.#answered) this.#answeredBy = this.#browserOf(request);
    this.#answered = true;
    if (reading.kind === 'unusable') this.#arrival.fail(answerUnusable(reading.why, []));
    else if (isTooLong)
      this.#arrival.fail(answerUnusable(`it is longer than ${longestTarget} characters`, []));
    else this.#arrival.succeed(reading.answer);
  }

  /** The value of our cookie, where there is one. */
  #browserOf({ headers }: IncomingMessage): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return pairs.find(([name]) => name === this.#cookie)?.[1];
  }
}
