import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyOptions } from '../../ports/proxy.js';
import type { Lane } from '../http/lane.js';
import type { Places } from '../http/places.js';
import type { Admitted } from './admit.js';
import type { Sessions } from './sessions.js';

/** What all exchanges of a proxy share. */
export interface Surroundings {
  readonly places: Places<Lane>;
  readonly sessions: Sessions;
  readonly options: ProxyOptions;
  readonly signal: AbortSignal;
  /** True once the proxy takes no more requests. */
  readonly ending: boolean;
}

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly admitted: Admitted;
  readonly around: Surroundings;
  /** Names the request where it fails. */
  readonly id: string;
  /** Called once, when nothing is under way any more. */
  readonly over: () => void;
}
