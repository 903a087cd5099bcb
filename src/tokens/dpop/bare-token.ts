import type { LoginMeant } from '../../core/login-command.js';
import type { LoginRecord } from '../../core/records.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { tokenBound } from './failures.js';

type Known = LoginMeant & Pick<LoginRecord, 'dpop' | 'schemeTaken'>;

/**
 * Refuses to hand out a token alone that is bound to a key: whoever gets it cannot make the proofs (RFC 9449 section 7).
 * @param asked The command that would; `item` decides, where it was read, and the index tells it sooner.
 * @throws Failure `dpop_bound`
 */
export function proveBare(
  login: Known,
  asked: string,
  { item }: { readonly item?: Pick<StoredCredential, 'dpopKey'> } = {},
): void {
  const isBound = item === undefined ? login.dpop === 'bound' || login.dpop === 'demanded' : item.dpopKey !== undefined;
  if (isBound) throw tokenBound(login, asked);
}
