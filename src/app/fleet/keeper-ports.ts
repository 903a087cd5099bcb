import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isFailure } from '../../core/failure.js';
import type { ListenLocally } from '../../fleet/ports.js';

/** What a keeper takes of this machine; it listens as the proxy does. */
export function keeperPorts(): {
  readonly listenLocally: ListenLocally;
  readonly processName: () => string;
  readonly randomId: () => string;
} {
  return {
    listenLocally: async (server, where) => {
      const { listen } = await import('../../proxy/listen.js');
      try {
        return await listen(server, where);
      } catch (error) {
        if (!isFailure(error, 'proxy_port_in_use', 'proxy_port_refused')) throw error;
        throw error.withRemedy('Choose another port; --listen 127.0.0.1:0 takes a free one.');
      }
    },
    processName: () => `${hostname()} (process ${process.pid})`,
    randomId: () => randomUUID(),
  };
}
