import type { PlaceOfLink } from '../../ports.js';
import { equalityTo, newNonce } from './one-time-value.js';

interface Link {
  readonly isHere: (path: string) => boolean;
  readonly place: PlaceOfLink;
  /** The browsers that were sent on, by their cookie. */
  readonly takers: Set<string>;
}

/** Who comes to a link. */
export interface Visitor {
  /** Value of our cookie; undefined: the browser has none. */
  readonly browser: string | undefined;
  /** Another user of this machine, as far as the system tells. */
  readonly isOtherUser: () => boolean;
}

/** The browser is sent on and gets this cookie; or the link was used before, by another one. */
export type Taking = { readonly kind: 'sent_on'; readonly browser: string } | { readonly kind: 'used' };

/**
 * Our one-time links to the authorization request, one for each place that shows it, and who took them. Other users of
 * this machine can read the opener's arguments, and with them its link: they could log in there as themselves before
 * the person's browser comes. So the opener's link is for one browser: a cookie tells its reload from somebody else. The
 * link in the terminal is the person's alone, and may be opened in as many browsers as they like.
 */
export class Links {
  readonly #links: Link[] = [];
  readonly #browsers = new Set<string>();
  #doubtful = false;

  /** Returns the path of a new link. */
  add(place: PlaceOfLink): string {
    const path = `/go/${newNonce()}`;
    this.#links.push({ isHere: equalityTo(path), place, takers: new Set() });
    return path;
  }

  /** Has the opener's link been taken by two browsers, or by another user? */
  get doubtful(): boolean {
    return this.#doubtful;
  }

  /** Undefined: there is no such link. */
  take(path: string, visitor: Visitor): Taking | undefined {
    const link = this.#links.find(({ isHere }) => isHere(path));
    if (link === undefined) return undefined;
    const known = visitor.browser !== undefined && this.#browsers.has(visitor.browser);
    const browser = known && visitor.browser !== undefined ? visitor.browser : newNonce();
    if (link.place === 'opener') {
      if (visitor.isOtherUser()) this.#doubtful = true;
      if (link.takers.size > 0 && !link.takers.has(browser)) {
        this.#doubtful = true;
        return { kind: 'used' };
      }
    }
    this.#browsers.add(browser);
    link.takers.add(browser);
    return { kind: 'sent_on', browser };
  }

  /** Did this browser get there by a link that only the person knows? */
  isOfPerson(browser: string | undefined): boolean {
    return (
      browser !== undefined &&
      this.#links.some(({ place, takers }) => place === 'terminal' && takers.has(browser))
    );
  }
}
