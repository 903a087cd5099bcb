import type { Grant } from './records.js';
import type { JsonObject } from './text/json.js';

/** How this program introduces itself in `initialize`; a test keeps the version equal to package.json's. */
export const clientInfo = { name: 'postern', version: '0.1.0' } as const;

/** This release, from `package.json`. */
export interface Release {
  readonly version: string;
  /** Address of this release's client ID metadata document; empty if there is none. */
  readonly clientMetadataUrl: string;
}

/** The newest revision of the older era, which begins with `initialize`. */
export const latestProtocolVersion = '2025-11-25';

/** The newest revision, of the newer era: requests are independent of each other. */
export const newestRevision = '2026-07-28';

/** The full name of a member of `_meta` that the protocol defines. */
export function metaName(
  name: 'protocolVersion' | 'clientInfo' | 'clientCapabilities' | 'serverInfo' | 'logLevel' | 'subscriptionId',
): string {
  return `io.modelcontextprotocol/${name}`;
}

/** The protocol extensions that a login uses, as clients declare them (SEP-1046, SEP-990); none for a user's own login. */
export function loginExtensions(login: {
  readonly grant?: Grant | undefined;
  readonly provider?: unknown;
}): JsonObject {
  if (login.provider !== undefined) return { 'io.modelcontextprotocol/enterprise-managed-authorization': {} };
  return login.grant === 'client_credentials' ? { 'io.modelcontextprotocol/oauth-client-credentials': {} } : {};
}

/** The `_meta` of each request in the newer era (2026-07-28, basic/index, `_meta`). */
export function ownMeta(revision: string, capabilities: JsonObject): JsonObject {
  return {
    [metaName('protocolVersion')]: revision,
    [metaName('clientInfo')]: { ...clientInfo },
    [metaName('clientCapabilities')]: capabilities,
  };
}
