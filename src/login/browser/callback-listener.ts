import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { type ChosenRedirectUri, redirectUriText } from '../../core/configuration/redirect-uri.js';
import { type AuthorizationResponse, readResponse } from '../../oauth/authorization-response.js';
import { responseUnusable } from '../failures.js';
import { runsInContainer } from './browser-availability.js';
import { listenAddressRefused } from './failures.js';
import { FinalPage, sendOn, sendPage } from './final-page.js';
import {
  equalityTo,
  type LinkOrigin,
  Links,
  type MadeRequest,
  newNonce,
  Requests,
  type RequestToOpen,
  type Taker,
} from './one-time-link.js';
import {
  type CallbackAddress,
  type CallbackLimits,
  callbackLimits,
  type LoopbackServer,
  openServer,
  type Visit,
} from './open-server.js';
import { createPages, type LoggedIn, type LoginConsent } from './page.js';

/** Of a request target, in characters. */
const maxTargetLength = 8_192;

/** How the way through the browser ended; `declined`: somebody said no at the authorization server. */
type LoginOutcome = 'stored' | 'failed' | 'declined';

/**
 * One wait for one authorization response. Four addresses exist: `/go/<nonce>`, which leads to the
 * authorization server, where a program began the login by way of a page that asks the person and `/agreed/<nonce>`;
 * the path of the redirect URI, where only our states count; `/done/<nonce>`, the final page, whose address is worth nothing. All else,
 * and every callback without a state of ours, gets the same constant page, and the wait goes on.
 */
export class CallbackListener implements AsyncDisposable {
  /** `http://127.0.0.1:<port>/callback`, or with the host and the path that were chosen. */
  readonly redirectUri: string;
  readonly #authority: string;
  readonly #path: string;
  readonly #server: LoopbackServer;
  readonly #pages = createPages();
  readonly #finalPage: FinalPage;
  readonly #links: Links;
  /** The first callback with one of our states; its browser is kept waiting until `finish`. Rejects with `callback_unusable`. */
  readonly response: Promise<AuthorizationResponse>;
  #succeed = (_response: AuthorizationResponse): void => {};
  #fail = (_reason: unknown): void => {};
  #armed: { readonly requests: Requests; readonly consent: LoginConsent | undefined } | undefined;
  /** The request that the first response belongs to, and the browser that brought it. */
  #first: { readonly request: MadeRequest | undefined; readonly browser: string | undefined } | undefined;
  /** How many callbacks had an unknown `state`, or none, and were ignored. */
  ignored = 0;

