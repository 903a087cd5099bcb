import { domainToUnicode } from 'node:url';
import type { DescribedHost, Pages } from '../../core/ports.js';
import { sendOn, sendPage } from './final-page.js';
import { Links } from './one-time-link.js';
import type { Browser } from './open-browser.js';
import { callbackLimits, openServer } from './open-server.js';
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
      const server = await openServer({ port: 0, host: '127.0.0.1' }, callbackLimits);
      const authority = `127.0.0.1:${server.port}`;
      const links = new Links(server.port);
      const link = `http://${authority}${links.add('opener')}`;
      const pages = createPages();
      server.onVisit(authority, ({ request, response }) => {
        const taken = links.take(request);
        if (taken === undefined) sendPage(response, 404, pages.nothing);
        else if (taken === 'used') sendPage(response, 410, pages.used);
        else sendOn(response, url, links.cookieOf(taken));
      });
      if ((await browser.open(link, chosen)) === 'opened') {
        return {
          get doubtful() {
            return links.doubtful;
          },
          [Symbol.asyncDispose]: () => server.close(),
        };
      }
      await server.close();
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
