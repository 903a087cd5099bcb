import type { ServerResponse } from 'node:http';
import { equalityTo, newNonce } from './one-time-link.js';
import type { Page, Pages } from './page.js';

/** In milliseconds. */
export interface PageLimits {
  /** How long the browser is kept waiting on the callback for the outcome. */
  readonly holdMs: number;
  /** How long the final page stays to be fetched once the outcome is known. */
  readonly lingerMs: number;
}

/**
 * The end of the person's way through the browser. A callback with our state is held until the outcome is known, so
 * that nobody reads "success" before the token is stored; then it is sent on to an address that holds no code
 * (RFC 9700 section 4.2), where a page of ours says how it went.
 */
export class FinalPage {
  readonly #pages: Pages;
  readonly #limits: PageLimits;
  readonly #path = `/done/${newNonce()}`;
  readonly #isOurPath = equalityTo(this.#path);
  readonly #held = new Map<ServerResponse, NodeJS.Timeout>();
  #page: Page | undefined;
  #expectedVisits = 0;
  #onEnd = (): void => {};

  constructor(pages: Pages, limits: PageLimits) {
    this.#pages = pages;
    this.#limits = limits;
  }

  /** Keeps the browser waiting for the outcome, until that is known or takes too long. */
  hold(response: ServerResponse): void {
    if (this.#page !== undefined) {
      sendOn(response, this.#path);
      return;
    }
    const timer = setTimeout(() => {
      this.#held.delete(response);
      sendOn(response, this.#path);
    }, this.#limits.holdMs);
    this.#held.set(response, timer);
    response.once('close', () => {
      clearTimeout(timer);
      this.#held.delete(response);
    });
  }

  serve(target: string, response: ServerResponse): boolean {
    if (!this.#isOurPath(target)) return false;
    response.socket?.once('close', () => {
      this.#expectedVisits -= 1;
      if (this.#expectedVisits <= 0) this.#onEnd();
    });
    sendPage(response, 200, this.#page ?? this.#pages.pending);
    return true;
  }

  /** Sends all who wait to the page, and resolves when each has fetched it, or after a while. */
  async release(page: Page): Promise<void> {
    if (this.#page !== undefined) return;
    this.#page = page;
    this.#expectedVisits = this.#held.size;
    if (this.#expectedVisits === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#limits.lingerMs);
      this.#onEnd = () => {
        clearTimeout(timer);
        resolve();
      };
      for (const response of this.#held.keys()) sendOn(response, this.#path);
    });
  }

  forget(): void {
    this.#onEnd();
    for (const timer of this.#held.values()) clearTimeout(timer);
    this.#held.clear();
  }
}

/** On every response: kept nowhere, shown in no frame, read by no other origin. */
const always: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  Connection: 'close',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export function sendPage(response: ServerResponse, status: number, page: Page, cookie?: string): void {
  const body = Buffer.from(page.html);
  response.writeHead(status, {
    ...always,
    ...(status === 405 ? { Allow: 'GET' } : {}),
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
  });
  response.end(body);
}

/** Sends the browser on with GET (RFC 9110 section 15.4.4), so that this address leaves its history and its bar. */
export function sendOn(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, {
    ...always,
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Content-Length': 0,
    Location: location,
  });
  response.end();
}
