import { upstreamFaults } from '../../../src/sandbox/faults/upstream.js';
import { listenForCallback } from '../client.js';
import { Tab } from '../tab.js';
import { codeAt, preparedTrap, profileFor, program, willing } from '../upstream/deputy.js';
import { proveFaults } from './observe.js';

interface Attacks {
  /** What the attacker's link brings him when somebody opens it, who has allowed the upstream to nobody here. */
  readonly stranger: string;
  /** The same with somebody who has allowed it to an honest program. */
  readonly customer: string;
  /** What the attacker reads after somebody has opened his trap. */
  readonly trapped: string;
}

// The attacks themselves: each gets through to the upstream with its fault, and none without.
proveFaults<Attacks>(
  upstreamFaults(),
  async (sandbox, arm) => {
    await using honestCallback = await listenForCallback();
    await using evilCallback = await listenForCallback();
    const honest = await program(sandbox, honestCallback, 'Honest program');
    const evil = await program(sandbox, evilCallback, 'Evil program');
    const alice = await willing(honest.link, 'alice');
    arm();
    await alice.open(evil.link);
    const customer = codeAt(evil) === null ? '' : await profileFor(sandbox, evil);
    const bob = await program(sandbox, evilCallback, 'Another');
    const tab = new Tab({ roams: true });
    await tab.open(bob.link);
    await tab.press('account', 'bob');
    const stranger = tab.url.origin === sandbox.upstreamUrl ? tab.html : '';
    const prepared = await preparedTrap(bob);
    await alice.open(prepared.trap);
    await prepared.tab.open(prepared.login);
    const location = prepared.tab.headers.get('location');
    const reached = location?.startsWith(evilCallback.redirectUri) ? location : undefined;
    if (reached !== undefined) await fetch(reached);
    const trapped = reached === undefined ? '' : await profileFor(sandbox, bob);
    return { stranger, customer, trapped };
  },
  {
    'upstream-no-consent': ({ stranger, customer }) => stranger !== '' && customer.includes('Robin'),
    'upstream-consent-for-all': ({ stranger, customer }) => stranger === '' && customer.includes('Robin'),
    'upstream-state-unbound': ({ customer, trapped }) => customer === '' && trapped.includes('Robin'),
  },
);
