import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { walkLogin } from '../walk.js';
import type { SentResponse } from '../wire/response.js';
import { accounts } from './accounts.js';
import { errorPage } from './pages/error-page.js';
import { pageHeaders } from './pages/html.js';

/** Its own requests carry it, so that they see the pages. */
const headerName = 'x-sandbox-approval';

/**
 * Says yes to every login at once (`--approve`): it walks the pages as a person would who always allows, with the first
 * account, and hands on what came of it. Whoever asks needs neither a browser nor cookies.
 */
export class Approval {
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #origins: readonly string[];

  /** @param origins where the pages are; whatever leads elsewhere is for the one who asked */
  constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

  /** Whether a request is one of the walk itself. */
  isOwn(request: IncomingMessage): boolean {
    return request.headers[headerName] === this.#secret;
  }

  /** The response to an authorization request: the redirect to the client with its code, or the page that refuses it. */
  async authorize(url: string): Promise<SentResponse> {
    const { finalUrl, status, html } = await this.#walk(url);
    if (this.#origins.includes(new URL(finalUrl).origin)) {
      const headers = [['content-type', 'text/html; charset=utf-8'] as const, ...pageHeaders([])];
      return { status, headers, body: Buffer.from(html) };
    }
    return {
      status: 302,
      headers: [
        ['location', finalUrl],
        ['cache-control', 'no-store'],
      ],
      body: new Uint8Array(),
    };
  }

  /**
   * Allows a login by a code, so that the first poll has the token, which may come soon.
   * @param response of the device authorization endpoint
   */
  async allowDevice(response: SentResponse): Promise<SentResponse> {
    if (response.status !== 200 || !(response.body instanceof Uint8Array)) return response;
    const given = JSON.parse(Buffer.from(response.body).toString('utf8'));
    await this.#walk(given.verification_uri, given.user_code);
    return { ...response, body: Buffer.from(JSON.stringify({ ...given, interval: 1 })) };
  }

  async #walk(url: string, userCode?: string) {
    try {
      const [first] = accounts;
      return await walkLogin(url, {
        ...(first && { account: first.id }),
        ...(userCode === undefined ? {} : { userCode }),
        within: this.#origins,
        headers: { [headerName]: this.#secret },
      });
    } catch (error) {
      const { status, body } = errorPage(500, 'approval_failed', String(error));
      return { finalUrl: url, status, html: Buffer.from(body as Uint8Array).toString('utf8') };
    }
  }
}
