import { Failure } from '../../errors/failure.js';
import type { CallbackListener, Ports } from '../../ports.js';
import type { RegistrationRecord } from '../../primitives/records.js';
import { fixedPorts } from '../../protocol/oauth/client-metadata/redirect-uris.js';

export interface ListenerRequest {
  /** `--redirect-port`; undefined: not asked for. */
  readonly port: number | undefined;
  /** The registration that is likely to be used: its port is taken when it is free. */
  readonly registration: RegistrationRecord | undefined;
}

/**
 * Opens the callback listener before the client is identified, since a registration needs the exact redirect URI.
 * The port of a kept registration is tried first, so that it can be used again at servers that compare ports. Where it
 * is taken, another one will do: a dynamic registration is then made anew, and for any other most servers leave the
 * port of a loopback redirect URI open (RFC 8252 section 7.3); the person is told. With a metadata document any port will
 * do, unless the last login there had to use one of the document's fixed ports: then it is one of those.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openListener(
  ports: Pick<Ports, 'listeners' | 'terminal'>,
  request: ListenerRequest,
): Promise<CallbackListener> {
  if (request.port !== undefined) {
    return ports.listeners.listen({ port: request.port });
  }
  const { registration } = request;
  if (registration?.way === 'metadata') {
    return listenAsDocumented(ports, registration.redirectUri);
  }
  const port = registration === undefined ? 0 : Number(new URL(registration.redirectUri).port);
  try {
    return await ports.listeners.listen({ port });
  } catch (error) {
    if (port === 0 || !(error instanceof Failure) || error.code !== 'port_in_use') {
      throw error;
    }
    if (registration?.way !== 'dynamic') {
      ports.terminal.tell(
        `Note: port ${port}, which this client was used with, is taken; another one is tried.`,
      );
    }
    return ports.listeners.listen({ port: 0 });
  }
}

/** @throws Failure `port_in_use` when every fixed port is taken: another one would lead the browser to a dead end */
async function listenAsDocumented(
  ports: Pick<Ports, 'listeners'>,
  redirectUri: string,
): Promise<CallbackListener> {
  const used = Number(new URL(redirectUri).port);
  const others = fixedPorts.includes(used) ? fixedPorts.filter((port) => port !== used) : [];
  for (const port of [used, ...others].slice(0, -1)) {
    try {
      return await ports.listeners.listen({ port });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'port_in_use') throw error;
    }
  }
  return ports.listeners.listen({ port: others.at(-1) ?? used });
}
