import { loginNeeded } from '../../errors/token.js';
import type { Ports } from '../../ports.js';
import type { AuthorizedSender } from './authorized-sender.js';

/**
 * A sender for a server that there is no login for: nothing of ours is put on its requests. Servers that ask nobody
 * to log in are called like this; one that does answers 401, and that is where it ends.
 */
export function createOpenSender(ports: Pick<Ports, 'door'>, server: string): AuthorizedSender {
  return {
    send: async (request) => {
      const response = await ports.door.send({ ...request, namedBy: 'person', redirects: 'report' });
      if (response.status === 401) {
        await response[Symbol.asyncDispose]();
        throw loginNeeded({ server });
      }
      return response;
    },
  };
}
