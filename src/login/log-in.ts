import { Failure } from '../core/failure.js';
import type { LoginRecord, RegistrationRecord } from '../core/records.js';
import { manualRegistration } from '../tokens/registrations.js';
import { type AuthorizationRequest, authorize } from './authorize.js';
import { announce, type BegunLogin, beginLogin, clientRequest } from './begin-login.js';
import { whenPageFails } from './browser/failures.js';
import {
  announceDocument,
  type DocumentLogin,
  documentRefused,
  noteDocument,
  openListener,
} from './client/document-login.js';
import { hasToRegister, identifyClient } from './client/identify-client.js';
import { ClientAtHand, forgetRefusedClient, keepClient, noteUnanswered } from './client/known-client.js';
import { type IdentifiedClient, registrationServed } from './client/register.js';
import { deviceBeside } from './device/device-fallback.js';
import type { BrowserAvailability, LoginConsent, LoginPorts, LoginRequest, PreregisteredClient } from './ports.js';
import { type Authorization, type Redeemed, redeem } from './redeem.js';
import { keepLogin } from './save-credential.js';

/**
 * The whole main job: from a server's address to a stored credential (rule 5.3, all eight steps but the last).
 * Nothing is opened before the store is known to work; success is shown in the browser only once the token is stored.
 * @throws Failure of each step; an earlier login of this server and account is then as it was
 */
export async function login(world: LoginPorts, request: LoginRequest): Promise<LoginRecord> {
  const { caller, mode, overtaken, redirectPort, availability, signal, timeoutMs } = request;
  const begun = await beginLogin(world, request, 'authorization_code');
  const { ports, discovery, meant, preregistered, scopes } = begun;
  const port = redirectPort ?? portOf(preregistered);
  await using listener = await openListener(ports, {
    port,
    registration: likelyRegistration(begun, request),
  });
  const { redirectUri } = listener;
  const document: DocumentLogin = { discovery, redirectUri, redirectPort };
  const consent = consentTo(begun, caller);
  const client = await clientOf(begun, request, { redirectUri, consent });
  announce(begun);
  announceDocument(ports, client.found, document, begun.kept);
  try {
    const identified = () => client.get();
    const beside = deviceBeside(ports, { discovery, client: identified, scopes, timeoutMs });
    const pageFails = whenPageFails(pageOf(client, { redirectUri, hasFixedPort: port !== undefined }));
    const asking = { discovery, login: meant, client: identified, scopes, listener, consent, beside };
    const how = { caller, mode, overtaken, availability, signal, timeoutMs, whenPageFails: pageFails };
    const authorized = await answered(ports, { ...asking, ...how }, client);
    const redeemed = await tokenOf(ports, authorized, {
      document,
      client: await client.get(),
      scopes,
      signal,
    });
    const { way } = await client.get();
    const record = await keepLogin(ports, { request, discovery, redeemed, way, grant: 'authorization_code' });
    await keepUsed(ports, { document, client: await client.get(), scopes, redeemed });
    recordStored(ports, record);
    await listener.finish('stored');
    return record;
  } catch (error) {
    await listener.finish('failed');
    throw await afterFailure(ports, client.found, { document, error });
  } finally {
    ports.progress.end();
  }
}

/** Who asks. Where a person has to agree first, the authorization server hears of nobody before. */
async function clientOf(
  begun: BegunLogin,
  request: LoginRequest,
  { redirectUri, consent }: { readonly redirectUri: string; readonly consent: LoginConsent | undefined },
): Promise<ClientAtHand> {
  const { ports } = begun;
  const codeBeside = request.mode === 'no-browser' || !opensBrowsers.includes(request.availability);
  const asked = clientRequest(begun, request, { redirectUri, byDevice: false, codeBeside });
  const client = new ClientAtHand(() => identifyClient(ports, asked));
  const isLate = consent !== undefined && request.mode === 'browser' && (await hasToRegister(ports, asked));
  if (!isLate) await client.get();
  return client;
}

/** What is said where the page shows an error: a client that is not identified yet is going to register. */
function pageOf(
  { found }: ClientAtHand,
  listener: { readonly redirectUri: string; readonly hasFixedPort: boolean },
): Parameters<typeof whenPageFails>[0] {
  return { ...listener, ...(found ?? { way: 'dynamic' }), isKept: found?.isKept === true };
}

