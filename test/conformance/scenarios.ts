/** Rows of the rule tables that a clean pass shows, by scenario; one that shows none of its own is not here. */
export const rulesShown: Readonly<Record<string, string>> = {
  'auth/metadata-default': '[R-1.8c] [R-4.2a] [R-5.3a]',
  'auth/metadata-var1': '[R-1.8e] [R-4.2b]',
  'auth/metadata-var2': '[R-4.2b] [R-4.3a]',
  'auth/metadata-var3': '[R-4.2a] [R-4.3a]',
  'auth/basic-cimd': '[R-4.6a]',
  'auth/scope-from-www-authenticate': '[R-5.4a]',
  'auth/scope-from-scopes-supported': '[R-5.4a]',
  'auth/scope-omitted-when-undefined': '[R-5.4a]',
  'auth/scope-step-up': '[R-4.7a] [R-5.6a] [Q-6.13]',
  'auth/scope-retry-limit': '[R-5.6b] [Q-6.17]',
  'auth/token-endpoint-auth-basic': '[R-1.8a] [R-2.5a]',
  'auth/token-endpoint-auth-post': '[R-1.8a] [R-2.5a]',
  'auth/token-endpoint-auth-none': '[R-1.8a] [R-2.5a]',
  'auth/pre-registration': '[R-4.6b]',
  'auth/resource-mismatch': '[R-2.1d]',
  'auth/metadata-issuer-mismatch': '[R-4.3c] [Q-6.6]',
  'auth/offline-access-scope': '[Q-6.19] [Q-6.20]',
  'auth/offline-access-not-supported': '[Q-6.20]',
  'auth/iss-supported': '[Q-6.1]',
  'auth/iss-not-advertised': '[Q-6.3]',
  'auth/iss-supported-missing': '[Q-6.3]',
  'auth/iss-wrong-issuer': '[Q-6.2]',
  'auth/iss-unexpected': '[Q-6.2]',
  'auth/iss-normalized': '[Q-6.2]',
  'auth/authorization-server-migration': '[R-2.1b] [Q-6.7]',
  'auth/client-credentials-jwt': '[R-2.3c] [R-9.2]',
  'auth/client-credentials-basic': '[R-9.2]',
  'request-metadata': '[Q-1.4] [Q-2.1] [Q-2.2] [Q-2.3] [Q-2.4]',
  'http-standard-headers': '[Q-2.5] [Q-2.6]',
  'http-custom-headers': '[Q-2.7] [Q-2.8]',
  'http-invalid-tool-headers': '[Q-2.9]',
  'sep-2322-client-request-state': '[Q-3.1] [Q-4.1] [Q-4.2] [Q-4.3]',
  'json-schema-ref-no-deref': '[Q-3.11]',
  'json-schema-2020-12-preservation': '[Q-3.12]',
};

/** How the program is driven: by a person at `login` and `call`, or by a host of either era behind `bridge`. */
export type Way = 'call' | 'bridge, older host' | 'bridge, newer host';

/** What speaks on the wire to the suite's server. */
export type Wire = '2025-03-26' | '2025-11-25' | '2026-07-28';

interface Exception {
  readonly scenario: string;
  /** The day it was put here. */
  readonly since: string;
  readonly reason: string;
}

/** Scenarios that are not played, as what they are about is not built. */
export const notPlayed: readonly Exception[] = [
  ...['no-prefetch', 'verify-digest', 'verify-size', 'verify-frontmatter'].map((what) => ({
    scenario: `sep-2640-client-${what}`,
    since: '2026-11-23',
    reason: 'skills are not built; stands in no requirements',
  })),
];

/** Plays that do not pass yet; one that passes by now fails as long as it stands here. */
export const notYet: readonly (Exception & { readonly way: Way; readonly wire: Wire })[] = [
  ...[
    'request-metadata',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'sep-2322-client-request-state',
  ].map((scenario) => ({
    ...{ scenario, way: 'bridge, older host' as const, wire: '2026-07-28' as const, since: '2026-11-23' },
    reason: 'its server takes initialize, too: an older host is not translated then',
  })),
];
