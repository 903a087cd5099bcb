import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServeDocument } from '../../src/client-metadata/document-server.js';
import type { DocumentServer, SiteFile } from '../../src/client-metadata/ports.js';
import { createClock } from '../../src/stores/clock.js';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary.js';

/** The real server of `client-metadata serve`, over a file whose text and headers a test can change. */
export interface HostedDocument extends AsyncDisposable {
  readonly url: string;
  readonly server: DocumentServer;
  /** PEM file. */
  readonly certificateFile: string;
  publish(text: string, headers: SiteFile['headers']): Promise<void>;
}

export const goodHeaders = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

/** Serves `/client.json`, empty at first. */
export async function hostDocument(): Promise<HostedDocument> {
  const folder: TemporaryFolder = await temporaryFolder();
  const path = join(folder.path, 'client.json');
  await writeFile(path, '');
  const certificateFile = join(folder.path, 'state', 'certificate.pem');
  const serve = createServeDocument(createClock(), () => certificateFile);
  const site = new Map<string, SiteFile>([['/client.json', { path, headers: goodHeaders }]]);
  const server = await serve({ port: 0, tls: 'self-signed', site });
  return {
    url: `https://127.0.0.1:${server.port}/client.json`,
    server,
    certificateFile,
    publish: async (text, headers) => {
      await writeFile(path, text);
      site.set('/client.json', { path, headers });
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
