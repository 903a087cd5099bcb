import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import type { Secret } from '../../primitives/secret.js';
import type { StoredCredential } from '../../protocol/credential-item.js';

export interface ValidTokenRequest {
  readonly login: LoginRecord;
  readonly minLifeMs: number;
  /** A token that the server refused although it seemed valid: any other one will do. */
  readonly rejected: Secret | undefined;
  readonly signal: AbortSignal;
}

export type TokenPorts = Pick<Ports, 'store' | 'index' | 'locks' | 'door' | 'clock' | 'journal' | 'progress'>;

/** Does this credential's token still live for as long as was asked, and was not refused? */
export function usable(
  credential: Pick<StoredCredential, 'accessToken' | 'expiresAt' | 'obtainedAt'>,
  wanted: Pick<ValidTokenRequest, 'minLifeMs' | 'rejected'>,
  now: number,
): boolean {
  if (wanted.rejected !== undefined && wanted.rejected.reveal() === credential.accessToken.reveal()) {
    return false;
  }
  return credential.expiresAt === null || credential.expiresAt - now > wanted.minLifeMs;
}
