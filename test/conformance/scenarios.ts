/** A scenario of the official suite and what its result means here. */
export interface Scenario {
  readonly name: string;
  /** `must`: anything but a clean pass fails the run. Else the reason why it is only reported. */
  readonly gate: 'must' | { readonly reportedBecause: string };
  /** Rows of the rule table that a clean pass shows. */
  readonly rules: string;
  /** A newer revision's scenario, played on the wire of 2025-11-25. */
  readonly onOldWire?: true;
}

/** `--requirements 2025-11-25`: what a client of that revision must pass. */
export const required: readonly Scenario[] = [
  { name: 'initialize', gate: 'must', rules: '' },
  { name: 'tools_call', gate: 'must', rules: '' },
  { name: 'elicitation-sep1034-client-defaults', gate: 'must', rules: '' },
  { name: 'sse-retry', gate: 'must', rules: '' },
  { name: 'auth/metadata-default', gate: 'must', rules: '[R-1.8c] [R-4.2a] [R-5.3a]' },
  { name: 'auth/metadata-var1', gate: 'must', rules: '[R-1.8e] [R-4.2b]' },
  { name: 'auth/metadata-var2', gate: 'must', rules: '[R-4.2b] [R-4.3a]' },
  { name: 'auth/metadata-var3', gate: 'must', rules: '[R-4.2a] [R-4.3a]' },
  { name: 'auth/basic-cimd', gate: 'must', rules: '[R-4.6a]' },
  { name: 'auth/scope-from-www-authenticate', gate: 'must', rules: '[R-5.4a]' },
  { name: 'auth/scope-from-scopes-supported', gate: 'must', rules: '[R-5.4a]' },
  { name: 'auth/scope-omitted-when-undefined', gate: 'must', rules: '[R-5.4a]' },
  { name: 'auth/scope-step-up', gate: 'must', rules: '[R-4.7a] [R-5.6a]' },
  { name: 'auth/scope-retry-limit', gate: 'must', rules: '[R-5.6b]' },
  { name: 'auth/token-endpoint-auth-basic', gate: 'must', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/token-endpoint-auth-post', gate: 'must', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/token-endpoint-auth-none', gate: 'must', rules: '[R-1.8a] [R-2.5a]' },
  { name: 'auth/pre-registration', gate: 'must', rules: '[R-4.6b]' },
];

/** Authorization scenarios of 2026-07-28 whose rules cost nothing on the older wire. */
export const newerOnOldWire: readonly Scenario[] = [
  { name: 'auth/resource-mismatch', gate: 'must', rules: '[R-2.1d]', onOldWire: true },
  { name: 'auth/metadata-issuer-mismatch', gate: 'must', rules: '[R-4.3c]', onOldWire: true },
  { name: 'auth/offline-access-scope', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/offline-access-not-supported', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-supported', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-not-advertised', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-supported-missing', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-wrong-issuer', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-unexpected', gate: 'must', rules: '', onOldWire: true },
  { name: 'auth/iss-normalized', gate: 'must', rules: '', onOldWire: true },
];

/** Extensions of the specification that are built; never part of the suite's requirements. */
export const extensions: readonly Scenario[] = [
  { name: 'auth/client-credentials-jwt', gate: 'must', rules: '[R-2.3c] [R-9.2]' },
  { name: 'auth/client-credentials-basic', gate: 'must', rules: '[R-9.2]' },
];
