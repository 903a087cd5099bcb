import { whenPageFails } from '../../errors/callback.js';
import { Failure } from '../../errors/failure.js';
import type { CallbackListener, LoginConsent, Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Discovery } from '../discovery/discover.js';
import { type Authorization, type AuthorizationRequest, authorize } from './authorize.js';
import type { ClientAtHand } from './client-at-hand.js';
import { deviceBeside } from './device-beside.js';
import { documentRefused, noteDocument } from './document-login.js';
import { forgetRefusedClient, keepClient, noteUnanswered } from './keep-client.js';
import { keepLogin } from './keep-login.js';
import type { LoginRequest } from './login.js';
import { type Redeemed, redeem } from './redeem.js';
import { registrationServed } from './register-dynamically.js';
import { wishOf } from './wish.js';

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
  ports: Ports,
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
  ports: Ports,
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
  ports: Ports,
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
