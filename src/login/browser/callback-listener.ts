import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthorizationResponse } from '../../oauth/authorization-response.js';
import { responseUnusable } from '../failures.js';
import type { CallbackListener, CallbackListeners, LoginConsent, PlaceOfLink } from '../ports.js';
import { type MadeRequest, Requests } from './authorization-links.js';
import { type CallbackLimits, longestParameter, longestTarget, maxParameters } from './callback-limits.js';
import { FinalPage, sendOn, sendPage } from './final-page.js';
import { equalityTo, isOfOtherUser, Links, newNonce, type Taker } from './one-time-link.js';
import { type LoopbackServer, openServer } from './open-server.js';
import { createPages, type Pages } from './page.js';
import { validateRequest } from './validate-request.js';

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
  readonly #arrival = new Arrival<AuthorizationResponse>();
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
    if (this.#expectation === undefined) throw new Error('a callback listener is armed before it shows an address');
    return this.#expectation.requests.addressToShow();
  }

  isOurs(state: string): boolean {
    return this.#expectation?.requests.find(state) !== undefined;
  }

  answer(signal: AbortSignal): Promise<AuthorizationResponse> {
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
    const judged = validateRequest({ method, target, rawHeaders }, this.#authority);
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
    const reading = readResponse(query, (state) => this.isOurs(state));
    if (reading.kind === 'not_ours') {
      if (this.#expectation !== undefined && /(?:^|&)(?:code|error)=/.test(query)) this.#ignored += 1;
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    const state = new URLSearchParams(query).get('state') ?? '';
    this.#first ??= { request: this.#expectation?.requests.find(state), browser: this.#browserOf(request) };
    if (reading.kind === 'unusable') this.#arrival.fail(responseUnusable(reading.why));
    else if (isTooLong) this.#arrival.fail(responseUnusable(`it is longer than ${longestTarget} characters`));
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

/** Something that comes, or fails to, at most once; what came first stays, whoever asks and when. */
export class Arrival<Value> {
  readonly #promise: Promise<Value>;
  #resolve: (value: Value) => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor() {
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before, or without, anybody asking.
    this.#promise.catch(() => {});
  }

  succeed(value: Value): void {
    this.#resolve(value);
  }

  fail(reason: unknown): void {
    this.#reject(reason);
  }

  /** @throws what it failed with, or the signal's reason */
  async wait(signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted();
    let stop = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([this.#promise, aborted]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

export type CallbackReading =
  /** Not an answer to our request: no `state`, several, or another. */
  | { readonly kind: 'not_ours' }
  /** It carries our state, and cannot be read without guessing. `why` begins with "it". */
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'ours'; readonly answer: AuthorizationResponse };

/**
 * Reads the query of a callback (RFC 6749 section 4.1.2; `application/x-www-form-urlencoded`). Whether it is ours is
 * decided by `state` alone; what the other parameters mean is the protocol's to judge, so repeats are kept.
 */
export function readResponse(query: string, isOurState: (state: string) => boolean): CallbackReading {
  // The question mark keeps URLSearchParams from eating one that belongs to the first name.
  const answer = [...new URLSearchParams(`?${query}`)];
  const states = answer.filter(([name]) => name === 'state').map(([, value]) => value);
  if (states.length !== 1 || !isOurState(states[0] ?? '')) return { kind: 'not_ours' };
  if (answer.length > maxParameters) return { kind: 'unusable', why: 'it has too many parameters' };
  if (answer.some(([name, value]) => Math.max(name.length, value.length) > longestParameter)) {
    return { kind: 'unusable', why: `it has a parameter longer than ${longestParameter} characters` };
  }
  if (!isStrictlyEncoded(query)) return { kind: 'unusable', why: 'its percent-encoding is not valid UTF-8' };
  return { kind: 'ours', answer };
}

/** URLSearchParams repairs what it cannot decode; an answer that needs repair is not taken. */
function isStrictlyEncoded(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/** Callback listeners on 127.0.0.1, each for one authorization request (RFC 8252 section 7.3). */
export function createCallbackListeners(limits: CallbackLimits): CallbackListeners {
  return {
    listen: async ({ port }) => {
      let onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
        response.destroy();
      };
      const server = await openServer(port, limits, (request, response) => onRequest(request, response));
      const listener = new LoopbackListener(server, createPages(), limits);
      onRequest = (request, response) => listener.handle(request, response);
      return listener;
    },
  };
}
