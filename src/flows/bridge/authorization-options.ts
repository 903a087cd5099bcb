import type { LoginRecord } from '../../primitives/records.js';
import type { WantedLogin } from '../find-login.js';

/** Gets a person to log in, or to give more scope; resolves once that is stored. `begin` as for `Relogin`. */
export type BridgeLogin = (
  held: LoginRecord | undefined,
  scopes: readonly string[],
  begin: () => Promise<void>,
) => Promise<LoginRecord>;

export interface AuthorizationOptions {
  readonly wanted: WantedLogin;
  /** Canonical; held from the start: no login of another server is used, whatever it is called. */
  readonly server: string;
  readonly login: LoginRecord | undefined;
  /** Undefined: nobody may be asked. */
  readonly ask: BridgeLogin | undefined;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}
