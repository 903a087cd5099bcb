import type { ConfiguredClient } from '../core/configuration/configured-lists.js';
import type { CorePorts } from '../core/ports.js';
import type { ClientAuthMethod, RegistrationWay, StoreKind } from '../core/records.js';
import type { HttpPorts } from '../http/request.js';
import { chooseWay, type PassedOver } from '../oauth/choose-way.js';
import { checkAddress } from '../oauth/client-metadata/client-id.js';
import { discover } from '../oauth/discover.js';
import type { StorePorts } from '../stores/ports.js';
import { documentHasKey } from '../tokens/client-keys.js';
import { manualRegistration, registrationsFor } from '../tokens/registrations.js';

/** What a login at a server would say of who asks. */
export interface ShownIdentity {
  readonly server: string;
  readonly issuer: string;
  readonly way: RegistrationWay;
  readonly why: string;
  readonly passedOver: readonly PassedOver[];
  /** Undefined: it is got, or asked for, at the login. */
  readonly clientId: string | undefined;
  /** `http://127.0.0.1/callback` stands for the port of the moment. */
  readonly redirectUri: string;
  readonly authMethod: ClientAuthMethod | undefined;
  /** Where the secret or the key is, when it has one. */
  readonly store: StoreKind | undefined;
}

/**
 * Finds out, as a login would, how this client would identify itself at a server's authorization server (rule 4.6), and
 * why. Nothing is registered, opened or stored.
 * @throws Failure of discovery and the index, `registration_way_closed`
 */
export async function showIdentity(
  ports: Pick<HttpPorts, 'http'> &
    Pick<CorePorts, 'journal' | 'progress' | 'terminal' | 'clock' | 'limits'> &
    Pick<StorePorts, 'index'>,
  request: {
    readonly server: string;
    readonly clients: readonly ConfiguredClient[];
    readonly metadataUrl: string | undefined;
    readonly redirectPort: number | undefined;
    readonly signal: AbortSignal;
  },
): Promise<ShownIdentity> {
  const { server, metadataUrl, signal } = request;
  const { logins } = await ports.index.read();
  const held = logins.find((login) => login.server === server);
  const known = logins.map(({ issuer }) => issuer);
  const grant = 'authorization_code';
  const { authorizationServer } = await discover(ports, {
    server,
    wanted: undefined,
    held,
    known,
    signal,
    grant,
  });
  const { issuer } = authorizationServer;
  const kept = await registrationsFor(ports, issuer);
  const given = request.clients.find((client) => client.issuer === issuer);
  const byHand = manualRegistration(kept, given?.clientId);
  const hasKey = await documentHasKey(ports, metadataUrl);
  const choice = chooseWay({
    forced: undefined,
    preregistered: given?.clientId ?? byHand?.clientId,
    metadataUrl,
    documentHasKey: hasKey,
    byDevice: false,
    server: authorizationServer,
  });
  if (!choice.open) throw new Error('without a forced way one is always open');
  const { way, why, passedOver } = choice;
  const asDocument = way === 'metadata' ? metadataUrl : undefined;
  if (asDocument !== undefined) checkAddress(asDocument);
  const record = kept.find((one) =>
    way === 'preregistered' ? one === byHand : one.way === way && (asDocument ?? one.clientId) === one.clientId,
  );
  const clientId = asDocument ?? (way === 'preregistered' ? given?.clientId : undefined) ?? record?.clientId;
  const keyMethod = hasKey ? 'private_key_jwt' : 'none';
  return {
    server,
    issuer,
    way,
    why,
    passedOver,
    clientId,
    redirectUri: redirectUriOf(request.redirectPort, given?.redirectUri ?? record?.redirectUri),
    authMethod: asDocument === undefined ? record?.authMethod : keyMethod,
    store: record?.hasSecret === true ? (record.store ?? 'keychain') : undefined,
  };
}

function redirectUriOf(port: number | undefined, registered: string | undefined): string {
  return port === undefined ? (registered ?? 'http://127.0.0.1/callback') : `http://127.0.0.1:${port}/callback`;
}
