import { makeSigningKeys } from './authorization-server/keys.js';
import { serveAuthorization } from './authorization-server/start.js';
import { FaultBox } from './faults/fault-box.js';
import { RequestLog, type SandboxStats, type SeenRequest } from './log.js';
import { type SandboxOptions, type SandboxSettings, settingsFrom } from './options.js';
import { createProtectedServer } from './protected-server/protected-server.js';
import { serverFront } from './server-front.js';
import { type LoopbackServer, listenOnLoopback } from './wire/listen.js';

export interface Sandbox extends AsyncDisposable {
  /** Address of the protected server's endpoint, `http://127.0.0.1:<port>/mcp`. */
  readonly serverUrl: string;
  readonly issuer: string;
  /** What both servers were asked, oldest first. */
  readonly requests: readonly SeenRequest[];
  readonly stats: SandboxStats;
  /** The tokens that the protected server's own upstream was shown: never a caller's. */
  readonly upstreamTokens: readonly string[];
  /** Replaces the faults that are on; none switches them all off. @throws RangeError for an unknown name */
  setFaults(names: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Starts the authorization server and the protected server, both on 127.0.0.1, with keys, accounts and
 * records of their own, all of which are gone when it is closed.
 * @throws RangeError for an option that makes no sense, and the system's error when a port is taken
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settingsFrom(options);
  const faults = new FaultBox(settings.faults);
  const log = new RequestLog();
  const keysReady = makeSigningKeys();
  const [protectedPort, authorizationPort] = await listenOnBoth(settings);
  const serverUrl = `${protectedPort.origin}/mcp`;
  const issuer = `${authorizationPort.origin}${settings.issuerPath}`;
  const places = {
    serverUrl,
    serverOrigin: protectedPort.origin,
    issuer,
    authorizationOrigin: authorizationPort.origin,
  };
  const keys = await keysReady;
  const closing = new AbortController();
  serveAuthorization({
    server: authorizationPort,
    settings,
    keys,
    places,
    log,
    faults,
    closing: closing.signal,
  });
  const protectedServer = createProtectedServer({
    resource: serverUrl,
    issuer,
    keys: keys.verifying,
    discovery: settings.discovery,
    wellKnown: settings.wellKnown,
  });
  protectedPort.serve(serverFront({ places, log, faults }, protectedServer.handler));
  const close = async (): Promise<void> => {
    closing.abort();
    await protectedServer.close();
    await Promise.all([protectedPort, authorizationPort].map((server) => server[Symbol.asyncDispose]()));
  };
  return {
    serverUrl,
    issuer,
    requests: log.requests,
    get stats() {
      return log.stats;
    },
    get upstreamTokens() {
      return protectedServer.upstreamTokens;
    },
    setFaults: (names) => faults.set(names),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listenOnBoth(settings: SandboxSettings): Promise<readonly [LoopbackServer, LoopbackServer]> {
  const first = await listenOnLoopback(settings.port);
  try {
    return [first, await listenOnLoopback(settings.authorizationPort)];
  } catch (error) {
    await first[Symbol.asyncDispose]();
    throw error;
  }
}
