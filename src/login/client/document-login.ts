import { Failure } from '../../core/failure.js';
import type { CorePorts } from '../../core/ports.js';
import type { ClientAuthMethod, RegistrationRecord } from '../../core/records.js';
import { printable } from '../../core/text/printable.js';
import { fixedPorts } from '../../oauth/client-metadata/redirect-uris.js';
import type { Discovery } from '../../oauth/discover.js';
import type { StorePorts } from '../../stores/ports.js';
import { keepRegistration } from '../../tokens/registrations.js';
import type { BrowserPorts, CallbackListener } from '../ports.js';
import { withDocumentRemedy } from './failures.js';
import type { IdentifiedClient } from './register.js';

/** A login in the browser, of which a client ID metadata document may be the client. */
export interface DocumentLogin {
  readonly discovery: Discovery;
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
  { terminal }: Pick<CorePorts, 'terminal'>,
  client: IdentifiedClient | undefined,
  login: DocumentLogin,
  kept: readonly RegistrationRecord[],
): void {
  if (client?.way !== 'metadata') return;
  terminal.tell(`as ${printable(client.clientId)} (client ID metadata document)`);
  if (kept.some(({ way, clientId }) => way === 'metadata' && clientId === client.clientId)) return;
  const port = isFixed(login) ? '' : `--redirect-port ${fixedPorts[0]} if it minds the redirect address, `;
  terminal.tell('If the page there shows an error instead, it does not take that client: press Ctrl-C, and add');
  terminal.tell(`${port}${otherWay(login.discovery)} to identify another way.`);
}

/** The codes of a login that the authorization server refused, or left without an answer, over who asks. */
const refusals = ['authorization_refused', 'invalid_client', 'unauthorized_client', 'grant_refused', 'login_timed_out'];

/** What a failure of the login is told as: where a document may be the reason, with what can be done about that. */
export function documentRefused(error: unknown, client: IdentifiedClient, login: DocumentLogin): unknown {
  const { discovery } = login;
  if (client.way !== 'metadata' || !(error instanceof Failure) || !refusals.includes(error.code)) return error;
  const redirectPort = isFixed(login) || error.code === 'invalid_client' ? undefined : fixedPorts[0];
  return withDocumentRemedy(error, { url: client.clientId, redirectPort, otherWay: otherWay(discovery) });
}

/** Notes that the document was taken by this issuer, and the fixed port where one was asked for: it is used from then on. */
export async function noteDocument(
  ports: Pick<StorePorts, 'store' | 'stores' | 'index'>,
  client: IdentifiedClient,
  login: DocumentLogin,
  authMethod: ClientAuthMethod,
): Promise<void> {
  const { discovery, redirectUri } = login;
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

export interface ListenerRequest {
  /** `--redirect-port`; undefined: not asked for. */
  readonly port: number | undefined;
  /** The registration that is likely to be used: its port is taken when it is free. */
  readonly registration: RegistrationRecord | undefined;
}

/**
 * Opens the callback listener before the client is identified, since a registration needs the exact redirect URI.
 * The port of a kept registration is tried first, so that it can be used again at servers that compare ports. Where it
 * is taken, another one will do: a dynamic registration is then made anew, and for any other most servers leave the
 * port of a loopback redirect URI open (RFC 8252 section 7.3); the person is told. With a metadata document any port will
 * do, unless the last login there had to use one of the document's fixed ports: then it is one of those.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openListener(
  ports: Pick<BrowserPorts, 'listeners'> & Pick<CorePorts, 'terminal'>,
  request: ListenerRequest,
): Promise<CallbackListener> {
  if (request.port !== undefined) return ports.listeners.listen({ port: request.port });
  const { registration } = request;
  if (registration?.way === 'metadata') return listenAsDocumented(ports, registration.redirectUri);
  const port = registration === undefined ? 0 : Number(new URL(registration.redirectUri).port);
  try {
    return await ports.listeners.listen({ port });
  } catch (error) {
    if (port === 0 || !(error instanceof Failure) || error.code !== 'port_in_use') throw error;
    if (registration?.way !== 'dynamic') {
      ports.terminal.tell(`Note: port ${port}, which this client was used with, is taken; another one is tried.`);
    }
    return ports.listeners.listen({ port: 0 });
  }
}

/** @throws Failure `port_in_use` when every fixed port is taken: another one would lead the browser to a dead end */
async function listenAsDocumented(
  ports: Pick<BrowserPorts, 'listeners'>,
  redirectUri: string,
): Promise<CallbackListener> {
  const used = Number(new URL(redirectUri).port);
  const others = fixedPorts.includes(used) ? fixedPorts.filter((port) => port !== used) : [];
  for (const port of [used, ...others].slice(0, -1)) {
    try {
      return await ports.listeners.listen({ port });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'port_in_use') throw error;
    }
  }
  return ports.listeners.listen({ port: others.at(-1) ?? used });
}
