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
  /** The address of the server, for what is told. */
  readonly server: string;
  readonly login: LoginRecord | undefined;
  /** Undefined: nobody may be asked. */
  readonly ask: BridgeLogin | undefined;
  /** How long a request waits for a person. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}
