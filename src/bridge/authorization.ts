import type { LoginInBackground } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { attaches } from '../core/resource.js';
import { pickLogin, sameLogin, type WantedLogin } from '../tokens/find-login.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import { bridgeScopeNeeded } from './failures.js';

/** How long no login is begun after one that failed, in milliseconds. */
const restMs = 600_000;

export interface BridgeTokenOptions {
  readonly wanted: WantedLogin;
  /** Canonical, and fixed from the start: no login of another server is used, whatever its name. */
  readonly server: string;
  readonly login: LoginRecord | undefined;
  /** Undefined: nobody may be asked. */
  readonly ask: LoginInBackground | undefined;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** The tokens of a bridge, which sends none as long as there is no login. */
export function bridgeTokens(ports: AuthorizerPorts, options: BridgeTokenOptions): TokenInUse {
  const { wanted, server, login, ask, waitMs, signal } = options;
  return new TokenInUse(ports, {
    meant: { server, account: wanted.account },
    login,
    mayGoWithout: true,
    person: ask && { ask, waitMs, restMs },
    scopeNeeded: bridgeScopeNeeded,
    find: (held) => candidates(ports, options, held),
    signal,
  });
}

/**
 * The login in use, as it is now; then the one that was named, if it is for the server that this bridge began with; where
 * the name is gone or another server's now, the login of that server and account.
 */
async function candidates(
  ports: AuthorizerPorts,
  { wanted, server, login }: BridgeTokenOptions,
  held: LoginRecord | undefined,
): Promise<readonly LoginRecord[]> {
  const { logins } = await ports.index.read();
  const own = logins.filter((one) => attaches(one.server, server));
  // A pin means the server and account of the start.
  const named = wanted.pin === undefined ? pickLogin(own, wanted) : undefined;
  const picked =
    named === undefined || named.kind === 'none'
      ? pickLogin(own, { server, account: login?.account ?? wanted.account })
      : named;
  const now = held && sameLogin(logins, held);
  const other = picked.kind === 'one' && picked.login.key !== now?.key ? picked.login : undefined;
  return [now, other].filter((one) => one !== undefined);
}
