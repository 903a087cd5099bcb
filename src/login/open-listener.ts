import { isFailure } from '../core/failure.js';
import type { RegistrationRecord } from '../core/records.js';
import { fixedPorts } from '../oauth/client-metadata/redirect-uris.js';
import { manualRegistration } from '../tokens/registrations.js';
import type { BegunLogin, CallbackListener, ClientOptions, LoginPorts, PreregisteredClient } from './ports.js';

/**
 * Opens the callback listener before the client is identified, since a registration needs the exact redirect URI.
 * The port of a kept registration is tried first: some servers compare ports. Where it is taken, another one will do: a
 * dynamic registration is made anew, and most servers leave the port of a loopback redirect URI open (RFC 8252 section
 * 7.3). Where a metadata document had to use one of its fixed ports, it is one of those again.
 * @param port `--redirect-port`, or the one that a configured client is registered with.
 * @throws Failure `port_in_use`, `port_refused`
 */
export function openListener(
  begun: BegunLogin,
  client: ClientOptions,
  port: number | undefined,
): Promise<CallbackListener> {
  const registration = likelyRegistration(begun, client);
  const isQuiet = registration === undefined || registration.way === 'dynamic';
  return listenAt(begun.ports, port === undefined ? portsToTry(registration) : [port], isQuiet);
}

/** The port that a configured client is registered with. */
export function portOf(client: PreregisteredClient | undefined): number | undefined {
  const port = client?.redirectUri === undefined ? '' : new URL(client.redirectUri).port;
  return port === '' ? undefined : Number(port);
}

/** The kept registration whose port is worth having: the one that `identifyClient` is going to choose. */
function likelyRegistration(
  { kept, preregistered: given, discovery }: BegunLogin,
  { metadataUrl, way: forced }: ClientOptions,
): RegistrationRecord | undefined {
  const manual = manualRegistration(kept, given?.clientId);
  if (manual !== undefined || given !== undefined) return manual;
  if (forced === 'dynamic') return undefined;
  const takesDocument = discovery.authorizationServer.takesMetadataDocuments && metadataUrl !== undefined;
  return kept.find(({ way, clientId }) =>
    takesDocument ? way === 'metadata' && clientId === metadataUrl : way === 'dynamic',
  );
}

/** In this order; 0: any that is free. */
function portsToTry(registration: RegistrationRecord | undefined): readonly number[] {
  const used = registration === undefined ? 0 : Number(new URL(registration.redirectUri).port);
  if (used === 0) return [0];
  if (registration?.way !== 'metadata') return [used, 0];
  // Any other port would lead the browser to a dead end.
  return fixedPorts.includes(used) ? [used, ...fixedPorts.filter((port) => port !== used)] : [used];
}

async function listenAt(ports: LoginPorts, wanted: readonly number[], isQuiet: boolean): Promise<CallbackListener> {
  const [port = 0, ...others] = wanted;
  try {
    return await ports.listeners.listen({ port });
  } catch (error) {
    if (others.length === 0 || !isFailure(error, 'port_in_use')) throw error;
    if (others[0] === 0 && !isQuiet) {
      ports.terminal.tell(`Note: port ${port}, which this client was used with, is taken; another one is tried.`);
    }
    return await listenAt(ports, others, isQuiet);
  }
}
