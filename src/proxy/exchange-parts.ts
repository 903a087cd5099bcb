import type { Origins } from '../http/origins.js';
import type { Active } from '../relay/active-set.js';
import type { Connection } from '../relay/connection.js';
import { headerValues } from '../relay/heads.js';
import type { ServerConnection } from '../relay/server-connection.js';
import type { Admitted, SessionCookies, Sessions } from './admit.js';
import type { ProxiedRequest, ProxyOptions } from './ports.js';
import type { Refusal, ResponseOut } from './refusal.js';

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

/** What is known of a request that was let in. */
export function partsOf(
  method: string,
  { mounted, target, head }: Admitted,
): Pick<ProxiedRequest, 'method' | 'path' | 'program'> {
  const own = mounted.url.pathname.replace(/\/$/, '');
  const [path = ''] = target.split('?', 1);
  const rest = path.startsWith(own) ? path.slice(own.length) : path;
  const [program] = headerValues(head.forward, 'user-agent');
  return { method, path: `/${mounted.mount.name}${rest}${path === target ? '' : '?…'}`, program };
}

/** Of one that was not: its address may hold the key, or what somebody tried as one. */
export function refusedRequest(method: string, { status, code }: Refusal): ProxiedRequest {
  return { method, path: undefined, status, ms: 0, program: undefined, refused: code };
}
