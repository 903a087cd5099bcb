import { readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Failure, systemCode } from '../core/failure.js';
import type { Clock } from '../core/ports.js';
import { refuseClientError } from '../http/client-error.js';
import { replacePrivateFile } from '../stores/state/safe-file.js';
import { documentFileMissing, portInUse, portRefused, tlsFilesUnusable } from './failures.js';
import type { ServeDocument, SiteFile } from './ports.js';
import { makeSelfSigned, type TlsIdentity } from './self-signed.js';

/** Sockets and times are those of a server for one person on one machine. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
} as const;

/**
 * Serves documents on 127.0.0.1 and nowhere else.
 * @param certificateFile Where the certificate of `self-signed` is written for as long as that port is served, for others
 * to trust; its key is never written.
 */
export function createServeDocument(clock: Clock, certificateFile: (port: number) => string): ServeDocument {
  return async ({ port, tls, site }) => {
    for (const { path } of site.values()) await readText(path, documentFileMissing);
    const isSelfSigned = tls === 'self-signed';
    const identity = isSelfSigned ? makeSelfSigned(clock.now()) : await identityFrom(tls);
    const server = createTls(identity);
    server.maxConnections = 64;
    server.on('request', (request, response) => void respond(site, request, response));
    server.on('tlsClientError', (_, socket) => socket.destroy());
    server.on('clientError', refuseClientError);
    await listen(server, port);
    const { port: bound } = server.address() as AddressInfo;
    const file = isSelfSigned ? certificateFile(bound) : undefined;
    if (file !== undefined) await replacePrivateFile(file, identity.cert);
    const dispose = async () => {
      if (file !== undefined) await rm(file, { force: true });
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    };
    return { port: bound, certificateFile: file, [Symbol.asyncDispose]: dispose };
  };
}

function readText(path: string, failure: (path: string, code: string) => Failure): Promise<string> {
  return readFile(path, 'utf8').catch((error) => {
    throw failure(path, systemCode(error));
  });
}

/** @throws Failure `tls_files_unusable` */
async function identityFrom(files: { readonly certFile: string; readonly keyFile: string }): Promise<TlsIdentity> {
  const unreadable = (path: string, code: string) => tlsFilesUnusable(path, `it could not be read (${code})`);
  return { cert: await readText(files.certFile, unreadable), key: await readText(files.keyFile, unreadable) };
}

/** @throws Failure `tls_files_unusable` */
function createTls(identity: TlsIdentity): Server {
  try {
    return createServer({ ...identity, ...limits, minVersion: 'TLSv1.2' });
  } catch {
    const why = 'it and --tls-key are no PEM certificate and the private key that belongs to it';
    throw tlsFilesUnusable('--tls-cert', why);
  }
}

/** @throws Failure `port_in_use`, `port_refused` */
function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = systemCode(error);
      reject(code === 'EADDRINUSE' ? portInUse(port, error) : portRefused(port, code, error));
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}

/** Responds with one file of the site, as it is now on the disk; nothing else can be asked for, and no query. */
async function respond(
  site: ReadonlyMap<string, SiteFile>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  request.resume();
  if (method !== 'GET' && method !== 'HEAD') return plain(response, 405, 'Only GET.', { Allow: 'GET, HEAD' });
  const file = site.get(url);
  const bytes = file && (await readFile(file.path).catch(() => undefined));
  if (file === undefined || bytes === undefined) return plain(response, 404, 'Nothing here.');
  response.writeHead(200, { ...Object.fromEntries(file.headers), 'Content-Length': bytes.length });
  response.end(method === 'HEAD' ? undefined : bytes);
}

function plain(response: ServerResponse, status: number, text: string, headers = {}): void {
  const type = 'text/plain; charset=utf-8';
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers });
  response.end(`${text}\n`);
}
