import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerUnusable } from '../../errors/authorization.js';
import type { AuthorizationAnswer, CallbackListener, LoginConsent, PlaceOfLink } from '../../ports.js';
import { Arrival } from './arrival.js';
import { FinalPage } from './final-page.js';
import { judgeRequest } from './judge-request.js';
import { type CallbackLimits, longestTarget } from './limits.js';
import { Links, type Taker } from './links.js';
import { equalityTo, newNonce } from './one-time-value.js';
import type { LoopbackServer } from './open-server.js';
import type { Pages } from './page.js';
import { isOfOtherUser } from './peer-user.js';
import { readAnswer } from './read-answer.js';
import { type MadeRequest, Requests } from './requests.js';
import { sendOn, sendPage } from './respond.js';

/** What the listener waits for once it is armed. */
interface Expectation {
  readonly requests: Requests;
  /** Asked on a page that is shown first. */
  readonly consent: LoginConsent | undefined;
}

/** The answer that was first: the request that it belongs to, and the browser that brought it. */
interface First {
  readonly request: MadeRequest | undefined;
  readonly browser: string | undefined;
}

/**
 * One wait for one authorization response. Four addresses exist: `/go/<nonce>`, which leads to the
 * authorization server, where a program began the login by way of a page that asks the person and `/agreed/<nonce>`;
 * `/callback`, where only our states count; `/done/<nonce>`, the final page, whose address is worth nothing. All else,
 * and every callback without a state of ours, gets the same constant answer, and the wait goes on.
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
  #first: First | undefined;
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
    const { request, browser } = this.#first ?? {};
    if (this.#first === undefined || request === undefined) return this.#links.doubtful;
    const { taker } = request;
    // The address itself stood in the terminal alone.
    if (taker === undefined) return false;
    // A browser with no cookie may keep none: whoever took the link can bring the answer with the cookie anyway.
    const isOfAnother = browser !== undefined && this.#links.knows(browser) && browser !== taker.browser;
    if (taker.place === 'terminal' && browser === taker.browser) return false;
    return isOfAnother || this.#links.doubtful;
  }

  get ignored(): number {
    return this.#ignored;
  }

  arm(options: Parameters<CallbackListener['arm']>[0]): void {
    if (this.#expectation !== undefined) throw new Error('a callback listener is armed once');
    const { newRequest, consent } = options;
    this.#expectation = { requests: new Requests(newRequest), consent };
  }

  link(place: PlaceOfLink): string {
    return `http://${this.#authority}${this.#links.add(place)}`;
  }

  async address(): Promise<string | undefined> {
    if (this.#expectation === undefined)
      throw new Error('a callback listener is armed before it shows an address');
    return this.#expectation.requests.addressToShow();
  }

  isOurs(state: string): boolean {
    return this.#expectation?.requests.find(state) !== undefined;
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
    const { requests, consent } = this.#expectation;
    const agreed = this.#links.takerAt(target);
    if (agreed !== undefined) {
      void this.#sendToLogin(requests, agreed, response);
      return true;
    }
    const visitor = { browser: this.#browserOf(request), isOtherUser: () => isOfOtherUser(request.socket) };
    const taking = this.#links.take(target, visitor);
    if (taking?.kind === 'used') sendPage(response, 410, this.#pages.used);
    if (taking?.kind === 'sent_on') {
      const { taker } = taking;
      const cookie = `${this.#cookie}=${taker.browser}; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`;
      if (consent === undefined) void this.#sendToLogin(requests, taker, response, cookie);
      else sendPage(response, 200, this.#pages.consent(consent, buttonOf(taker)), cookie);
    }
    return taking !== undefined;
  }

  /** To a request of this browser's own; where there is none to be had, the terminal says why. */
  async #sendToLogin(requests: Requests, taker: Taker, response: ServerResponse, cookie?: string) {
    try {
      const address = await requests.addressFor(taker);
      if (address === undefined) this.#finalPage.hold(response);
      else sendOn(response, address, cookie);
    } catch {
      sendPage(response, 502, this.#pages.unopened, cookie);
    }
  }

  #takeCallback(request: IncomingMessage, query: string, response: ServerResponse): void {
    const isTooLong = (request.url ?? '').length > longestTarget;
    const reading = readAnswer(query, (state) => this.isOurs(state));
    if (reading.kind === 'not_ours') {
      if (this.#expectation !== undefined && /(?:^|&)(?:code|error)=/.test(query)) this.#ignored += 1;
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    const state = new URLSearchParams(query).get('state') ?? '';
    this.#first ??= { request: this.#expectation?.requests.find(state), browser: this.#browserOf(request) };
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

/** Where the button of this browser's page leads: the address stands on that page alone. */
function buttonOf(taker: Taker): string {
  const path = `/agreed/${newNonce()}`;
  taker.button ??= { path, isHere: equalityTo(path) };
  return taker.button.path;
}
