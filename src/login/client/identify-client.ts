import type { RegistrationRecord, RegistrationWay } from '../../core/records.js';
import { Secret } from '../../core/secret.js';
import { isVscharText } from '../../core/text/characters.js';
import { printable } from '../../core/text/printable.js';
import { chooseWay } from '../../oauth/choose-registration.js';
import { authMethodFor } from '../../oauth/client-authentication.js';
import { checkAddress } from '../../oauth/client-metadata/client-id.js';
import { documentClient, documentHasKey } from '../../tokens/client-keys.js';
import { manualRegistration, storedSecret } from '../../tokens/registrations.js';
import type { BegunLogin, IdentifiedClient, LoginPorts, PersonLogin } from '../ports.js';
import { clientIdentifierNeeded, clientSecretLost, registrationWayClosed } from './failures.js';
import { registerDynamically } from './register.js';
import type { ClientRequest } from './way-out.js';

/** A login in the browser. Its client is identified at first use: a registration may have to wait for the user's consent. */
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

/** A way to a client identifier, and the registration that was kept of it. */
export interface ChosenWay {
  readonly way: RegistrationWay;
  readonly kept: RegistrationRecord | undefined;
}

/**
 * Chooses how the client identifies itself (rule 4.6): pre-registered, client ID metadata document, dynamic registration,
 * asking the user; the first that is open, or the one that is forced. Nothing is sent.
 * @throws Failure `registration_way_closed`
 */
export async function chooseClientWay(begun: BegunLogin, byDevice: boolean): Promise<ChosenWay> {
  const { ports, preregistered, clientName, discovery, kept, request } = begun;
  const { way: forced, metadataUrl } = request.client;
  const { authorizationServer: server } = discovery;
  const manual = manualRegistration(kept, preregistered?.clientId);
  // Only what registers itself has a name to choose.
  const isNamed = clientName !== undefined && preregistered === undefined && server.registrationEndpoint !== undefined;
  const choice = chooseWay({
    forced: forced ?? (isNamed ? 'dynamic' : undefined),
    preregistered: preregistered?.clientId ?? manual?.clientId,
    documentHasKey: await documentHasKey(ports, metadataUrl),
    ...{ metadataUrl, byDevice, server },
  });
  if (!choice.open) throw registrationWayClosed(forced ?? '', choice.why);
  const { way } = choice;
  if (way === 'preregistered') return { way, kept: manual };
  const isOfDocument = ({ clientId }: RegistrationRecord) => way !== 'metadata' || clientId === metadataUrl;
  return { way, kept: forced === 'dynamic' ? undefined : kept.find((one) => one.way === way && isOfDocument(one)) };
}

/**
 * Gets the client identifier by the way that was chosen.
 * @throws Failure `client_metadata_url_refused`, `client_identifier_needed`, `registration_refused`,
 * `registration_unusable`, or of the HTTP client and the store
 */
export async function identifyClient(request: ClientRequest): Promise<IdentifiedClient> {
  const forced = request.begun.request.client.way;
  const client = await clientBy(request);
  request.begun.ports.journal.record({
    name: 'client-identity',
    asked: forced === undefined ? 'the first way that is open' : `--registration ${forced}`,
    came: `${client.way}, client identifier ${client.clientId}`,
    rule: 'R-4.6a',
    verdict: 'pass',
  });
  return client;
}

async function clientBy(request: ClientRequest): Promise<IdentifiedClient> {
  const { begun, way } = request;
  const { metadataUrl } = begun.request.client;
  const { registrationEndpoint } = begun.discovery.authorizationServer;
  if (way === 'preregistered') return preregistered(begun);
  if (way === 'metadata' && metadataUrl !== undefined) {
    checkAddress(metadataUrl);
    return { ...(await documentClient(begun.ports, metadataUrl)), way };
  }
  return way === 'dynamic' && registrationEndpoint !== undefined
    ? registerDynamically(request, registrationEndpoint)
    : askForClient(request);
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
