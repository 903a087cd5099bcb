import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type ChosenRedirectUri, redirectUriText } from '../../core/configuration/redirect-uri.js';
import type { AuthorizationResponse } from '../../oauth/authorization-response.js';
import { responseUnusable } from '../failures.js';
import type {
  CallbackListener,
  CallbackListeners,
  LinkOrigin,
  LoggedIn,
  LoginConsent,
  LoginOutcome,
} from '../ports.js';
import { type CallbackLimits, maxParameterLength, maxParameters, maxTargetLength } from './callback-limits.js';
import { listenAddressRefused } from './failures.js';
import { FinalPage, sendOn, sendPage } from './final-page.js';
import { equalityTo, Links, type MadeRequest, newNonce, Requests, type Taker } from './one-time-link.js';
import { type LoopbackServer, openServer } from './open-server.js';
import { createPages } from './page.js';
import { validateRequest } from './validate-request.js';

/**
 * One wait for one authorization response. Four addresses exist: `/go/<nonce>`, which leads to the
 * authorization server, where a program began the login by way of a page that asks the person and `/agreed/<nonce>`;
 * the path of the redirect URI, where only our states count; `/done/<nonce>`, the final page, whose address is worth nothing. All else,
 * and every callback without a state of ours, gets the same constant page, and the wait goes on.
 */
export class LoopbackListener implements CallbackListener {
  readonly redirectUri: string;
  readonly #authority: string;
  /** Of the redirect URI, as a request names it. */
  readonly #path: string;
  readonly #server: LoopbackServer;
  readonly #pages = createPages();
  readonly #finalPage: FinalPage;
  readonly #links = new Links();
  /** Ports have no cookies of their own: logins at the same time would take each other's. */
  readonly #cookie: string;
  readonly #response: Promise<AuthorizationResponse>;
  #succeed = (_response: AuthorizationResponse): void => {};
  #fail = (_reason: unknown): void => {};
  /** What leads on once the listener is armed. */
  #armed: { readonly requests: Requests; readonly consent: LoginConsent | undefined } | undefined;
  /** The request that the first response belongs to, and the browser that brought it. */
  #first: { readonly request: MadeRequest | undefined; readonly browser: string | undefined } | undefined;
  /** Callbacks with another state, or none. */
  ignored = 0;

