import { isFailure } from '../../core/failure.js';
import { printable } from '../../core/text/printable.js';
import { fixedPorts } from '../../oauth/client-metadata/redirect-uris.js';
import type { Discovery } from '../../oauth/discover.js';
import type { BegunLogin } from '../ports.js';
import { withDocumentRemedy } from './failures.js';
import type { IdentifiedClient } from './register.js';

/** The redirect URI of a login, of which a client ID metadata document may be the client. */
export interface RedirectUri {
  readonly redirectUri: string;
  /** `--redirect-port`. */
  readonly redirectPort: number | undefined;
}

/**
 * Where a document is used for the first time, what to do when the authorization server does not take it, or not the
 * port: such a refusal ends on a page in the browser, and never comes back here.
 */
export function announceDocument(
  { ports, discovery, kept }: BegunLogin,
  client: IdentifiedClient | undefined,
  redirect: RedirectUri,
): void {
  if (client?.way !== 'metadata') return;
  const { tell } = ports.terminal;
  tell(`as ${printable(client.clientId)} (client ID metadata document)`);
  if (kept.some(({ way, clientId }) => way === 'metadata' && clientId === client.clientId)) return;
  const port = hasFixedPort(redirect) ? '' : `--redirect-port ${fixedPorts[0]} if it minds the redirect address, `;
  tell(
    `If the page there shows an error instead, it does not take that client: press Ctrl-C, and add ${port}${otherWay(discovery)} to identify another way.`,
  );
}

/** The codes of a login that the authorization server refused, or left without a response, over who asks. */
const refusals = ['authorization_refused', 'invalid_client', 'unauthorized_client', 'grant_refused', 'login_timed_out'];

/** The failure of a login; where a document may be the reason, with what can be done about that. */
export function documentRefused(
  { discovery }: BegunLogin,
  client: IdentifiedClient,
  redirect: RedirectUri,
  error: unknown,
): unknown {
  if (client.way !== 'metadata' || !isFailure(error, ...refusals)) return error;
  const redirectPort = hasFixedPort(redirect) || error.code === 'invalid_client' ? undefined : fixedPorts[0];
  return withDocumentRemedy(error, { url: client.clientId, redirectPort, otherWay: otherWay(discovery) });
}

/** What to keep of it: a port that was fixed is used from then on. */
export function redirectUriToKeep({ way }: IdentifiedClient, redirect: RedirectUri): string {
  const { redirectUri } = redirect;
  return way !== 'metadata' || hasFixedPort(redirect) ? redirectUri : redirectUri.replace(/:[0-9]+/, '');
}

function hasFixedPort({ redirectPort, redirectUri }: RedirectUri): boolean {
  return redirectPort !== undefined || fixedPorts.includes(Number(new URL(redirectUri).port));
}

/** What to type to go round the document. */
function otherWay({ authorizationServer }: Discovery): string {
  return authorizationServer.registrationEndpoint === undefined ? '--client-id ID' : '--registration dynamic';
}
