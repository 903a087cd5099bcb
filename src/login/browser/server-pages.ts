import type { IncomingMessage, ServerResponse } from 'node:http';
import { domainToUnicode } from 'node:url';
import type { DescribedHost, OpenedPage, Pages } from '../../core/ports.js';
import type { Browser } from '../ports.js';
import type { CallbackLimits } from './callback-limits.js';
import { sendOn, sendPage } from './final-page.js';
import { Links } from './one-time-link.js';
import { type LoopbackServer, openServer } from './open-server.js';
import { createPages } from './page.js';
import { validateRequest } from './validate-request.js';

/**
 * Pages that a server wants a person to see (elicitation in URL mode). The opener gets a one-time link of ours, as at a
 * login: no byte of the server's reaches its arguments, where others can read them.
 */
export function createServerPages({
  browser,
  limits,
}: {
  readonly browser: Browser;
  readonly limits: CallbackLimits;
}): Pages {
  return {
    describe,
    open: async (url, chosen) => {
      if (!/^https?:\/\/[\x21-\x7e]+$/.test(url)) throw new Error('a page is an http or https URL');
      const page = new LinkedPage(await openServer({ port: 0, host: '127.0.0.1' }, limits), url);
      if ((await browser.open(page.link, chosen)) === 'opened') return page;
      await page[Symbol.asyncDispose]();
      return undefined;
    },
  };
}

async function describe(host: string): Promise<DescribedHost> {
  const { getDomain } = await import('tldts');
  return {
    inLetters: domainToUnicode(host) || host,
    site: getDomain(host, { allowPrivateDomains: true, validateHostname: false }) ?? undefined,
  };
}

/** Sends one browser on to one page. */
class LinkedPage implements OpenedPage {
  readonly link: string;
  readonly #server: LoopbackServer;
  readonly #authority: string;
  readonly #url: string;
  readonly #links = new Links();
  readonly #pages = createPages();

  constructor(server: LoopbackServer, url: string) {
    this.#server = server;
    this.#url = url;
    this.#authority = `127.0.0.1:${server.port}`;
    this.link = `http://${this.#authority}${this.#links.add('opener')}`;
    server.onRequest((request, response) => this.#handle(request, response));
  }

  get doubtful(): boolean {
    return this.#links.doubtful;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: target = '', rawHeaders, headers, socket } = request;
    const validated = validateRequest({ method, target, rawHeaders }, this.#authority);
    if (!validated.ok) {
      sendPage(response, validated.status, this.#pages.nothing);
      return;
    }
    const name = `postern-${this.#server.port}`;
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
    const taken = this.#links.take(target, pairs.find(([one]) => one === name)?.[1], socket);
    if (taken === undefined) sendPage(response, 404, this.#pages.nothing);
    else if (taken === 'used') sendPage(response, 410, this.#pages.used);
    else sendOn(response, this.#url, `${name}=${taken.browser}; HttpOnly; SameSite=Lax; Path=/; Max-Age=3600`);
  }
}
