import { discoveryTimedOut } from '../../errors/discovery.js';
import type { Ports } from '../../ports.js';
import type { Zone } from '../../primitives/records.js';
import type { AuthorizationServer, WantedGrant } from '../../protocol/oauth/authorization-server-metadata.js';
import type { ProtectedResource } from '../../protocol/oauth/protected-resource-metadata.js';
import { type AuthorizationServerChoice, chooseAuthorizationServer } from './choose-authorization-server.js';
import { findAuthorizationServer } from './find-authorization-server.js';
import { findProtectedResource } from './find-protected-resource.js';
import { probeServer } from './probe-server.js';
import { TimeBudget } from './time-budget.js';

export interface Discovery {
  readonly server: string;
  readonly zone: Zone;
  readonly protectedResource: ProtectedResource;
  readonly authorizationServer: AuthorizationServer;
  /** The challenge's scopes; undefined when it named none. */
  readonly challengedScopes: readonly string[] | undefined;
  /** What the person is shown at each login, and `status` repeats. */
  readonly warnings: readonly string[];
}

export type DiscoveryRequest = Omit<AuthorizationServerChoice, 'named'> & {
  readonly server: string;
  readonly grant: WantedGrant;
};

/**
 * From a server's canonical URL to the authorization server to log in at: rules 5.3, steps 1 to 4, each once and
 * in order. Nothing is registered, opened or stored.
 * @throws Failure of each step, with the trail of the steps before it; `timed_out` when all took too long together
 */
export async function discover(
  ports: Pick<Ports, 'door' | 'journal' | 'progress' | 'terminal' | 'clock' | 'limits'>,
  request: DiscoveryRequest,
): Promise<Discovery> {
  const { server } = request;
  // For all requests together, however many addresses hang; each has a shorter limit of its own.
  const discoveryMs = (await ports.limits()).discoverySeconds * 1000;
  const timeUp = () => discoveryTimedOut(server, discoveryMs, ports.journal.steps);
  const budget = new TimeBudget(ports.clock, discoveryMs, timeUp);
  const { probed, protectedResource } = await budget.spend(request.signal, async (signal) => {
    const probed = await probeServer(ports, { server, signal });
    return { probed, protectedResource: await findProtectedResource(ports, { server, probed, signal }) };
  });
  const named = protectedResource.authorizationServers;
  const issuer = await chooseAuthorizationServer(ports, { ...request, named });
  const { zone } = probed;
  const { resource } = protectedResource;
  const authorizationServer = await budget.spend(request.signal, async (signal) => {
    const found = await findAuthorizationServer(ports, {
      issuer,
      resource,
      zone,
      signal,
      grant: request.grant,
    });
    // Before anything is registered or opened: whoever logs in should not find out afterwards.
    const pushed = found.requiresPushedRequests ? found.pushedAuthorizationRequestEndpoint : undefined;
    for (const url of [found.tokenEndpoint, found.authorizationEndpoint, pushed]) {
      if (url === undefined) continue;
      await ports.door.check({ url, namedBy: zone, signal });
    }
    return found;
  });
  return {
    server,
    zone,
    protectedResource,
    authorizationServer,
    challengedScopes: probed.scopes,
    warnings: warningsOf(server, probed.resourceMetadata, protectedResource, authorizationServer),
  };
}

function warningsOf(
  server: string,
  metadataUrl: string | undefined,
  resource: ProtectedResource,
  authorizationServer: AuthorizationServer,
): readonly string[] {
  const origin = (url: string) => new URL(url).origin;
  const warnings: string[] = [];
  if (resource.relation === 'ancestor') {
    warnings.push(`the token is valid for the whole of ${resource.resource}, not only for ${server}`);
  }
  if (metadataUrl !== undefined && origin(metadataUrl) !== origin(server)) {
    warnings.push(`the server's metadata is published at another origin, ${origin(metadataUrl)}`);
  }
  const { authorizationEndpoint } = authorizationServer;
  if (
    authorizationEndpoint !== undefined &&
    origin(authorizationEndpoint) !== origin(authorizationServer.issuer)
  ) {
    const there = origin(authorizationEndpoint);
    warnings.push(
      `the login page is at ${there}, another site than the issuer ${authorizationServer.issuer}`,
    );
  }
  return warnings;
}
