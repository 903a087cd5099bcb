/** A scenario of the official suite and what its result means here. */
export interface Scenario {
  readonly name: string;
  /** Rows of the rule table that a clean pass shows. */
  readonly rules: string;
  /** A newer revision's scenario, played on the wire of 2025-11-25. */
  readonly onOldWire?: true;
}

/** `--requirements 2025-11-25`: what a client of that revision must pass. */
export const required: readonly Scenario[] = [
  { name: 'initialize', rules: '' },
  { name: 'tools_call', rules: '' },
  { name: 'elicitation-sep1034-client-defaults', rules: '' },
  { name: 'sse-retry', rules: '' },
  { name: 'auth/metadata-default', rules: '[R-1.8c] [R-4.2a] [R-5.3a]' },
  { name: 'auth/metadata-var1', rules: '[R-1.8e] [R-4.2b]' },
  { name: 'auth/metadata-var2', rules: '[R-4.2b] [R-4.3a]' },
  { name: 'auth/metadata-var3', rules: '[R-4.2a] [R-4.3a]' },
  { name: 'auth/basic-cimd', rules: '[R-4.6a]' },
  { name: 'auth/scope-from-www-authenticate', rules: '[R-5.4a]' },
  { name: 'auth/scope-from-scopes-supported', rules: '[R-5.4a]' },
  { name: 'auth/scope-omitted-when-undefined', rules: '[R-5.4a]' },
  { name: 'auth/scope-step-up', rules: '[R-4.7a] [R-5.6a]' },
  { name: 'auth/scope-retry-limit', rules: '[R-5.6b]' },
  { name: 'auth/token-endpoint-auth-basic', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/token-endpoint-auth-post', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/token-endpoint-auth-none', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/pre-registration', rules: '[R-4.6b]' },
];

/** Authorization scenarios of 2026-07-28 whose rules cost nothing on the older wire. */
export const newerOnOldWire: readonly Scenario[] = [
  { name: 'auth/resource-mismatch', rules: '[R-2.1d]', onOldWire: true },
  { name: 'auth/metadata-issuer-mismatch', rules: '[R-4.3c]', onOldWire: true },
  { name: 'auth/offline-access-scope', rules: '', onOldWire: true },
  { name: 'auth/offline-access-not-supported', rules: '', onOldWire: true },
  { name: 'auth/iss-supported', rules: '', onOldWire: true },
  { name: 'auth/iss-not-advertised', rules: '', onOldWire: true },
  { name: 'auth/iss-supported-missing', rules: '', onOldWire: true },
  { name: 'auth/iss-wrong-issuer', rules: '', onOldWire: true },
  { name: 'auth/iss-unexpected', rules: '', onOldWire: true },
  { name: 'auth/iss-normalized', rules: '', onOldWire: true },
];

/** The same, in which a person has to agree to something in the middle. */
export const newerWithConsent: readonly Scenario[] = [
  { name: 'auth/authorization-server-migration', rules: '[R-2.1b]', onOldWire: true },
];

/** Extensions of the specification that are built; never part of the suite's requirements. */
export const extensions: readonly Scenario[] = [
  { name: 'auth/client-credentials-jwt', rules: '[R-2.3c] [R-9.2]' },
  { name: 'auth/client-credentials-basic', rules: '[R-9.2]' },
];
