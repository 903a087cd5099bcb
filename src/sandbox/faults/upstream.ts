import type { Fault } from './fault.js';

/** The names that the authorization server asks for: these faults are decisions of its own. */
export const noConsent = 'upstream-no-consent';

export const consentForAll = 'upstream-consent-for-all';

export const stateUnbound = 'upstream-state-unbound';

/** Ways of being a confused deputy: the upstream knows the sandbox under one static client identifier. */
export function upstreamFaults(): readonly Fault[] {
  return [
    {
      name: noConsent,
      rows: [],
      what: 'a client that wants the upstream is sent there unasked: the upstream asks, or remembers',
    },
    {
      name: consentForAll,
      rows: [],
      what: 'once one client may use the upstream, every client of the same person may',
    },
    {
      name: stateUnbound,
      rows: [],
      what: 'the upstream’s answer is taken from any browser, not only from the one that was sent there',
    },
  ];
}
