import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallbackListeners } from '../../ports.js';
import type { CallbackLimits } from './limits.js';
import { LoopbackListener } from './listener.js';
import { openServer } from './open-server.js';
import { createPages } from './page.js';

/** Callback listeners on 127.0.0.1, each for one authorization request (RFC 8252 section 7.3). */
export function createCallbackListeners(limits: CallbackLimits): CallbackListeners {
  return {
    listen: async ({ port }) => {
      let onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
        response.destroy();
      };
      const server = await openServer(port, limits, (request, response) => onRequest(request, response));
      const listener = new LoopbackListener(server, createPages(), limits);
      onRequest = (request, response) => listener.handle(request, response);
      return listener;
    },
  };
}
