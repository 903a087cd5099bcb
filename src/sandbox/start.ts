import { makeSigningKeys, withPublicHalves } from './authorization-server/keys.js';
import { serveAuthorization } from './authorization-server/start.js';
import type { Addresses } from './faults/fault.js';
import { ActiveFaults } from './faults/table.js';
import { RequestLog, type RequestOver, type SeenRequest } from './log.js';
import { type SandboxOptions, type SandboxSettings, settingsFrom } from './options.js';
import { createProtectedServer } from './protected-server/protected-server.js';
import { serverFront } from './server-front.js';
import type { StateFolder } from './state-folder.js';
import { makeStaticClient, UpstreamAccounts } from './upstream-accounts.js';
import { UpstreamServer } from './upstream-server.js';
import { type LoopbackServer, listenOnLoopback, SharedPort } from './wire/listen.js';

export interface Sandbox extends AsyncDisposable {
  /** Address of the protected server's endpoint, `http://127.0.0.1:<port>/mcp`. */
  readonly serverUrl: string;
  readonly issuer: string;
  /** What both servers were asked, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Where the upstream listens, another service that the sandbox is a client of. */
  readonly upstreamUrl: string;
  /** The tokens that the upstream was shown: never a caller's. */
  readonly upstreamTokens: readonly string[];
  /** Replaces the faults that are on; none switches them all off. @throws RangeError for an unknown name */
  setFaults(names: readonly string[]): void;
  close(): Promise<void>;
}

/**
 * Starts the authorization server and the protected server, both on 127.0.0.1, with keys, accounts and
 * records of their own, all of which are gone when it is closed, but for what goes into `state`; `over` is told of each
 * request of both when it is over.
 * @throws RangeError for an option that makes no sense, the system's error when a port is taken, what `StateFolder` throws
 */
export async function startSandbox(
  options: SandboxOptions = {},
  state?: StateFolder,
  over?: RequestOver,
): Promise<Sandbox> {
  const settings = settingsFrom(options);
  const { discovery, wellKnown, eras, dpop, dpopNonce } = settings;
  const faults = new ActiveFaults(settings.faults);
  const log = new RequestLog(over);
  const { keys: earlier } = state?.beginning ?? {};
  const keys = earlier === undefined ? makeSigningKeys() : withPublicHalves(earlier);
  const [protectedPort, ownPort, upstreamPort] = await listenOnAll(portsOf(settings, state));
  const shared = discovery === 'none' ? new SharedPort(protectedPort) : undefined;
  const authorizationPort = shared ?? ownPort;
  const addresses = addressesOf(protectedPort.origin, authorizationPort.origin, settings.issuerPath);
  const { serverUrl, issuer } = addresses;
  const { upstream, accounts } = serveUpstream(upstreamPort, issuer);
  await state?.begin(protectedPort.port, authorizationPort.port, keys.signing);
  const closing = new AbortController();
  serveAuthorization({
    server: authorizationPort,
    settings,
    keys,
    addresses,
    log,
    faults,
    accounts,
    kept: state,
    closing: closing.signal,
  });
  const protectedServer = createProtectedServer({
    resource: serverUrl,
    issuer,
    keys: keys.verifying,
    ...{ discovery, wellKnown, eras, dpop, dpopNonce },
    isFaulty: (name) => faults.isOn(name),
    accounts,
  });
  const protectedFront = serverFront({ addresses, log, faults }, protectedServer.handler);
  protectedPort.serve(shared?.with(new URL(serverUrl).pathname, protectedFront) ?? protectedFront);
  const close = async (): Promise<void> => {
    closing.abort();
    await protectedServer.close();
    await closeAll([protectedPort, ownPort, upstreamPort]);
  };
  return {
    serverUrl,
    issuer,
    upstreamUrl: upstream.origin,
    requests: log.requests,
    upstreamTokens: upstream.received,
    setFaults: (names) => faults.set(names),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function addressesOf(serverOrigin: string, authorizationOrigin: string, issuerPath: string): Addresses {
  const [serverUrl, issuer] = [`${serverOrigin}/mcp`, `${authorizationOrigin}${issuerPath}`];
  return { serverUrl, issuer, serverOrigin, authorizationOrigin };
}

/** Where to listen: as told, else where an earlier run did, else on any free port. */
function portsOf(settings: SandboxSettings, state: StateFolder | undefined): [number, number, number] {
  const { server = 0, authorization = 0 } = state?.beginning?.ports ?? {};
  return [settings.port || server, settings.authorizationPort || authorization, 0];
}

/** Another service, and the accounts there that the protected server uses. */
function serveUpstream(port: LoopbackServer, issuer: string) {
  const client = makeStaticClient(issuer);
  const upstream = new UpstreamServer(port.origin, client, Date.now);
  port.serve(upstream.handler);
  return { upstream, accounts: new UpstreamAccounts(port.origin, client, Date.now) };
}

async function listenOnAll(
  ports: readonly [number, number, number],
): Promise<[LoopbackServer, LoopbackServer, LoopbackServer]> {
  const open: LoopbackServer[] = [];
  try {
    for (const port of ports) open.push(await listenOnLoopback(port));
    return open as [LoopbackServer, LoopbackServer, LoopbackServer];
  } catch (error) {
    await closeAll(open);
    throw error;
  }
}

async function closeAll(servers: readonly LoopbackServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
}