  constructor(
    server: LoopbackServer,
    { host, path }: Pick<ChosenRedirectUri, 'host' | 'path'>,
    limits: CallbackLimits,
  ) {
    this.#authority = `${host}:${server.port}`;
    this.redirectUri = redirectUriText({ host, port: server.port, path });
    this.#path = path || '/';
    this.#cookie = `postern-${server.port}`;
    this.#server = server;
    this.#finalPage = new FinalPage(this.#pages, limits);
    this.#response = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    this.#response.catch(() => {}); // it may fail before, or without, anybody waiting
    server.onRequest((request, response) => this.#handle(request, response));
  }

  get doubtful(): boolean {
    const { request, browser } = this.#first ?? {};
    if (this.#first === undefined || request === undefined) return this.#links.doubtful;
    const { taker } = request;
    // The address itself was shown in the terminal alone.
    if (taker === undefined) return false;
    // A browser with no cookie may keep none: whoever took the link can bring the response with the cookie anyway.
    const isOfAnother = browser !== undefined && this.#links.knows(browser) && browser !== taker.browser;
    if (taker.origin === 'terminal' && browser === taker.browser) return false;
    return isOfAnother || this.#links.doubtful;
  }

  arm({ newRequest, consent }: Parameters<CallbackListener['arm']>[0]): void {
    if (this.#armed !== undefined) throw new Error('a callback listener is armed once');
    this.#armed = { requests: new Requests(newRequest), consent };
  }

  link(origin: LinkOrigin): string {
    return `http://${this.#authority}${this.#links.add(origin)}`;
  }

  async address(): Promise<string | undefined> {
    if (this.#armed === undefined) throw new Error('a callback listener is armed before it shows an address');
    return this.#armed.requests.addressFor(undefined);
  }

  isOurs(state: string): boolean {
    return this.#armed?.requests.find(state) !== undefined;
  }

  response(signal: AbortSignal): Promise<AuthorizationResponse> {
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      void this.#response.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  async finish(outcome: LoginOutcome, login?: LoggedIn): Promise<void> {
    await this.#finalPage.release(login === undefined ? this.#pages[outcome] : this.#pages.loggedIn(login));
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finalPage.forget();
    this.#fail(new Error('the callback listener was closed'));
    await this.#server.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: target = '', rawHeaders } = request;
    const refuse = (status: number) => sendPage(response, status, this.#pages.nothing);
    const validated = validateRequest({ method, target, rawHeaders }, this.#authority);
    if (!validated.ok) {
      refuse(validated.status);
      return;
    }
    const { path, query } = validated;
    if (path === this.#path && query !== undefined) this.#takeCallback(request, query, response);
    else if (target.length > maxTargetLength) refuse(414);
    else if (!this.#takeLink(request, target, response) && !this.#finalPage.serve(target, response)) {
      refuse(path === this.#path ? 400 : 404);
    }
  }

  /** False when `target` is none of our links, nor the button's. */
  #takeLink(request: IncomingMessage, target: string, response: ServerResponse): boolean {
    if (this.#armed === undefined) return false;
    const { requests, consent } = this.#armed;
    const agreed = this.#links.takerAt(target);
    if (agreed !== undefined) {
      void this.#sendToLogin(requests, agreed, response);
      return true;
    }
    const taken = this.#links.take(target, this.#browserOf(request), request.socket);
    if (taken === 'used') sendPage(response, 410, this.#pages.used);
    else if (taken !== undefined) {
      const cookie = `${this.#cookie}=${taken.browser}; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`;
      if (consent === undefined) void this.#sendToLogin(requests, taken, response, cookie);
      else sendPage(response, 200, this.#pages.consent(consent, buttonOf(taken)), cookie);
    }
    return taken !== undefined;
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
    const isTooLong = (request.url ?? '').length > maxTargetLength;
    const reading = readResponse(query, (state) => this.isOurs(state));
    if (reading.kind === 'not_ours') {
      if (this.#armed !== undefined && /(?:^|&)(?:code|error)=/.test(query)) this.ignored += 1;
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    const state = new URLSearchParams(query).get('state') ?? '';
    this.#first ??= { request: this.#armed?.requests.find(state), browser: this.#browserOf(request) };
    const tooLong = isTooLong ? `it is longer than ${maxTargetLength} characters` : undefined;
    const why = reading.kind === 'unusable' ? reading.why : tooLong;
    if (why !== undefined) this.#fail(responseUnusable(why));
    else if (reading.kind === 'ours') this.#succeed(reading.response);
  }

  /** Value of our cookie. */
  #browserOf({ headers }: IncomingMessage): string | undefined {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    return pairs.find(([name]) => name === this.#cookie)?.[1];
  }
}

/** Where the button of this browser's page leads: the address is on that page alone. */
function buttonOf(taker: Taker): string {
  const path = `/agreed/${newNonce()}`;
  taker.button ??= { path, isHere: equalityTo(path) };
  return taker.button.path;
}

/** It is not ours; or it is, and cannot be read without guessing, where `why` begins with "it". */
type CallbackReading =
  | { readonly kind: 'not_ours' }
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'ours'; readonly response: AuthorizationResponse };

/**
 * Reads the query of a callback (RFC 6749 section 4.1.2; `application/x-www-form-urlencoded`). One `state` alone, of ours,
 * makes it ours; what the other parameters mean is validated later, so repeats are kept.
 */
function readResponse(query: string, isOurState: (state: string) => boolean): CallbackReading {
  // The question mark keeps URLSearchParams from eating one that belongs to the first name.
  const response = [...new URLSearchParams(`?${query}`)];
  const states = response.filter(([name]) => name === 'state').map(([, value]) => value);
  if (states.length !== 1 || !isOurState(states[0] ?? '')) return { kind: 'not_ours' };
  if (response.length > maxParameters) return { kind: 'unusable', why: 'it has too many parameters' };
  if (response.some(([name, value]) => Math.max(name.length, value.length) > maxParameterLength)) {
    return { kind: 'unusable', why: `it has a parameter longer than ${maxParameterLength} characters` };
  }
  if (!isStrictlyEncoded(query)) return { kind: 'unusable', why: 'its percent-encoding is not valid UTF-8' };
  return { kind: 'ours', response };
}

/** URLSearchParams repairs what it cannot decode; a response that needs repair is not taken. */
function isStrictlyEncoded(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

/**
 * Callback listeners on loopback, each for one authorization request (RFC 8252 section 7.3). At another address they listen
 * in a container alone, which has a network of its own.
 */
export function createCallbackListeners(limits: CallbackLimits, inContainer = (): boolean => false): CallbackListeners {
  return {
    listen: async ({ port, address, host, path }) => {
      if (address !== undefined && isIP(address) === 0) throw listenAddressRefused(address, 'it is no IP address');
      if (address !== undefined && !inContainer()) throw listenAddressRefused(address, 'this is not a container');
      const server = await openServer({ port, host, address }, limits);
      return new LoopbackListener(server, { host, path }, limits);
    },
  };
}
