import type { Seat } from '../core/browser-availability.js';
import type { CorePorts } from '../core/ports.js';
import type { LoginRecord, RegistrationRecord } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import type { Discovery } from '../oauth/discover.js';
import { manualRegistration } from '../tokens/registrations.js';
import { type BegunLogin, beginLogin, scopesToRegister } from './begin-login.js';
import { announceDocument, openListener } from './client/document-login.js';
import { hasToRegister, identifyClient } from './client/identify-client.js';
import type { ClientRequest } from './client/register.js';
import { ClientAtHand, completeLogin } from './complete-login.js';
import type { LoginConsent, LoginPorts, LoginRequest, PreregisteredClient } from './ports.js';

/**
 * The whole main job: from a server's address to a stored credential (rule 5.3, all eight steps but the last).
 * Nothing is opened before the store is known to work; success is shown in the browser only once the token is stored.
 * @throws Failure of each step; an earlier login of this server and account is then as it was
 */
export async function login(world: LoginPorts, request: LoginRequest): Promise<LoginRecord> {
  const { signal } = request;
  const begun = await beginLogin(world, request, 'authorization_code');
  const { ports, discovery, kept, preregistered, scopes } = begun;
  const registration = likelyRegistration(
    kept,
    preregistered,
    request,
    discovery.authorizationServer.takesMetadataDocuments,
  );
  const port = request.redirectPort ?? portOf(preregistered);
  await using listener = await openListener(ports, { port, registration });
  const { redirectUri } = listener;
  const asked: ClientRequest = {
    discovery,
    redirectUri,
    byDevice: false,
    codeBeside: request.mode === 'no-browser' || !opensBrowsers.includes(request.seat),
    meant: begun.meant,
    forced: request.registration,
    preregistered,
    metadataUrl: request.metadataUrl,
    kept,
    scopes: scopesToRegister(discovery, scopes),
    signal,
  };
  const client = new ClientAtHand(() => identifyClient(ports, asked));
  const consent = consentTo(request, begun);
  // The authorization server hears of nobody who has not pressed the button of our page yet.
  const isLate = consent !== undefined && request.mode === 'browser' && (await hasToRegister(ports, asked));
  const known = isLate ? undefined : await client.get();
  announce(ports, discovery, { scopes, isNew: begun.isNew });
  if (known !== undefined) {
    announceDocument(ports, { ...request, discovery, client: known, redirectUri }, kept);
  }
  return await completeLogin(ports, request, {
    meant: begun.meant,
    discovery,
    client,
    scopes,
    listener,
    consent,
    hasFixedPort: port !== undefined,
  });
}

/** The first login at a server or an issuer, begun by a program: nobody has seen the addresses, so the person does now. */
function consentTo({ caller }: LoginRequest, { isNew, discovery }: BegunLogin): LoginConsent | undefined {
  if (caller === undefined || !(isNew.server || isNew.issuer)) return undefined;
  const { server, authorizationServer } = discovery;
  return { program: caller(), server, issuer: authorizationServer.issuer };
}

/** Where a browser is likely to be opened: elsewhere a code is offered beside the address. */
const opensBrowsers: readonly Seat[] = ['desktop', 'wsl'];

/** The port that a configured client is registered with. */
function portOf(client: PreregisteredClient | undefined): number | undefined {
  const port = client?.redirectUri === undefined ? '' : new URL(client.redirectUri).port;
  return port === '' ? undefined : Number(port);
}

/** The kept registration whose port is worth having: the one that `identifyClient` is going to choose. */
function likelyRegistration(
  kept: readonly RegistrationRecord[],
  given: PreregisteredClient | undefined,
  request: LoginRequest,
  takesMetadataDocuments: boolean,
): RegistrationRecord | undefined {
  const manual = manualRegistration(kept, given?.clientId);
  if (manual !== undefined || given !== undefined) {
    return manual;
  }
  const { metadataUrl, registration } = request;
  if (takesMetadataDocuments && metadataUrl !== undefined && registration !== 'dynamic') {
    return kept.find(({ way, clientId }) => way === 'metadata' && clientId === metadataUrl);
  }
  return registration === 'dynamic' ? undefined : kept.find(({ way }) => way === 'dynamic');
}

/** Who asks for what, in the terminal, before any browser is or any code is shown. */
export function announce(
  ports: Pick<CorePorts, 'terminal'>,
  discovery: Discovery,
  asked: {
    readonly scopes: readonly string[];
    readonly isNew: BegunLogin['isNew'];
  },
): void {
  const { terminal } = ports;
  terminal.tell(`Logging in to ${printable(discovery.server)}`);
  terminal.tell(`at the authorization server ${printable(discovery.authorizationServer.issuer)}`);
  const news = newness(asked.isNew);
  if (news !== undefined) terminal.tell(news);
  const all = printable(asked.scopes.join(' '));
  terminal.tell(all === '' ? 'with the scopes it gives by default' : `with scope ${all}`);
  if (asked.isNew.scopes.length > 0) {
    terminal.tell(`New is: ${printable(asked.isNew.scopes.join(' '))}`);
  }
  for (const warning of discovery.warnings) {
    terminal.tell(`Note: ${printable(warning, 600)}`);
  }
}

/** The moment to look twice at an address that came from somewhere. */
function newness({ server, issuer }: Pick<BegunLogin['isNew'], 'server' | 'issuer'>): string | undefined {
  if (server) {
    return `${issuer ? 'Both are new here' : 'The server is new here'}: check that the address is the one you mean.`;
  }
  return issuer ? 'The authorization server is new here.' : undefined;
}
