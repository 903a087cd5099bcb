import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { ProtectedServerSettings } from '../../../src/sandbox/protected-server/options.js';
import { createProtectedServer, type ProtectedServer } from '../../../src/sandbox/protected-server/protected-server.js';
import { HeldResponse } from '../../../src/sandbox/wire/response.js';

export const issuer = 'http://127.0.0.1:9/issuer';

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** A protected server that listens, and the key that its tokens are signed with. */
export interface Running extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly server: ProtectedServer;
  readonly privateKey: Key;
  readonly publicJwk: JWK;
  /** An honest token, but for these claims (undefined leaves one out) and header members. */
  token(claims?: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Starts a protected server on a free loopback port, as the sandbox does; `keys` are more of its issuer's. */
export async function runProtected({ keys = [], ...options }: Partial<ProtectedServerSettings> = {}): Promise<Running> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const publicJwk: JWK = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  // Room for a token of a megabyte, so that the server's own limit is what is seen.
  const listener = createServer({ ServerResponse: HeldResponse, maxHeaderSize: 4 * 1024 * 1024 });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const server = createProtectedServer({
    ...{
      resource: url,
      issuer,
      keys: [publicJwk, ...keys],
      isFaulty: () => false,
      accounts: { profile: async () => undefined },
    },
    ...{ discovery: 'both', wellKnown: 'path', eras: 'both', dpop: 'off', dpopNonce: false, ...options },
  });
  listener.on('request', (request, response) => {
    server.handler(request, response).catch(() => response.destroy());
  });
  return {
    url,
    origin,
    server,
    privateKey,
    publicJwk,
    token: (claims = {}, header = {}) => sign(privateKey, { ...honestClaims(url), ...claims }, header),
    [Symbol.asyncDispose]: () => stop(listener, server),
  };
}

/** What an honest access token for this resource says (RFC 9068 section 2.2). */
export function honestClaims(resource: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: issuer,
    aud: resource,
    sub: 'alice',
    client_id: 'client-1',
    scope: 'mcp:basic',
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 300,
  };
}

export async function sign(
  key: Key | Uint8Array,
  claims: JWTPayload,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(present).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1', ...header }).sign(key);
}

interface Listener {
  close(done: () => void): unknown;
  closeAllConnections(): void;
}

async function stop(listener: Listener, server: ProtectedServer): Promise<void> {
  await server.close();
  listener.closeAllConnections();
  await new Promise<void>((resolve) => listener.close(() => resolve()));
}
