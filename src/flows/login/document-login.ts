import { withDocumentRemedy } from '../../errors/client-metadata.js';
import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { ClientAuthMethod, RegistrationRecord } from '../../primitives/records.js';
import { fixedPorts } from '../../protocol/oauth/client-metadata/redirect-uris.js';
import type { Discovery } from '../discovery/discover.js';
import type { IdentifiedClient } from './identify-client.js';
import { keepRegistration } from './registrations.js';

/** A login in the browser, of which a client ID metadata document may be the client. */
interface DocumentLogin {
  readonly discovery: Discovery;
  readonly client: IdentifiedClient;
  readonly redirectUri: string;
  /** `--redirect-port`. */
  readonly redirectPort: number | undefined;
}

/**
 * Where a document is used for the first time, what to do when the authorization server does not take it, or not the
 * port: such a refusal ends on a page in the browser, and never comes back here.
 * @param kept What is kept for this issuer.
 */
export function announceDocument(
  ports: Pick<Ports, 'terminal'>,
  login: DocumentLogin,
  kept: readonly RegistrationRecord[],
): void {
  const { client } = login;
  const { terminal } = ports;
  if (client.way !== 'metadata') return;
  terminal.tell(`as ${printable(client.clientId)} (client ID metadata document)`);
  if (kept.some(({ way, clientId }) => way === 'metadata' && clientId === client.clientId)) return;
  const port = isFixed(login) ? '' : `--redirect-port ${fixedPorts[0]} if it minds the redirect address, `;
  terminal.tell(
    'If the page there shows an error instead, it does not take that client: press Ctrl-C, and add',
  );
  terminal.tell(`${port}${otherWay(login.discovery)} to identify another way.`);
}

/** The codes of a login that the authorization server refused, or left without an answer, over who asks. */
const refusals = [
  'authorization_refused',
  'invalid_client',
  'unauthorized_client',
  'grant_refused',
  'login_timed_out',
];

/** What a failure of the login is told as: where a document may be the reason, with what can be done about that. */
export function documentRefused(error: unknown, login: DocumentLogin): unknown {
  const { client, discovery } = login;
  if (client.way !== 'metadata' || !(error instanceof Failure) || !refusals.includes(error.code)) {
    return error;
  }
  const redirectPort = isFixed(login) || error.code === 'invalid_client' ? undefined : fixedPorts[0];
  return withDocumentRemedy(error, { url: client.clientId, redirectPort, otherWay: otherWay(discovery) });
}

/** Notes that the document was taken by this issuer, and the fixed port where one was asked for: it is used from then on. */
export async function noteDocument(
  ports: Pick<Ports, 'store' | 'stores' | 'index'>,
  login: DocumentLogin,
  authMethod: ClientAuthMethod,
): Promise<void> {
  const { client, discovery, redirectUri } = login;
  if (client.way !== 'metadata') return;
  await keepRegistration(ports, {
    issuer: discovery.authorizationServer.issuer,
    redirectUri: isFixed(login) ? redirectUri : redirectUri.replace(/:[0-9]+/, ''),
    scopes: [],
    way: client.way,
    clientId: client.clientId,
    secret: undefined,
    authMethod,
    secretExpiresAt: null,
  });
}

function isFixed({ redirectPort, redirectUri }: DocumentLogin): boolean {
  return redirectPort !== undefined || fixedPorts.includes(Number(new URL(redirectUri).port));
}

/** What to type to go round the document. */
function otherWay({ authorizationServer }: Discovery): string {
  return authorizationServer.registrationEndpoint === undefined ? '--client-id ID' : '--registration dynamic';
}
