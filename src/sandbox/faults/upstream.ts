import { played } from './dpop.js';
import type { Fault } from './fault.js';

/** The names that the authorization server asks for: these faults are decisions of its own. */
export const noConsent = 'upstream-no-consent';

export const consentForAll = 'upstream-consent-for-all';

export const stateUnbound = 'upstream-state-unbound';

/** Ways of being a confused deputy: the upstream knows the sandbox under one static client identifier. */
export function upstreamFaults(): readonly Fault[] {
  return [
    played(noConsent, 'a client that wants the upstream is sent there unasked: the upstream asks, or remembers'),
    played(consentForAll, 'once one client may use the upstream, every client of the same person may'),
    played(stateUnbound, 'the upstream’s answer is taken from any browser, not only from the one that was sent there'),
  ];
}
