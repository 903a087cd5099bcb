import { randomUUID } from 'node:crypto';
import { html, pageResponse } from '../authorization-server/pages/html.js';
import { forgetOldest } from '../one-time.js';
import type { SentResponse } from '../wire/response.js';

const maxPages = 1_000;

/** A page that one caller is to see. */
export interface PageToSee {
  readonly id: string;
  /** Resolves once a browser has been there. */
  readonly seen: Promise<void>;
}

interface KeptPage extends PageToSee {
  readonly see: () => void;
  isSeen: boolean;
}

/** Pages that the tool `connect` wants people to see: one for each caller at a time. */
export class PagesToSee {
  readonly #prefix: string;
  readonly #pages = new Map<string, KeptPage>();

  /** @param resource Of the server: the pages are below its path. */
  constructor(resource: string) {
    this.#prefix = `${resource}/connect/`;
  }

  /** The caller's page, a new one where there is none. */
  of(owner: string): PageToSee & { readonly url: string } {
    let page = this.#pages.get(owner);
    if (page === undefined) {
      let see: () => void = () => undefined;
      const seen = new Promise<void>((resolve) => {
        see = resolve;
      });
      page = { id: randomUUID(), isSeen: false, seen, see };
      this.#pages.set(owner, page);
      forgetOldest(this.#pages, maxPages);
    }
    return { ...page, url: this.#prefix + page.id };
  }

  /** Whether the caller has seen the page; then the next one is another. */
  takeSeen(owner: string): boolean {
    const isSeen = this.#pages.get(owner)?.isSeen === true;
    if (isSeen) this.#pages.delete(owner);
    return isSeen;
  }

  /** The response to a browser; undefined where the path is no page's. */
  response(method: string, path: string): SentResponse | undefined {
    const below = new URL(this.#prefix).pathname;
    if (method !== 'GET' || !path.startsWith(below)) return undefined;
    const page = [...this.#pages.values()].find(({ id }) => path === below + id);
    if (page === undefined)
      return pageOf(404, 'There is no such page', 'It was for one call of the tool “connect”. Call that again.');
    page.isSeen = true;
    page.see();
    return pageOf(200, 'The sandbox has seen you', 'You can close this page, and go back to the terminal.');
  }
}

function pageOf(status: number, title: string, text: string): SentResponse {
  return pageResponse({ status, title, body: html`<h1>${title}</h1>\n<p>${text}</p>` });
}