/** The token: of the code beside the address, or of the code that the browser brought. */
async function tokenOf(
  ports: LoginPorts,
  authorized: Authorization | Redeemed,
  about: { readonly document: DocumentLogin } & Pick<Parameters<typeof redeem>[1], 'client' | 'scopes' | 'signal'>,
): Promise<Redeemed> {
  if ('token' in authorized) return authorized;
  const { document, client, scopes, signal } = about;
  const { discovery, redirectUri } = document;
  return await redeem(ports, { discovery, client, authorization: authorized, redirectUri, scopes, signal });
}

/** The first login at a server or an issuer, begun by a program: nobody has seen the addresses, so the person does now. */
function consentTo({ isNew, discovery }: BegunLogin, caller: LoginRequest['caller']): LoginConsent | undefined {
  if (caller === undefined || !(isNew.server || isNew.issuer)) return undefined;
  const { server, authorizationServer } = discovery;
  return { program: caller(), server, issuer: authorizationServer.issuer };
}

/** Where a browser is likely to be opened: elsewhere a code is offered beside the address. */
const opensBrowsers: readonly BrowserAvailability[] = ['desktop', 'wsl'];

/** The port that a configured client is registered with. */
function portOf(client: PreregisteredClient | undefined): number | undefined {
  const port = client?.redirectUri === undefined ? '' : new URL(client.redirectUri).port;
  return port === '' ? undefined : Number(port);
}

/** The kept registration whose port is worth having: the one that `identifyClient` is going to choose. */
function likelyRegistration(
  { kept, preregistered: given, discovery }: BegunLogin,
  { metadataUrl, registration }: Pick<LoginRequest, 'metadataUrl' | 'registration'>,
): RegistrationRecord | undefined {
  const manual = manualRegistration(kept, given?.clientId);
  if (manual !== undefined || given !== undefined) return manual;
  const { takesMetadataDocuments } = discovery.authorizationServer;
  if (takesMetadataDocuments && metadataUrl !== undefined && registration !== 'dynamic') {
    return kept.find(({ way, clientId }) => way === 'metadata' && clientId === metadataUrl);
  }
  return registration === 'dynamic' ? undefined : kept.find(({ way }) => way === 'dynamic');
}

/** The person's answer. Where none comes to a page that was shown, the page may be why: that is noted, and said. */
async function answered(
  ports: LoginPorts,
  asked: AuthorizationRequest,
  atHand: ClientAtHand,
): Promise<Authorization | Redeemed> {
  try {
    return await authorize(ports, asked);
  } catch (error) {
    const { signal, discovery, whenPageFails } = asked;
    const isTimeUp = error instanceof Failure && error.code === 'login_timed_out';
    const { found: client } = atHand;
    if (client !== undefined && (isTimeUp || signal.aborted)) {
      await noteUnanswered(ports, { issuer: discovery.authorizationServer.issuer, client });
    }
    if (signal.aborted && ports.terminal.interactive) ports.terminal.tell(whenPageFails);
    throw error;
  }
}

/** What a login that worked tells of its client is kept for the next one. */
async function keepUsed(
  ports: LoginPorts,
  used: {
    readonly document: DocumentLogin;
    readonly client: IdentifiedClient;
    readonly scopes: readonly string[];
    readonly redeemed: Redeemed;
  },
): Promise<void> {
  const { document, client, scopes, redeemed } = used;
  const { discovery, redirectUri } = document;
  const authMethod = redeemed.client.method;
  if (client.way === 'dynamic') await registrationServed(ports, discovery.authorizationServer.issuer, client);
  await keepClient(ports, { discovery, client, scopes, redirectUri, authMethod });
  await noteDocument(ports, client, document, authMethod);
}

function recordStored(ports: LoginPorts, { scopes }: LoginRecord): void {
  ports.journal.record({
    name: 'store',
    asked: ports.store.kind,
    came: scopes.length === 0 ? 'stored' : `stored, scope ${scopes.join(' ')}`,
    rule: 'R-5.8b',
    verdict: 'pass',
  });
}

/** What the failure says of the client: one that is refused is forgotten, and a document may be the reason. */
async function afterFailure(
  ports: LoginPorts,
  client: IdentifiedClient | undefined,
  { document, error }: { readonly document: DocumentLogin; readonly error: unknown },
): Promise<unknown> {
  if (client === undefined) return error;
  const { issuer } = document.discovery.authorizationServer;
  await forgetRefusedClient(ports, { issuer, client }, error);
  return documentRefused(error, client, document);
}
