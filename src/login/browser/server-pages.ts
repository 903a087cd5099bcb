import { domainToUnicode } from 'node:url';
import type { DescribedHost, OpenedPage, Pages } from '../../core/ports.js';
import { sendOn, sendPage } from './final-page.js';
import { Links } from './one-time-link.js';
import type { Browser } from './open-browser.js';
import { callbackLimits, type LoopbackServer, openServer, type Visit } from './open-server.js';
import { createPages } from './page.js';

/**
 * Pages that a server wants a person to see (elicitation in URL mode). The opener gets a one-time link of ours, as at a
 * login: no byte of the server's reaches its arguments, where others can read them.
 */
export function createServerPages(browser: Browser): Pages {
  return {
    describe,
    open: async (url, chosen) => {
      if (!/^https?:\/\/[\x21-\x7e]+$/.test(url)) throw new Error('a page is an http or https URL');
      const page = new LinkedPage(await openServer({ port: 0, host: '127.0.0.1' }, callbackLimits), url);
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

class LinkedPage implements OpenedPage {
  readonly link: string;
  readonly #server: LoopbackServer;
  readonly #url: string;
  readonly #links: Links;
  readonly #pages = createPages();

  constructor(server: LoopbackServer, url: string) {
    const authority = `127.0.0.1:${server.port}`;
    this.#server = server;
    this.#url = url;
    this.#links = new Links(server.port);
    this.link = `http://${authority}${this.#links.add('opener')}`;
    server.onVisit(authority, (visit) => this.#handle(visit));
  }

  get doubtful(): boolean {
    return this.#links.doubtful;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #handle({ request, response }: Visit): void {
    const taken = this.#links.take(request);
    if (taken === undefined) sendPage(response, 404, this.#pages.nothing);
    else if (taken === 'used') sendPage(response, 410, this.#pages.used);
    else sendOn(response, this.#url, this.#links.cookieOf(taken));
  }
}
