import { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { ClientAuthMethod, LoginRecord } from '../core/records.js';
import type { Discovery } from '../oauth/discover.js';
import type { StorePorts } from '../stores/ports.js';
import { doubtRegistration, forgetRegistration, keepRegistration } from '../tokens/registrations.js';
import { type AuthorizationRequest, authorize } from './authorize.js';
import { whenPageFails } from './browser/failures.js';
import { documentRefused, noteDocument } from './client/document-login.js';
import { type IdentifiedClient, registrationServed } from './client/register.js';
import { deviceBeside } from './device/device-fallback.js';
import { wishOf } from './one-login-at-a-time.js';
import type { CallbackListener, LoginConsent, LoginPorts, LoginRequest } from './ports.js';
import { type Authorization, type Redeemed, redeem } from './redeem.js';
import { keepLogin } from './save-credential.js';

/** The client of a login: identified at once, or, where that tells the authorization server of it, once a person has agreed. */
export class ClientAtHand {
  readonly #identify: () => Promise<IdentifiedClient>;
  #identifying: Promise<IdentifiedClient> | undefined;
  #found: IdentifiedClient | undefined;

  constructor(identify: () => Promise<IdentifiedClient>) {
    this.#identify = identify;
  }

  /** What is identified so far. */
  get found(): IdentifiedClient | undefined {
    return this.#found;
  }

  /** Identifies it, once. @throws as `identifyClient` */
  async get(): Promise<IdentifiedClient> {
    this.#identifying ??= this.#identify();
    this.#found = await this.#identifying;
    return this.#found;
  }
}

/** A login in which all is known but the person's answer. */
export interface PreparedLogin {
  /** As a command names it. */
  readonly meant: LoginMeant;
  readonly discovery: Discovery;
  readonly client: ClientAtHand;
  readonly scopes: readonly string[];
  readonly listener: CallbackListener;
  /** What a person is to agree to first, on a page of ours. */
  readonly consent: LoginConsent | undefined;
  /** Did anybody say which port it is to have? */
  readonly hasFixedPort: boolean;
}

/**
 * The second half of a login: the person's answer, the token, the stored credential. Whatever way it ends, the
 * browser is told, and told of success only once the credential is stored.
 * @throws Failure of each step
 */
export async function completeLogin(
  ports: LoginPorts,
  request: LoginRequest,
  prepared: PreparedLogin,
): Promise<LoginRecord> {
  const { listener, discovery } = prepared;
  try {
    const record = await redeemAndKeep(ports, request, prepared);
    await listener.finish('stored');
    return record;
  } catch (error) {
    await listener.finish('failed');
    const { found: client } = prepared.client;
    if (client === undefined) throw error;
    await forgetRefusedClient(ports, { issuer: discovery.authorizationServer.issuer, client }, error);
    throw documentRefused(error, { ...request, discovery, client, redirectUri: listener.redirectUri });
  } finally {
    ports.progress.end();
  }
}

async function redeemAndKeep(
  ports: LoginPorts,
  request: LoginRequest,
  prepared: PreparedLogin,
): Promise<LoginRecord> {
  const { discovery, client, listener, scopes, hasFixedPort } = prepared;
  const { redirectUri } = listener;
  const { found } = client;
  const shown = found ?? { way: 'dynamic' as const };
  const identified = () => client.get();
  const device = { discovery, client: identified, scopes, timeoutMs: request.timeoutMs };
  const asked = {
    ...request,
    login: prepared.meant,
    discovery,
    client: identified,
    scopes,
    listener,
    consent: prepared.consent,
    whenPageFails: whenPageFails({ ...shown, isKept: found?.isKept === true, redirectUri, hasFixedPort }),
    beside: deviceBeside(ports, device),
  };
  const authorized = await answered(ports, asked, client);
  const used = await client.get();
  const redeemed =
    'token' in authorized
      ? authorized
      : await redeem(ports, {
          ...request,
          discovery,
          client: used,
          authorization: authorized,
          redirectUri,
          scopes,
        });
  const record = await keepLogin(ports, {
    ...request,
    discovery,
    redeemed,
    way: used.way,
    grant: 'authorization_code',
    wish: await wishOf(request),
  });
  if (used.way === 'dynamic') await registrationServed(ports, discovery.authorizationServer.issuer, used);
  await keepClient(ports, { ...prepared, client: used, redirectUri, authMethod: redeemed.client.method });
  await noteDocument(ports, { ...request, discovery, client: used, redirectUri }, redeemed.client.method);
  ports.journal.record({
    name: 'store',
    asked: ports.store.kind,
    came: record.scopes.length === 0 ? 'stored' : `stored, scope ${record.scopes.join(' ')}`,
    rule: 'R-5.8b',
    verdict: 'pass',
  });
  return record;
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

/** Codes of failures that say: this client is not known, or may not do this. */
const refusals: readonly string[] = ['invalid_client', 'unauthorized_client'];

/** A client that a person gave is kept for the next login, its secret in the store, with the method that worked. */
export async function keepClient(
  ports: Pick<StorePorts, 'store' | 'stores' | 'index'>,
  used: {
    readonly discovery: Discovery;
    readonly client: IdentifiedClient;
    readonly scopes: readonly string[];
    readonly redirectUri: string;
    readonly authMethod: ClientAuthMethod;
  },
): Promise<void> {
  const { way, clientId, secret } = used.client;
  if (way !== 'preregistered' && way !== 'ask') {
    return;
  }
  await keepRegistration(ports, {
    issuer: used.discovery.authorizationServer.issuer,
    redirectUri: used.redirectUri,
    scopes: used.scopes,
    way,
    clientId,
    secret,
    authMethod: used.authMethod,
    secretExpiresAt: null,
  });
}

/** A client that registered itself and is not known any more: the next login registers anew instead of meeting the same refusal. */
export async function forgetRefusedClient(
  ports: Pick<StorePorts, 'stores' | 'index'>,
  used: { readonly issuer: string; readonly client: IdentifiedClient },
  error: unknown,
): Promise<void> {
  const { issuer, client } = used;
  if (error instanceof Failure && refusals.includes(error.code) && client.way === 'dynamic') {
    await forgetRegistration(ports, { issuer, clientId: client.clientId });
  }
}

/**
 * No answer came to a login whose page was shown: a page that says "unknown client" sends none. A client that was
 * registered at an earlier login is then registered anew by the next one.
 */
export async function noteUnanswered(
  ports: Pick<StorePorts, 'index'>,
  used: { readonly issuer: string; readonly client: IdentifiedClient },
): Promise<void> {
  const { issuer, client } = used;
  if (client.way === 'dynamic' && client.isKept === true) {
    await doubtRegistration(ports, { issuer, clientId: client.clientId }, true);
  }
}
