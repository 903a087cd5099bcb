import {
  type ChosenRedirectUri,
  readRedirectUri,
  redirectUriText,
  usualRedirectUri,
} from '../core/configuration/redirect-uri.js';
import { isFailure } from '../core/failure.js';
import type { RegistrationRecord } from '../core/records.js';
import { fixedPorts } from '../oauth/client-metadata/redirect-uris.js';
import type { CallbackListener } from './browser/callback-listener.js';
import { portOfUriInUse, publishedPortUnknown } from './browser/failures.js';
import type { BegunLogin, LoginPorts, PersonLogin } from './ports.js';

/** The redirect URI of a login, but for which of its ports is free. */
interface RedirectPlan extends Pick<ChosenRedirectUri, 'host' | 'path'> {
  /** In this order; 0: any that is free. */
  readonly ports: readonly number[];
  /** Did anybody say which port it is to have? */
  readonly hasFixedPort: boolean;
  /** Is it that of a redirect URI, and not `--redirect-port`? */
  readonly isOfUri: boolean;
}

/**
 * Plans the redirect URI: the one chosen with this login, else what a configured client is registered with, else what was
 * chosen for this issuer before, else what the kept client was used with, else the usual one. A port that was named goes
 * before all of these.
 */
export function planRedirect(
  begun: BegunLogin<PersonLogin>,
  registration: RegistrationRecord | undefined,
): RedirectPlan {
  const { person } = begun.request;
  const used = registration && readOwn(registration.redirectUri);
  const chosen = person.redirectUri ?? readOwn(begun.preregistered?.redirectUri) ?? begun.redirectUri;
  const isManual = registration?.way === 'preregistered' || registration?.way === 'ask';
  const { host, path } = chosen ?? (isManual ? used : undefined) ?? usualRedirectUri;
  const port = person.redirectPort ?? chosen?.port ?? person.usualPort;
  const isOfUri = person.redirectPort === undefined && chosen?.port !== undefined;
  const isAlike = used !== undefined && used.host === host && used.path === path;
  const ports = port === undefined ? portsToTry(isAlike ? registration : undefined, used?.port ?? 0) : [port];
  return { host, path, ports, hasFixedPort: port !== undefined, isOfUri };
}

function readOwn(text: string | undefined): ChosenRedirectUri | undefined {
  const read = text === undefined ? undefined : readRedirectUri(text);
  return read?.ok ? read.value : undefined;
}

/**
 * Opens the callback listener before the client is identified, since a registration needs the exact redirect URI.
 * The port of a kept registration is tried first: some servers compare ports. Where it is taken, another one will do: a
 * dynamic registration is made anew, and most servers leave the port of a loopback redirect URI open (RFC 8252 section
 * 7.3). Where a metadata document had to use one of its fixed ports, it is one of those again.
 * @param address `--listen-address`
 * @throws Failure `port_in_use`, `port_refused`, `published_port_unknown`
 */
export async function openListener(
  ports: LoginPorts,
  plan: RedirectPlan,
  address: string | undefined,
): Promise<CallbackListener> {
  if (address === undefined) return await listenAt(ports, plan, plan.ports);
  if (!plan.hasFixedPort) throw publishedPortUnknown();
  const listener = await listenAt(ports, { ...plan, address }, plan.ports);
  listeningOpenly(address, new URL(listener.redirectUri)).forEach(ports.terminal.tell);
  return listener;
}

function listeningOpenly(address: string, { host, hostname, port }: URL): readonly string[] {
  // A browser takes localhost for either address: what is not published there, another program could have.
  const outside = hostname === 'localhost' ? ['127.0.0.1', '[::1]'] : [hostname];
  const published = outside.map((one) => `-p ${one}:${port}:${port}`).join(' ');
  return [
    `Note: the callback comes in at ${address} port ${port} of this container (--listen-address), not at loopback alone.`,
    `Whatever reaches the container may send requests there; only one answer is taken, with this login’s state. Your browser reaches it as ${host} if the port is published to your own computer and to nobody else: docker run ${published}`,
  ];
}

function portsToTry(registration: RegistrationRecord | undefined, used: number): readonly number[] {
  if (registration === undefined || used === 0) return [0];
  if (registration.way !== 'metadata') return [used, 0];
  // Any other port would lead the browser to a dead end.
  return fixedPorts.includes(used) ? [used, ...fixedPorts.filter((port) => port !== used)] : [used];
}

async function listenAt(
  ports: LoginPorts,
  at: RedirectPlan & { readonly address?: string },
  wanted: readonly number[],
): Promise<CallbackListener> {
  const [port = 0, ...others] = wanted;
  try {
    const { host, path, address } = at;
    return await ports.listeners.listen({ port, host, path, address });
  } catch (error) {
    if (!isFailure(error, 'port_in_use')) throw error;
    if (others.length === 0) {
      const { host, path, isOfUri } = at;
      if (!isOfUri) throw error;
      throw portOfUriInUse(redirectUriText({ host, port, path }), `http://${host}:PORT${path}`, error);
    }
    return await listenAt(ports, at, others);
  }
}
