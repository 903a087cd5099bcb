import type { DocumentServers } from '../client-metadata/ports.js';
import type { Clock } from '../core/ports.js';
import type { HttpClient } from '../http/request.js';
import type { ExternalProgramsOptions } from '../setup/machine/external-programs.js';
import type { ExternalPrograms } from '../setup/ports.js';

/** Ports whose code is loaded, and which are made, at the first use: a command pays only for what it uses. */

/** A HTTP client that, never used, has nothing to close. */
export function lazyHttp(make: () => Promise<HttpClient>): HttpClient {
  let http: Promise<HttpClient> | undefined;
  const made = () => {
    http ??= make();
    return http;
  };
  return {
    send: async (request) => (await made()).send(request),
    check: async (target) => (await made()).check(target),
    [Symbol.asyncDispose]: async () => {
      const open = await http?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    },
  };
}

export function lazyDocumentServers(clock: Clock, stateFolder: () => string): DocumentServers {
  const certificateFile = (port: number) => `${stateFolder()}/document-certificate-${port}.pem`;
  return {
    serve: async (options) => {
      const { createDocumentServers } = await import('../client-metadata/document-server.js');
      return createDocumentServers({ clock, certificateFile }).serve(options);
    },
  };
}

export function lazyExternalPrograms(options: ExternalProgramsOptions): () => Promise<ExternalPrograms> {
  return async () => {
    const { createExternalPrograms } = await import('../setup/machine/external-programs.js');
    return createExternalPrograms(options);
  };
}
