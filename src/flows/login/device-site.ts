import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { DeviceAuthorization } from '../../protocol/oauth/device-authorization.js';

/**
 * The other site that a code is to be typed on; undefined where it is the issuer's own: its origin, or the same port of
 * a host below its host. A parent domain is another site, since it may be shared (tenants of one hoster), and no list
 * of public suffixes is at hand to tell.
 */
export function otherSiteOf(issuer: string, device: DeviceAuthorization): string | undefined {
  const { verificationUri, verificationUriComplete = verificationUri } = device;
  const other = [verificationUri, verificationUriComplete].find((address) => !isOnSiteOf(issuer, address));
  return other === undefined ? undefined : new URL(other).host;
}

function isOnSiteOf(issuer: string, address: string): boolean {
  const [own, other] = [new URL(issuer), new URL(address)];
  if (own.origin === other.origin) return true;
  return (
    other.protocol === own.protocol && other.port === own.port && other.hostname.endsWith(`.${own.hostname}`)
  );
}

/**
 * Asks the person whether a code for that other site is to be shown. A code that somebody else began there looks the
 * same: who types it lets him in.
 * @throws the signal's reason
 */
export async function agreesToSite(
  terminal: Ports['terminal'],
  request: { readonly issuer: string; readonly site: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const { issuer, site, signal } = request;
  terminal.tell(
    `The authorization server ${printable(issuer)} has its codes typed on another site, ${printable(site)}.`,
  );
  const question = `Show a code for ${printable(site, 200)}? Only if you know that it belongs there. [y/N] `;
  const answer = await terminal.ask(question, { hidden: false, signal });
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}
