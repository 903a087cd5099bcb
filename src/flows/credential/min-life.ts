import type { CredentialFormat } from '../../primitives/credential-format.js';
import type { StoredCredential } from '../../protocol/credential-item.js';

/**
 * How much life a token must have left to be handed out, milliseconds: what the caller asks for, else a minute, or five
 * where it is frozen in an environment; of a token that never lives long, a tenth or a half of its lifetime, as it
 * would be refreshed at every call otherwise.
 */
export function minLife(
  format: CredentialFormat,
  asked: number | undefined,
  { expiresAt, obtainedAt }: Pick<StoredCredential, 'expiresAt' | 'obtainedAt'>,
): number {
  if (asked !== undefined) {
    return asked;
  }
  const lifetime = Math.max(0, (expiresAt ?? Number.POSITIVE_INFINITY) - obtainedAt);
  return format === 'env' ? Math.min(300_000, lifetime / 2) : Math.min(60_000, lifetime / 10);
}
