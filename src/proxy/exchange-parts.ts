import type { Origins } from '../http/origins.js';
import type { Active } from '../relay/active-set.js';
import type { Connection } from '../relay/connection.js';
import type { ServerConnection } from '../relay/server-connection.js';
import type { Admitted, SessionCookies, Sessions } from './admit.js';
import type { ProxyOptions } from './ports.js';
import type { ResponseOut } from './refusal.js';

/** What all exchanges of a proxy share. */
export interface Surroundings {
  readonly origins: Origins<Connection>;
  readonly sessions: Sessions;
  readonly cookies: SessionCookies;
  readonly options: ProxyOptions;
  readonly signal: AbortSignal;
  /** Bytes of bodies that are kept to be validated, of all exchanges. */
  held: number;
  /** Called once for each exchange, when nothing of it is under way any more. */
  over(exchange: Active): void;
}

export interface ExchangeParts {
  readonly connection: ServerConnection;
  readonly method: string;
  readonly response: ResponseOut;
  readonly admitted: Admitted;
  readonly around: Surroundings;
  /** Names the request where it fails. */
  readonly number: number;
}
