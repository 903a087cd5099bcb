import type { CorePorts } from '../../core/ports.js';
import type { ClientAuthMethod, RegistrationRecord } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { isVscharText } from '../../core/text/characters.js';
import { printable } from '../../core/text/printable.js';
import type { HttpPorts } from '../../http/request.js';
import { chooseWay, type WayChoice } from '../../oauth/choose-way.js';
import { authMethodFor } from '../../oauth/client-authentication.js';
import { checkAddress } from '../../oauth/client-metadata/client-id.js';
import type { StorePorts } from '../../stores/ports.js';
import { documentClient, documentHasKey } from '../../tokens/client-keys.js';
import { manualRegistration, storedSecret } from '../../tokens/registrations.js';
import { clientBoundElsewhere, clientIdentifierNeeded, clientSecretLost, registrationWayClosed } from './failures.js';
import { type ClientRequest, hasGoodRegistration, type IdentifiedClient, registerDynamically } from './register.js';

type Needs = Pick<HttpPorts, 'http'> &
  Pick<StorePorts, 'store' | 'stores' | 'index' | 'attempts'> &
  Pick<CorePorts, 'terminal' | 'journal' | 'progress' | 'clock'>;

/**
 * Finds a client identifier (rule 4.6): pre-registered, client ID metadata document, dynamic registration, asking
 * the person; the first that is open, or the one that is forced.
 * @throws Failure `client_metadata_url_refused`, `client_identifier_needed`, `registration_way_closed`, `registration_refused`,
 * `registration_unusable`, `issuer_mismatch`, or the HTTP client's and the store's
 */
export async function identifyClient(ports: Needs, request: ClientRequest): Promise<IdentifiedClient> {
  const client = await firstOpenWay(ports, request);
  ports.journal.record({
    name: 'client-identity',
    asked: request.forced === undefined ? 'the first way that is open' : `--registration ${request.forced}`,
    came: `${client.way}, client identifier ${client.clientId}`,
    rule: 'R-4.6a',
    verdict: 'pass',
  });
  return client;
}

/** Is a client to be registered by itself for this login? Nothing is sent to find out. */
export async function hasToRegister(ports: Needs, request: ClientRequest): Promise<boolean> {
  const choice = await wayOf(ports, request);
  return choice.open && choice.way === 'dynamic' && !(await hasGoodRegistration(ports, request));
}

async function wayOf(ports: Needs, request: ClientRequest): Promise<WayChoice> {
  const { forced, metadataUrl } = request;
  return chooseWay({
    forced,
    preregistered: forced === undefined || forced === 'preregistered' ? preregisteredId(request) : undefined,
    metadataUrl,
    documentHasKey: await documentHasKey(ports, metadataUrl),
    byDevice: request.byDevice,
    server: request.discovery.authorizationServer,
  });
}

async function firstOpenWay(ports: Needs, request: ClientRequest): Promise<IdentifiedClient> {
  const { forced, discovery, metadataUrl } = request;
  const server = discovery.authorizationServer;
  const choice = await wayOf(ports, request);
  if (!choice.open) throw registrationWayClosed(forced ?? '', choice.why);
  if (choice.way === 'preregistered') return preregistered(ports, request);
  if (choice.way === 'metadata' && metadataUrl !== undefined) {
    checkAddress(metadataUrl);
    return { ...(await documentClient(ports, metadataUrl)), way: 'metadata', device: false };
  }
  if (choice.way === 'dynamic' && server.registrationEndpoint !== undefined) {
    return registerDynamically(ports, { ...request, server, endpoint: server.registrationEndpoint });
  }
  return ask(ports, request);
}

/** The client identifier registered by hand, given or kept. @throws Failure `issuer_mismatch` */
function preregisteredId(request: Pick<ClientRequest, 'discovery' | 'preregistered' | 'kept'>): string | undefined {
  const given = request.preregistered;
  const { issuer } = request.discovery.authorizationServer;
  if (given?.issuer !== undefined && given.issuer !== issuer) {
    throw clientBoundElsewhere(given.clientId, issuer);
  }
  return given?.clientId ?? manualRegistration(request.kept, undefined)?.clientId;
}

async function preregistered(ports: Needs, request: ClientRequest): Promise<IdentifiedClient> {
  const server = request.discovery.authorizationServer;
  const given = request.preregistered;
  const kept = manualRegistration(request.kept, given?.clientId);
  if (given !== undefined) {
    const secret = given.secret ?? (kept === undefined ? undefined : await secretOf(ports, kept));
    const method = authMethodFor(secret !== undefined, server.tokenAuthMethods);
    return { way: 'preregistered', clientId: given.clientId, secret, method };
  }
  if (kept === undefined) throw new Error('a client registered by hand was there a moment ago');
  const secret = await secretOf(ports, kept);
  return { way: kept.way, clientId: kept.clientId, secret, method: kept.authMethod };
}

/** The secret of a client that a person gave before: what is lost the person has to give again. */
async function secretOf(ports: Needs, kept: RegistrationRecord): Promise<Secret | undefined> {
  const found = await storedSecret(ports, kept);
  if (found.kind === 'lost') {
    throw clientSecretLost(kept.clientId, kept.store ?? 'keychain', found.why);
  }
  return found.kind === 'secret' ? found.secret : undefined;
}

async function ask(ports: Needs, request: ClientRequest): Promise<IdentifiedClient> {
  const server = request.discovery.authorizationServer;
  if (!ports.terminal.interactive) {
    throw clientIdentifierNeeded(request.meant, server.issuer, request.redirectUri);
  }
  const answer = await askForClient(ports, { issuer: server.issuer, ...request });
  if (answer === undefined) {
    throw clientIdentifierNeeded(request.meant, server.issuer, request.redirectUri);
  }
  const method: ClientAuthMethod = authMethodFor(answer.secret !== undefined, server.tokenAuthMethods);
  return { way: 'ask', clientId: answer.clientId, secret: answer.secret, method };
}

/**
 * Asks the person for a client identifier after showing the exact redirect URI to register (rule 4.6, step 4).
 * Undefined when the person gives none.
 */
export async function askForClient(
  ports: Pick<CorePorts, 'terminal'>,
  request: { readonly issuer: string; readonly redirectUri: string; readonly signal: AbortSignal },
): Promise<{ readonly clientId: string; readonly secret: Secret | undefined } | undefined> {
  const { terminal } = ports;
  const { signal } = request;
  terminal.tell(`The authorization server ${printable(request.issuer)} wants a client that is registered by hand.`);
  terminal.tell('Register a native (desktop) client there with exactly this redirect URI:');
  terminal.tell(`  ${request.redirectUri}`);
  const clientId = (await terminal.ask('Client identifier: ', { hidden: false, signal }))?.trim();
  if (clientId === undefined || clientId === '' || !isVscharText(clientId)) return undefined;
  const secret = (await terminal.ask('Client secret (empty if it has none): ', { hidden: true, signal }))?.trim();
  return { clientId, secret: secret === undefined || secret === '' ? undefined : new Secret(secret) };
}
