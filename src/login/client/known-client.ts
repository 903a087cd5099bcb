import { Failure } from '../../core/failure.js';
import type { ClientAuthMethod } from '../../core/records.js';
import type { Discovery } from '../../oauth/discover.js';
import type { StorePorts } from '../../stores/ports.js';
import { doubtRegistration, forgetRegistration, keepRegistration } from '../../tokens/registrations.js';
import type { IdentifiedClient } from './register.js';

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
  if (way !== 'preregistered' && way !== 'ask') return;
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
