import type { Places } from '../http/origins.js';
import type { Lane } from '../relay/connection.js';
import type { CallerConnection } from '../relay/server-connection.js';
import type { Answer } from '../relay/server-response.js';
import type { Admitted } from './admit.js';
import type { Exchange } from './exchange.js';
import type { ProxyOptions } from './ports.js';
import type { ReadAnswers } from './refusal.js';
import type { Sessions } from './sessions.js';

/** What all exchanges of a proxy share. */
export interface Surroundings {
  readonly places: Places<Lane>;
  readonly sessions: Sessions;
  readonly answers: ReadAnswers;
  readonly options: ProxyOptions;
  readonly signal: AbortSignal;
  /** Told once of each exchange, when nothing of it is under way any more. */
  readonly over: (exchange: Exchange) => void;
}

export interface ExchangeParts {
  readonly connection: CallerConnection;
  readonly method: string;
  readonly answer: Answer;
  readonly admitted: Admitted;
  readonly around: Surroundings;
  /** Names the request where it fails. */
  readonly number: number;
}
