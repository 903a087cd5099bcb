import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { startAuthority } from '../support/certificates.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** A document at `/client.json` over https, whose text and headers a test can change. */
export interface HostedDocument extends AsyncDisposable {
  readonly url: string;
  /** PEM file of the authority. */
  readonly certificateFile: string;
  publish(text: string, headers: Headers): void;
  /** The certificate of another server by the same authority. */
  readonly certificate: { readonly cert: string; readonly key: string };
}

export const goodHeaders = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

/** Serves `/client.json`, empty at first. */
export async function hostDocument(): Promise<HostedDocument> {
  const authority = await startAuthority();
  const { cert, key } = await authority.issue('IP:127.0.0.1');
  let served: { readonly text: string; readonly headers: Headers } = { text: '', headers: goodHeaders };
  const server = createServer({ cert, key }, (_, response) => {
    response.writeHead(200, served.headers.flat()).end(served.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`,
    certificateFile: authority.caFile,
    publish: (text, headers) => {
      served = { text, headers };
    },
    certificate: { cert, key },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await authority[Symbol.asyncDispose]();
    },
  };
}
