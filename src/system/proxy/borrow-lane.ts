import type { Lane } from '../http/lane.js';
import type { Lanes } from '../http/lanes.js';
import type { ExchangeParts } from './exchange-parts.js';

/** Borrows a connection to the server of a request: at once where there is one, else when it is there. */
export function borrowLane(
  { around, admitted }: ExchangeParts,
  use: (lane: Lane, lanes: Lanes<Lane>) => void,
  failed: (error: unknown) => void,
): void {
  const { places, signal } = around;
  const { url, origin } = admitted.mounted;
  const lanes = places.open(origin);
  const lane = lanes?.borrowNow('stream');
  if (lanes !== undefined && lane !== undefined) {
    use(lane, lanes);
    return;
  }
  const borrow = async () => {
    const found = await places.find(url, 'person', signal);
    use(await found.borrow('stream', signal), found);
  };
  borrow().catch(failed);
}
