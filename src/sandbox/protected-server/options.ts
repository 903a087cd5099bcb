import { unknownToServer } from '../faults/dpop.js';
import type { UpstreamAccounts } from '../upstream-accounts.js';

/** What a protected server is made with. */
export interface ProtectedServerOptions {
  /** Its canonical URI (RFC 8707 section 2): the address of its endpoint, and the audience of its tokens. */
  readonly resource: string;
  /** The one issuer whose tokens it takes. */
  readonly issuer: string;
  /** The issuer's public keys (RFC 7517). Keys that a token brings along are never used. */
  readonly keys: readonly Readonly<Record<string, unknown>>[];
  /**
   * How its metadata can be found: by the challenge, by the well-known addresses, or by either. With `header`
   * the document stands at an address that only the challenge names. Default `both`.
   */
  readonly discovery?: 'both' | 'header' | 'well-known' | 'none';
  /** Which well-known addresses are served: with the endpoint's path, the root form, or both. Default `both`. */
  readonly wellKnown?: 'path' | 'root' | 'both';
  /** What every request needs, and all that the metadata announces. Default `mcp:basic`. */
  readonly requiredScopes?: readonly string[];
  /** The eras of the protocol that it speaks: up to 2025-11-25, from 2026-07-28 on. Default `both`. */
  readonly eras?: 'both' | 'newer' | 'older';
  /** Tokens that are bound to a key (RFC 9449): none, beside others, or nothing else. Default `off`. */
  readonly dpop?: 'off' | 'offered' | 'required';
  /** Each proof has to hold a nonce. Default false. */
  readonly dpopNonce?: boolean;
  /** Is this rule to be broken? */
  readonly isFaulty?: (name: string) => boolean;
  /** People's accounts at the upstream; absent: no tool uses any. */
  readonly accounts?: Pick<UpstreamAccounts, 'profile'>;
}

export type ProtectedServerSettings = Required<Omit<ProtectedServerOptions, 'accounts'>> &
  Pick<ProtectedServerOptions, 'accounts'>;

/** How it treats tokens that are bound to a key now. */
export function dpopOf({ dpop, isFaulty }: Pick<ProtectedServerSettings, 'dpop' | 'isFaulty'>) {
  return isFaulty(unknownToServer) ? 'off' : dpop;
}

export function protectedServerSettings(options: ProtectedServerOptions): ProtectedServerSettings {
  return {
    discovery: 'both',
    wellKnown: 'both',
    eras: 'both',
    requiredScopes: ['mcp:basic'],
    dpop: 'off',
    dpopNonce: false,
    isFaulty: () => false,
    ...options,
  };
}