  constructor(
    server: LoopbackServer,
    { host, path }: Pick<ChosenRedirectUri, 'host' | 'path'>,
    limits: CallbackLimits,
  ) {
    this.#authority = `${host}:${server.port}`;
    this.redirectUri = redirectUriText({ host, port: server.port, path });
    this.#path = path || '/';
    this.#links = new Links(server.port);
    this.#server = server;
    this.#finalPage = new FinalPage(this.#pages, limits);
    this.response = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
    this.response.catch(() => {}); // it may fail before, or without, anybody waiting
    server.onVisit(this.#authority, (visit) => this.#handle(visit));
  }

  /**
   * True once the response may be somebody else's: the opener's link was taken by two browsers, or by another user, and the
   * request was none of the terminal's; or it came by another browser than the one its request was made for. Look right
   * before it is redeemed.
   */
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

  /**
   * From now on links lead on, and a callback with the state of a request that was made ends the wait.
   * @param newRequest Makes an authorization request; what it throws, the person knows already.
   */
  arm({
    newRequest,
    consent,
  }: {
    readonly newRequest: () => Promise<RequestToOpen>;
    readonly consent?: LoginConsent | undefined;
  }): void {
    if (this.#armed !== undefined) throw new Error('a callback listener is armed once');
    this.#armed = { requests: new Requests(newRequest), consent };
  }

  /** A new one-time URL of ours, which redirects each browser to an authorization request of its own. With `consent` by
   * way of a page of ours with a button. */
  link(origin: LinkOrigin): string {
    return `http://${this.#authority}${this.#links.add(origin)}`;
  }

  /** The address of an authorization request for the terminal, which the person may open on any computer. */
  async address(): Promise<string> {
    if (this.#armed === undefined) throw new Error('a callback listener is armed before it shows an address');
    return this.#armed.requests.addressFor(undefined);
  }

  isOurs(state: string): boolean {
    return this.#armed?.requests.find(state) !== undefined;
  }

  /** Lets the waiting browser go on to our last page: `stored` only once the token is; then it names the login. */
  async finish(outcome: LoginOutcome, login?: LoggedIn): Promise<void> {
    await this.#finalPage.release(login === undefined ? this.#pages[outcome] : this.#pages.loggedIn(login));
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#finalPage.forget();
    this.#fail(new Error('the callback listener was closed'));
    await this.#server.close();
  }

  #handle(visit: Visit): void {
    const { request, response, target, path, query } = visit;
    const refuse = (status: number) => sendPage(response, status, this.#pages.nothing);
    if (path === this.#path && query !== undefined) this.#takeCallback(visit, query);
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
    const taken = this.#links.take(request);
    if (taken === 'used') sendPage(response, 410, this.#pages.used);
    else if (taken !== undefined) {
      const cookie = this.#links.cookieOf(taken);
      if (consent === undefined) void this.#sendToLogin(requests, taken, response, cookie);
      else {
        const path = `/agreed/${newNonce()}`; // on that page alone
        taken.button ??= { path, isHere: equalityTo(path) };
        sendPage(response, 200, this.#pages.consent(consent, taken.button.path), cookie);
      }
    }
    return taken !== undefined;
  }

  /** To a request of this browser's own; where there is none to be had, the terminal says why. */
  async #sendToLogin(requests: Requests, taker: Taker, response: ServerResponse, cookie?: string) {
    try {
      sendOn(response, await requests.addressFor(taker), cookie);
    } catch {
      sendPage(response, 502, this.#pages.unopened, cookie);
    }
  }

  #takeCallback({ request, response, target }: Visit, query: string): void {
    const isTooLong = target.length > maxTargetLength;
    const read = readResponse(query, (state) => this.isOurs(state));
    if (!read.ok && read.problem !== 'unreadable') {
      if (this.#armed !== undefined && /(?:^|&)(?:code|error)=/.test(query)) this.ignored += 1;
      sendPage(response, isTooLong ? 414 : 400, this.#pages.nothing);
      return;
    }
    this.#finalPage.hold(response);
    const state = new URLSearchParams(query).get('state') ?? '';
    this.#first ??= { request: this.#armed?.requests.find(state), browser: this.#links.browserOf(request) };
    if (isTooLong) this.#fail(responseUnusable(`it is longer than ${maxTargetLength} characters`));
    else if (read.ok) this.#succeed(read.response);
    else this.#fail(responseUnusable('it is too long, or its percent-encoding is not valid UTF-8'));
  }
}

/**
 * Opens a callback listener on loopback, for one authorization request (RFC 8252 section 7.3). At another address it listens
 * in a container alone, which has a network of its own.
 * @param limits Instead of the program's own.
 * @throws Failure `port_in_use`, `port_refused`, `listen_address_refused`
 */
export async function listenForCallback(
  at: CallbackAddress & Pick<ChosenRedirectUri, 'path'>,
  limits: Partial<CallbackLimits> = {},
  inContainer = runsInContainer,
): Promise<CallbackListener> {
  const { address } = at;
  if (address !== undefined && isIP(address) === 0) throw listenAddressRefused(address, 'it is no IP address');
  if (address !== undefined && !inContainer()) throw listenAddressRefused(address, 'this is not a container');
  const all = { ...callbackLimits, ...limits };
  return new CallbackListener(await openServer(at, all), at, all);
}
