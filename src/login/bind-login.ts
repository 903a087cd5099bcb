import type { LoginAsked } from '../core/login-command.js';
import type { LoginRecord } from '../core/records.js';
import type { Discovery } from '../oauth/discover.js';
import { makeDpopKey, thumbprintOf } from '../oauth/dpop/key.js';
import { type ProofChoice, proofUse } from '../oauth/dpop/offer.js';
import { Proofs } from '../oauth/dpop/proofs.js';
import type { IssuedToken } from '../oauth/token.js';
import type { BegunLogin, LoginPorts } from './ports.js';

/**
 * The key that the login's tokens are to be bound to (RFC 9449), where they are: another one each time, also where a login is
 * made again or gets more scope, so that nothing that was signed before is of use afterwards.
 * @throws Failure `dpop_needed`, `dpop_not_offered`, `dpop_downgraded`
 */
export async function proofsFor(
  { journal, clock }: Pick<LoginPorts, 'journal' | 'clock'>,
  about: {
    readonly discovery: Discovery;
    readonly meant: LoginAsked;
    readonly held: LoginRecord | undefined;
    readonly choice: ProofChoice | undefined;
  },
): Promise<Pick<BegunLogin, 'dpop' | 'dpopChoice'>> {
  const { discovery, meant, held } = about;
  const heldChoice = held?.dpop === 'demanded' ? 'always' : held?.dpop === 'never' ? 'never' : undefined;
  const choice = about.choice ?? heldChoice;
  const isHeld = held?.dpop === 'bound' || held?.dpop === 'demanded';
  const use = proofUse(discovery, { choice, held: isHeld }, meant);
  if (use === 'none') return { dpop: undefined, dpopChoice: choice };
  const dpop = new Proofs(await makeDpopKey(), clock.now, { isRequired: use === 'required' });
  journal.record({
    name: 'dpop',
    asked: `proofs with ES256, ${use}`,
    came: `a new key, thumbprint ${await thumbprintOf(dpop.key)}`,
    rule: 'RFC 9449 section 5.1',
    verdict: 'pass',
  });
  return { dpop, dpopChoice: choice };
}

/** What is kept of it: in the item, where other programs cannot change it, and in the index. */
export function keptProofs(
  { isBound }: IssuedToken,
  { dpop, dpopChoice, discovery }: Pick<BegunLogin, 'dpop' | 'dpopChoice' | 'discovery'>,
) {
  const { dpopRequired } = discovery.protectedResource;
  const isRequired = dpopChoice === 'always' || dpopRequired === true;
  const item =
    isBound && dpop !== undefined ? { dpopKey: dpop.key, ...(isRequired ? { dpopRequired: true as const } : {}) } : {};
  const isOnly = dpopRequired === true || discovery.challengedDpop === 'only';
  const schemeTaken: LoginRecord['schemeTaken'] = isOnly ? 'dpop' : undefined;
  const bound = dpopChoice === 'always' ? ('demanded' as const) : ('bound' as const);
  const dpopRecord = isBound ? bound : dpopChoice === 'never' ? dpopChoice : undefined;
  return { item, record: { dpop: dpopRecord, schemeTaken } };
}
