import { unknownToServer } from '../faults/dpop.js';
import type { SandboxSettings } from '../options.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';

/** What a protected server is made with. */
export interface ProtectedServerSettings
  extends Pick<SandboxSettings, 'discovery' | 'wellKnown' | 'eras' | 'dpop' | 'dpopNonce'> {
  /** Its canonical URI (RFC 8707 section 2): the address of its endpoint, and the audience of its tokens. */
  readonly resource: string;
  /** The one issuer whose tokens it takes. */
  readonly issuer: string;
  /** The issuer's public keys (RFC 7517). Keys that a token brings along are never used. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  /** Is this rule to be broken? */
  readonly isFaulty: (name: string) => boolean;
  /** People's accounts at the upstream. */
  readonly accounts: Pick<UpstreamAccounts, 'profile'>;
}

/** How it treats tokens that are bound to a key now. */
export function dpopOf({ dpop, isFaulty }: Pick<ProtectedServerSettings, 'dpop' | 'isFaulty'>) {
  return isFaulty(unknownToServer) ? 'off' : dpop;
}
