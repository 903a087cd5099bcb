import type { Framing } from './admit.js';
import { type BodyWatcher, type KeptBody, noBody, WholeBody } from './kept-body.js';
import { proxyLimits } from './limits.js';
import { StreamedBody } from './streamed-body.js';

/** The body of a request by its framing. When it is `waiting` from the beginning, `ready` is called later. */
export function keepBody(framing: Framing, watcher: BodyWatcher): KeptBody {
  if (framing.kind !== 'length') {
    return framing.kind === 'none' ? noBody : new StreamedBody(undefined, watcher);
  }
  const { length } = framing;
  return length <= proxyLimits.wholeBody ? new WholeBody(watcher) : new StreamedBody(length, watcher);
}
