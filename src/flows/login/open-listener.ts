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
 * The port of a kept registration is tried first, so that it can be used again at servers that compare ports; a
 * dynamic registration gives way to an ephemeral port and is then made anew.
 * @throws Failure `port_in_use`, `port_refused`
 */
export async function openListener(
  ports: Pick<Ports, 'listeners'>,
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
    if (
      port !== 0 &&
      registration?.way === 'dynamic' &&
      error instanceof Failure &&
      error.code === 'port_in_use'
    ) {
      return ports.listeners.listen({ port: 0 });
    }
    throw error;
  }
}
