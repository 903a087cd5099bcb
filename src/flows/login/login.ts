import type { LoginConsent, Ports } from '../../ports.js';
import type {
  LoginRecord,
  RegistrationRecord,
  RegistrationWay,
  StoreKind,
} from '../../primitives/records.js';
import type { Seat } from '../../primitives/seat.js';
import { announce } from './announce.js';
import { type BegunLogin, beginLogin } from './begin-login.js';
import { ClientAtHand } from './client-at-hand.js';
import { completeLogin } from './complete-login.js';
import { announceDocument } from './document-login.js';
import {
  type ClientRequest,
  hasToRegister,
  identifyClient,
  manualRegistration,
  type PreregisteredClient,
} from './identify-client.js';
import { openListener } from './open-listener.js';
import { scopesToRegister } from './select-scopes.js';

export interface LoginRequest {
  /** The server's canonical URL. */
  readonly server: string;
  readonly account: string;
  readonly name: string | undefined;
  /** `--scope`: instead of what the server asks for. */
  readonly scopes: readonly string[] | undefined;
  /** Scopes to keep: those held, at a step-up. */
  readonly heldScopes: readonly string[];
  /** `--authorization-server`. */
  readonly issuer: string | undefined;
  readonly registration: RegistrationWay | undefined;
  /** Given with this login. */
  readonly client: PreregisteredClient | undefined;
  /** Configured, each for its issuer. */
  readonly clients: readonly PreregisteredClient[];
  readonly metadataUrl: string | undefined;
  /** Where its secrets are to be; undefined: where they were. */
  readonly store: StoreKind | undefined;
  readonly redirectPort: number | undefined;
  readonly mode: 'browser' | 'no-browser';
  readonly seat: Seat;
  /** Names the program that wants this login; undefined: a person types it, at a terminal. */
  readonly caller: (() => string) | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Rejects when the login need not be waited for any longer; looked at while a person is waited for. */
  readonly overtaken?: (signal: AbortSignal) => Promise<never>;
}

/** Everything but the token's own way into the world: a login uses every port. */
export type LoginPorts = Ports;

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
