import { printable, shellWord } from '../../core/text/printable.js';
import { fixedPorts, ownRedirectUris } from '../../oauth/client-metadata/redirect-uris.js';
import type { Discovery } from '../../oauth/discover.js';
import type { BegunLogin } from '../ports.js';
import { documentNotTaken } from './failures.js';
import { otherRedirectUri, type UsedRedirect } from './redirect-refused.js';
import type { IdentifiedClient } from './register.js';

/**
 * Where a document is used for the first time, what to do when the authorization server does not take it, or not the
 * port: such a refusal ends on a page in the browser, and never comes back here.
 */
export function announceDocument(
  { ports, discovery, kept }: BegunLogin,
  client: IdentifiedClient | undefined,
  redirect: UsedRedirect,
): void {
  if (client?.way !== 'metadata') return;
  const { tell } = ports.terminal;
  tell(`as ${printable(client.clientId)} (client ID metadata document)`);
  if (!isListed(redirect.redirectUri)) {
    tell(
      `Documents made here do not list the redirect URI ${printable(redirect.redirectUri, 300)} unless it was chosen for them: this one has to.`,
    );
  }
  if (kept.some(({ way, clientId }) => way === 'metadata' && clientId === client.clientId)) return;
  tell(
    `If the page there shows an error instead, it does not take that client: press Ctrl-C, and add ${otherRedirect(redirect)} if it minds the redirect address, ${otherWay(discovery)} to identify another way.`,
  );
}

/** Does a document of this program list it? */
function isListed(redirectUri: string): boolean {
  return ownRedirectUris.includes(redirectUri) || /^http:\/\/127\.0\.0\.1:[0-9]+\/callback$/.test(redirectUri);
}

/** The options that try another redirect URI, which documents list. */
function otherRedirect(redirect: UsedRedirect): string {
  const other = `--redirect-uri ${shellWord(otherRedirectUri(redirect, 'metadata'))}`;
  return hasFixedPort(redirect) ? other : `--redirect-port ${fixedPorts[0]} or ${other}`;
}

/** The codes of a login that the authorization server refused, or left without a response, over who asks. */
const refusals = ['authorization_refused', 'invalid_client', 'unauthorized_client', 'grant_refused', 'login_timed_out'];

/** What to do where a document may be why a login failed; undefined: it is not. */
export function documentRemedy(
  discovery: Discovery,
  code: string,
  { clientId: url }: IdentifiedClient,
  redirect: UsedRedirect,
): string | undefined {
  if (!refusals.includes(code)) return undefined;
  const other = code === 'invalid_client' ? undefined : otherRedirect(redirect);
  return documentNotTaken({ url, redirect: other, otherWay: otherWay(discovery) });
}

/** What to keep of it: a port that was fixed is used from then on. */
export function redirectUriToKeep({ way }: IdentifiedClient, redirect: UsedRedirect): string {
  const { redirectUri } = redirect;
  return way !== 'metadata' || hasFixedPort(redirect) ? redirectUri : redirectUri.replace(/:[0-9]+/, '');
}

function hasFixedPort({ hasFixedPort, redirectUri }: UsedRedirect): boolean {
  return hasFixedPort || fixedPorts.includes(Number(new URL(redirectUri).port));
}

/** What to type to go round the document. */
function otherWay({ authorizationServer }: Discovery): string {
  return authorizationServer.registrationEndpoint === undefined ? '--client-id ID' : '--registration dynamic';
}
