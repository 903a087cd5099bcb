import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { ClientAuthMethod } from '../../primitives/records.js';
import type { Discovery } from '../discovery/discover.js';
import type { IdentifiedClient } from './identify-client.js';
import { forgetRegistration, keepRegistration } from './registrations.js';

/** A client that a person gave is kept for the next login, its secret in the store, with the method that worked. */
export async function keepClient(
  ports: Pick<Ports, 'store' | 'stores' | 'index'>,
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
  ports: Pick<Ports, 'stores' | 'index'>,
  used: { readonly issuer: string; readonly client: IdentifiedClient },
  error: unknown,
): Promise<void> {
  const { issuer, client } = used;
  if (error instanceof Failure && error.code === 'invalid_client' && client.way === 'dynamic') {
    await forgetRegistration(ports, { issuer, clientId: client.clientId });
  }
}
