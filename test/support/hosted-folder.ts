import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { startAuthority } from './certificates.js';

/** A folder that is published over https on this machine, as `client-metadata` makes it. */
export interface HostedFolder extends AsyncDisposable {
  /** Of its document. */
  readonly url: string;
  /** PEM file of the authority. */
  readonly certificate: string;
}

/** Serves the files of `folder`, which may be made later; the document is `client.json` below `path`. */
export async function hostFolder(folder: string, path = '/client.json'): Promise<HostedFolder> {
  const authority = await startAuthority();
  const { cert, key } = await authority.issue('IP:127.0.0.1');
  const server = createServer({ cert, key }, async (request, response) => {
    const bytes = await readFile(join(folder, basename(request.url ?? ''))).catch(() => undefined);
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };
    response.writeHead(bytes === undefined ? 404 : 200, { ...headers, 'x-content-type-options': 'nosniff' }).end(bytes);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    certificate: authority.caFile,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await authority[Symbol.asyncDispose]();
    },
  };
}
