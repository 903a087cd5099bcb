import { tokenNotForUrl } from '../../errors/call.js';
import { originText } from '../../primitives/credential-target.js';
import { attaches, canonicalResource } from '../../primitives/resource.js';

/** Where a credential belongs: the server that its stored item names, not what an index, a name or an option says. */
export interface Belonging {
  readonly server: string;
}

/**
 * The one proof before a token goes anywhere: the address is the item's own server, query included, or below it.
 * @param reach `host`: any path of the server's origin, by choice of the person.
 * @throws Failure `token_not_for_url`
 */
export function proveAddress(item: Belonging, url: string, reach: 'server' | 'host' = 'server'): void {
  const fits =
    item.server === url ||
    (reach === 'host' ? originText(item.server) === originText(url) : attaches(item.server, url));
  if (!fits) {
    throw tokenNotForUrl(item.server, url);
  }
}

/**
 * The same where a person or a program has named a login: an address has to fit, a short name says nothing about one.
 * @throws Failure `token_not_for_url`
 */
export function proveNamed(item: Belonging, named: string | undefined): void {
  const address = named === undefined ? undefined : canonicalResource(named);
  if (address?.ok) {
    proveAddress(item, address.value);
  }
}
