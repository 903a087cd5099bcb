import {
  clientBoundElsewhere,
  clientIdentifierNeeded,
  clientSecretLost,
  registrationWayClosed,
} from '../../errors/registration.js';
import type { Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import type { ClientAuthMethod, RegistrationRecord, RegistrationWay } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import { authMethodFor, type ClientAuthentication } from '../../protocol/oauth/client-authentication.js';
import { checkAddress } from '../client-metadata/settings.js';
import type { Discovery } from '../discovery/discover.js';
import { askForClient } from './ask-for-client.js';
import { chooseWay, type WayChoice } from './choose-way.js';
import { documentClient, documentHasKey } from './document-client.js';
import { hasGoodRegistration, registerDynamically } from './register-dynamically.js';
import { storedSecret } from './registrations.js';

/** A client that a person configured, for one authorization server. */
export interface PreregisteredClient {
  readonly clientId: string;
  readonly secret: Secret | undefined;
  /** The secret comes from a variable that does not say which issuer it is for. */
  readonly unbound?: boolean;
  /** The issuer it is registered at; undefined when it was given with this very login. */
  readonly issuer: string | undefined;
  /** The redirect URI registered for it, when its port is fixed. */
  readonly redirectUri: string | undefined;
}

export interface ClientRequest {
  readonly discovery: Discovery;
  readonly redirectUri: string;
  /** Is the login to be by a code alone (RFC 8628), with no redirect at all? */
  readonly byDevice: boolean;
  /** Is a code going to stand beside the address of the login page? */
  readonly codeBeside: boolean;
  /** The login that is being made. */
  readonly meant: LoginMeant;
  readonly forced: RegistrationWay | undefined;
  readonly preregistered: PreregisteredClient | undefined;
  /** The address of our client ID metadata document, when one is configured. */
  readonly metadataUrl: string | undefined;
  /** What was registered at this issuer before, the newest first. */
  readonly kept: readonly RegistrationRecord[];
  /** Every scope this login may want, now or at a step-up. */
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

export interface IdentifiedClient extends ClientAuthentication {
  readonly way: RegistrationWay;
  /** May it log in by a code (RFC 8628)? Undefined: only the authorization server knows. */
  readonly device?: boolean;
  /** Registered by itself at an earlier login. */
  readonly isKept?: boolean;
}

type Needs = Pick<
  Ports,
  'door' | 'store' | 'stores' | 'index' | 'attempts' | 'terminal' | 'journal' | 'progress' | 'clock'
>;

/**
 * Finds a client identifier (rule 4.6): pre-registered, client ID metadata document, dynamic registration, asking
 * the person; the first that is open, or the one that is forced.
 * @throws Failure `client_metadata_url_refused`, `client_identifier_needed`, `registration_way_closed`, `registration_refused`,
 * `registration_unusable`, `issuer_mismatch`, or the door's and the store's
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
    preregistered:
      forced === undefined || forced === 'preregistered' ? preregisteredId(ports, request) : undefined,
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
  if (!choice.open) {
    throw registrationWayClosed(forced ?? '', choice.why, ports.journal.steps);
  }
  if (choice.way === 'preregistered') {
    return preregistered(ports, request);
  }
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
function preregisteredId(
  ports: Pick<Ports, 'journal'>,
  request: Pick<ClientRequest, 'discovery' | 'preregistered' | 'kept'>,
): string | undefined {
  const given = request.preregistered;
  const { issuer } = request.discovery.authorizationServer;
  if (given?.issuer !== undefined && given.issuer !== issuer) {
    throw clientBoundElsewhere(given.clientId, issuer, ports.journal.steps);
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
  if (kept === undefined) {
    throw new Error('a client registered by hand was there a moment ago');
  }
  const secret = await secretOf(ports, kept);
  return { way: kept.way, clientId: kept.clientId, secret, method: kept.authMethod };
}

/** The secret of a client that a person gave before: what is lost the person has to give again. */
async function secretOf(ports: Needs, kept: RegistrationRecord): Promise<Secret | undefined> {
  const found = await storedSecret(ports, kept);
  if (found.kind === 'lost') {
    throw clientSecretLost(kept.clientId, kept.store ?? 'keychain', found.why, ports.journal.steps);
  }
  return found.kind === 'secret' ? found.secret : undefined;
}

/** A registration made by a person and kept: the newest, or the newest of that client identifier. */
export function manualRegistration(
  kept: readonly RegistrationRecord[],
  clientId: string | undefined,
): RegistrationRecord | undefined {
  return kept.find(
    ({ way, clientId: id }) =>
      (way === 'preregistered' || way === 'ask') && (clientId === undefined || id === clientId),
  );
}

async function ask(ports: Needs, request: ClientRequest): Promise<IdentifiedClient> {
  const server = request.discovery.authorizationServer;
  if (!ports.terminal.interactive) {
    throw clientIdentifierNeeded(request.meant, server.issuer, request.redirectUri, ports.journal.steps);
  }
  const answer = await askForClient(ports, { issuer: server.issuer, ...request });
  if (answer === undefined) {
    throw clientIdentifierNeeded(request.meant, server.issuer, request.redirectUri, ports.journal.steps);
  }
  const method: ClientAuthMethod = authMethodFor(answer.secret !== undefined, server.tokenAuthMethods);
  return { way: 'ask', clientId: answer.clientId, secret: answer.secret, method };
}
