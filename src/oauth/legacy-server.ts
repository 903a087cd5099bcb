import type { Zone } from '../core/records.js';
import { originOf, splitUrl } from '../core/url.js';
import { type DiscoveryPorts, firstDocument, isSameIssuer, triedInWords, urlProblem } from './discovery-document.js';
import { metadataUnusable, noAuthorizationServerMetadata } from './failures.js';
import type { ProtectedResource } from './resource-metadata.js';
import {
  type AuthorizationServer,
  authorizationServerOf,
  findAuthorizationServer,
  validateServerMetadata,
  type WantedGrant,
} from './server-metadata.js';

/*
 * Servers that publish no protected resource metadata are logged in to by a person's choice alone: at the authorization server
 * that the person names, else, as those of revision 2025-03-26, at their own origin.
 */

interface LegacyServer {
  /** Canonical. */
  readonly server: string;
  readonly zone: Zone;
  readonly grant: WantedGrant;
  readonly signal: AbortSignal;
}

/** What stands in for the metadata that such a server does not have. @param server Its canonical URL. */
export function legacyResource(server: string, issuer = originFor(server)): ProtectedResource {
  return {
    resource: server,
    relation: 'same',
    authorizationServers: [issuer],
    scopesSupported: undefined,
    isLegacy: true,
  };
}

/** Is its own origin taken for the authorization server? */
function isOwnIssuer(issuer: string, server: string): boolean {
  return isSameIssuer(issuer, originFor(server));
}

/** What such a login costs, in a sentence without its first capital. */
export function legacyWarning(server: string, issuer: string): string {
  if (!isOwnIssuer(issuer, server)) {
    return `this server names no authorization server: ${issuer} is taken for it by your choice (--authorization-server), and its token may be good for everything there, where ${server} could use it`;
  }
  return `this server is logged in to as those of 2025-03-26 (--legacy): it names no authorization server, so ${originFor(server)} itself is taken for it, and its token may be good for everything at that origin`;
}

/** Whether its origin serves authorization server metadata that could be used. A failure is a no. */
export async function servesOwnMetadata(ports: DiscoveryPorts, wanted: LegacyServer): Promise<boolean> {
  try {
    return (await ownMetadata(ports, wanted)).ok;
  } catch (error) {
    wanted.signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return false;
  }
}

/**
 * The authorization server that a person named; or the origin as one: by its metadata (RFC 8414), else, where it has none, by the endpoints that
 * revision 2025-03-26 gives to all such servers. A document that breaks a rule ends it.
 * @throws Failure as `findAuthorizationServer`
 */
export async function findLegacyServer(
  ports: DiscoveryPorts,
  wanted: LegacyServer & { readonly issuer: string },
): Promise<AuthorizationServer> {
  const { server, issuer: named } = wanted;
  if (!isOwnIssuer(named, server)) return findAuthorizationServer(ports, { ...wanted, resource: server });
  const found = await ownMetadata(ports, wanted);
  if (found.ok) return found.authorizationServer;
  const issuer = originFor(server);
  const [miss] = found.misses;
  if (miss?.failure !== undefined) throw miss.failure;
  if (miss?.isBroken) throw noAuthorizationServerMetadata(issuer, triedInWords(found.misses));
  const tokenEndpoint = `${issuer}/token`;
  const why = urlProblem(tokenEndpoint, wanted.zone);
  if (why !== undefined) throw metadataUnusable(tokenEndpoint, `it ${why}`);
  ports.journal.record({
    name: 'authorization-server-metadata',
    asked: 'the endpoints of 2025-03-26',
    came: `${issuer}/authorize, /token and /register are used`,
    rule: 'MCP 2025-03-26, Fallbacks for Servers without Metadata Discovery',
    verdict: 'warning',
  });
  const endpoints = {
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: tokenEndpoint,
    registration_endpoint: `${issuer}/register`,
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
  };
  return authorizationServerOf(endpoints, { ...wanted, issuer });
}

function ownMetadata(ports: DiscoveryPorts, { server, zone, grant, signal }: LegacyServer) {
  const issuer = originFor(server);
  const urls = [`${issuer}/.well-known/oauth-authorization-server`];
  const step = { name: 'authorization-server-metadata', rule: 'R-4.3b' };
  return firstDocument(ports, { urls, step, zone, signal }, (document, url) =>
    validateServerMetadata(document, { issuer, resource: server, zone, grant, url }),
  );
}

function originFor(server: string): string {
  const parts = splitUrl(server);
  if (parts === undefined) throw new Error('a canonical URL has an origin');
  return originOf(parts);
}
