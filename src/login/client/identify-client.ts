import type { RegistrationRecord } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { isVscharText } from '../../core/text/characters.js';
import { printable } from '../../core/text/printable.js';
import { chooseWay, type WayChoice } from '../../oauth/choose-registration.js';
import { authMethodFor } from '../../oauth/client-authentication.js';
import { checkAddress } from '../../oauth/client-metadata/client-id.js';
import { isSameIssuer } from '../../oauth/discovery-document.js';
import { documentClient, documentHasKey } from '../../tokens/client-keys.js';
import { manualRegistration, storedSecret } from '../../tokens/registrations.js';
import type { BegunLogin, IdentifiedClient, LoginPorts, PersonLogin } from '../ports.js';
import { clientBoundElsewhere, clientIdentifierNeeded, clientSecretLost, registrationWayClosed } from './failures.js';
import { keptRegistration, registerDynamically } from './register.js';
import type { ClientRequest } from './way-out.js';

/** A login in the browser, whose client is identified at the first use: if that tells the authorization server of it, late. */
export interface Attempt extends ClientRequest {
  readonly begun: BegunLogin<PersonLogin>;
  /** Identifies the client, once. @throws as `identifyClient` */
  identify(): Promise<IdentifiedClient>;
}

export function newAttempt(request: Omit<Attempt, 'identify'>): Attempt {
  let identifying: Promise<IdentifiedClient> | undefined;
  const attempt = {
    ...request,
    client: request.client,
    identify: async () => {
      identifying ??= identifyClient(request);
      attempt.client = await identifying;
      return attempt.client;
    },
  };
  return attempt;
}

/**
 * Finds a client identifier (rule 4.6): pre-registered, client ID metadata document, dynamic registration, asking
 * the person; the first that is open, or the one that is forced.
 * @throws Failure `client_metadata_url_refused`, `client_identifier_needed`, `registration_way_closed`,
 * `registration_refused`, `registration_unusable`, `issuer_mismatch`, or of the HTTP client and the store
 */
export async function identifyClient(request: ClientRequest): Promise<IdentifiedClient> {
  const forced = request.begun.request.client.way;
  const client = await firstOpenWay(request);
  request.begun.ports.journal.record({
    name: 'client-identity',
    asked: forced === undefined ? 'the first way that is open' : `--registration ${forced}`,
    came: `${client.way}, client identifier ${client.clientId}`,
    rule: 'R-4.6a',
    verdict: 'pass',
  });
  return client;
}

/** Is a client to be registered by itself for this login? Nothing is sent to find out. */
export async function hasToRegister(request: ClientRequest): Promise<boolean> {
  const choice = await wayOf(request);
  return choice.open && choice.way === 'dynamic' && (await keptRegistration(request)) === undefined;
}

async function wayOf({ begun, byCode }: ClientRequest): Promise<WayChoice> {
  const { way: forced, metadataUrl } = begun.request.client;
  // Only what registers itself has a name to choose.
  const { preregistered, clientName, discovery } = begun;
  const { registrationEndpoint } = discovery.authorizationServer;
  const isNamed = clientName !== undefined && preregistered === undefined && registrationEndpoint !== undefined;
  return chooseWay({
    forced: forced ?? (isNamed ? 'dynamic' : undefined),
    preregistered: forced === undefined || forced === 'preregistered' ? preregisteredId(begun) : undefined,
    metadataUrl,
    documentHasKey: await documentHasKey(begun.ports, metadataUrl),
    byDevice: byCode,
    server: begun.discovery.authorizationServer,
  });
}

async function firstOpenWay(request: ClientRequest): Promise<IdentifiedClient> {
  const { begun } = request;
  const { way: forced, metadataUrl } = begun.request.client;
  const { registrationEndpoint } = begun.discovery.authorizationServer;
  const choice = await wayOf(request);
  if (!choice.open) throw registrationWayClosed(forced ?? '', choice.why);
  if (choice.way === 'preregistered') return preregistered(begun);
  if (choice.way === 'metadata' && metadataUrl !== undefined) {
    checkAddress(metadataUrl);
    return { ...(await documentClient(begun.ports, metadataUrl)), way: 'metadata' };
  }
  if (choice.way === 'dynamic' && registrationEndpoint !== undefined) {
    return registerDynamically(request, registrationEndpoint);
  }
  return askForClient(request);
}

/** The client identifier registered by hand, given or kept. @throws Failure `issuer_mismatch` */
function preregisteredId({ discovery, preregistered: given, kept }: BegunLogin): string | undefined {
  const { issuer } = discovery.authorizationServer;
  if (given?.issuer !== undefined && !isSameIssuer(given.issuer, issuer))
    throw clientBoundElsewhere(given.clientId, issuer);
  return given?.clientId ?? manualRegistration(kept, undefined)?.clientId;
}

async function preregistered({ ports, discovery, preregistered: given, kept }: BegunLogin): Promise<IdentifiedClient> {
  const registration = manualRegistration(kept, given?.clientId);
  const secret = given?.secret ?? (registration && (await secretOf(ports, registration)));
  if (given !== undefined) {
    const method = authMethodFor(secret !== undefined, discovery.authorizationServer.tokenAuthMethods);
    return { way: 'preregistered', clientId: given.clientId, secret, method };
  }
  if (registration === undefined) throw new Error('a client registered by hand was there a moment ago');
  const { way, clientId, authMethod: method } = registration;
  return { way, clientId, secret, method };
}

/** What is lost the person has to give again. @throws Failure `client_secret_lost` */
async function secretOf(
  ports: Pick<LoginPorts, 'store' | 'stores'>,
  kept: RegistrationRecord,
): Promise<Secret | undefined> {
  const found = await storedSecret(ports, kept);
  if (found.kind === 'lost') throw clientSecretLost(kept.clientId, kept.issuer, kept.store ?? 'keychain', found.why);
  return found.kind === 'secret' ? found.secret : undefined;
}

/**
 * Asks the person for a client identifier after showing the exact redirect URI to register (rule 4.6, step 4).
 * @throws Failure `client_identifier_needed`; the signal's reason
 */
async function askForClient({ begun, redirectUri }: ClientRequest): Promise<IdentifiedClient> {
  const { ports, meant, discovery, request } = begun;
  const { signal } = request;
  const { terminal } = ports;
  const { issuer, tokenAuthMethods } = discovery.authorizationServer;
  const needed = clientIdentifierNeeded(meant, issuer, redirectUri);
  if (!terminal.interactive) throw needed;
  terminal.tell(`The authorization server ${printable(issuer)} wants a client that is registered by hand.`);
  terminal.tell('Register a native (desktop) client there with exactly this redirect URI:');
  terminal.tell(`  ${redirectUri}`);
  const clientId = (await terminal.ask('Client identifier: ', { hidden: false, signal }))?.trim() ?? '';
  if (!isVscharText(clientId)) throw needed;
  const typed = (await terminal.ask('Client secret (empty if it has none): ', { hidden: true, signal }))?.trim() ?? '';
  const secret = typed === '' ? undefined : new Secret(typed);
  return { way: 'ask', clientId, secret, method: authMethodFor(secret !== undefined, tokenAuthMethods) };
}
