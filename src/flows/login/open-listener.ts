import { Failure } from '../../errors/failure.js';
import type { CallbackListener, Ports } from '../../ports.js';
import type { RegistrationRecord } from '../../primitives/records.js';

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
 * port of a loopback redirect URI open (RFC 8252 section 7.3); the person is told.
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
