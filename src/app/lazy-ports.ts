import type { ServeDocument } from '../client-metadata/ports.js';
import type { Clock } from '../core/ports.js';
import type { HttpClient } from '../http/request.js';
import type { ExternalProgramsOptions } from '../setup/machine/external-programs.js';
import type { ExternalPrograms } from '../setup/machine/ports.js';

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

export function lazyServeDocument(clock: Clock, stateFolder: () => string): ServeDocument {
  const certificateFile = (port: number) => `${stateFolder()}/document-certificate-${port}.pem`;
  return async (options) => {
    const { createServeDocument } = await import('../client-metadata/document-server.js');
    return createServeDocument(clock, certificateFile)(options);
  };
}

export function lazyExternalPrograms(options: ExternalProgramsOptions): () => Promise<ExternalPrograms> {
  return async () => {
    const { createExternalPrograms } = await import('../setup/machine/external-programs.js');
    return createExternalPrograms(options);
  };
}
