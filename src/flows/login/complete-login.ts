import { Failure } from '../../errors/failure.js';
import type { CallbackListener, Ports } from '../../ports.js';
import type { ClientAuthMethod, LoginRecord } from '../../primitives/records.js';
import type { Discovery } from '../discovery/discover.js';
import { authorize } from './authorize.js';
import type { IdentifiedClient } from './identify-client.js';
import { keepLogin } from './keep-login.js';
import type { LoginRequest } from './login.js';
import { redeem } from './redeem.js';
import { forgetRegistration, keepRegistration } from './registrations.js';
import { wishOf } from './wish.js';

/** A login in which all is known but the person's answer. */
export interface PreparedLogin {
  readonly discovery: Discovery;
  readonly client: IdentifiedClient;
  readonly scopes: readonly string[];
  readonly listener: CallbackListener;
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
  const { client, listener, discovery } = prepared;
  try {
    const record = await redeemAndKeep(ports, request, prepared);
    await listener.finish('stored');
    return record;
  } catch (error) {
    await listener.finish('failed');
    if (error instanceof Failure && error.code === 'invalid_client' && client.way === 'dynamic') {
      // The next login registers anew instead of meeting the same refusal.
      await forgetRegistration(ports, {
        issuer: discovery.authorizationServer.issuer,
        clientId: client.clientId,
      });
    }
    throw error;
  } finally {
    ports.progress.end();
  }
}

async function redeemAndKeep(
  ports: Ports,
  request: LoginRequest,
  prepared: PreparedLogin,
): Promise<LoginRecord> {
  const { discovery, client, listener, scopes } = prepared;
  const { redirectUri } = listener;
  const { clientId } = client;
  const authorization = await authorize(ports, { ...request, discovery, clientId, scopes, listener });
  const redeemed = await redeem(ports, { ...request, discovery, client, authorization, redirectUri, scopes });
  const record = await keepLogin(ports, {
    ...request,
    discovery,
    redeemed,
    way: client.way,
    grant: 'authorization_code',
    wish: await wishOf(request),
  });
  await keepClient(ports, prepared, redeemed.client.method);
  ports.journal.record({
    name: 'store',
    asked: ports.store.kind,
    came: record.scopes.length === 0 ? 'stored' : `stored, scope ${record.scopes.join(' ')}`,
    rule: 'R-5.8b',
    verdict: 'pass',
  });
  return record;
}

/** A client that a person gave is kept for the next login, its secret in the store, with the method that worked. */
async function keepClient(
  ports: Pick<Ports, 'store' | 'stores' | 'index'>,
  prepared: PreparedLogin,
  authMethod: ClientAuthMethod,
): Promise<void> {
  const { way, clientId, secret } = prepared.client;
  if (way !== 'preregistered' && way !== 'ask') {
    return;
  }
  await keepRegistration(ports, {
    issuer: prepared.discovery.authorizationServer.issuer,
    redirectUri: prepared.listener.redirectUri,
    scopes: prepared.scopes,
    way,
    clientId,
    secret,
    authMethod,
    secretExpiresAt: null,
  });
}
