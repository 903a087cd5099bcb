import type { Grant } from './records.js';
import type { JsonObject } from './text/json.js';

/** How this program introduces itself in `initialize`; a test keeps the version equal to package.json's. */
export const clientInfo = { name: 'postern', version: '0.1.0' } as const;

/** What `package.json` says of this release. */
export interface Release {
  readonly version: string;
  /** Address of the client ID metadata document of this release; empty: it has none. */
  readonly clientMetadataUrl: string;
}

/** The newest revision of the older era, which begins with `initialize`. */
export const latestProtocolVersion = '2025-11-25';

/** The newest revision, of the newer era: each request stands for itself. */
export const newestRevision = '2026-07-28';

/** The full name of a member of `_meta` that the protocol itself defines. */
export function metaName(
  name: 'protocolVersion' | 'clientInfo' | 'clientCapabilities' | 'serverInfo' | 'logLevel' | 'subscriptionId',
): string {
  return `io.modelcontextprotocol/${name}`;
}

/** The extensions of the protocol that a login is made by, as clients declare them (SEP-1046, SEP-990); none for a person's own. */
export function loginExtensions(login: {
  readonly grant?: Grant | undefined;
  readonly provider?: unknown;
}): JsonObject {
  if (login.provider !== undefined) return { 'io.modelcontextprotocol/enterprise-managed-authorization': {} };
  return login.grant === 'client_credentials' ? { 'io.modelcontextprotocol/oauth-client-credentials': {} } : {};
}

/** What each request of the newer era says of whoever sends it (2026-07-28, basic/index, `_meta`). */
export function ownMeta(revision: string, capabilities: JsonObject): JsonObject {
  return {
    [metaName('protocolVersion')]: revision,
    [metaName('clientInfo')]: { ...clientInfo },
    [metaName('clientCapabilities')]: capabilities,
  };
}
