import type { LoginRecord } from '../core/records.js';
import type { JsonObject } from '../core/text/json.js';

/** A protocol session with a server, while it is open. */
export interface ServerSession {
  /** A request's result. @throws Failure of the request */
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/**
 * A session with the server of a login for `ask`, with nobody asked for anything; `app` joins it to `call/`.
 * @throws Failure of the token, the connection, and what `ask` throws
 */
export type AskServer = <Result>(
  asked: { readonly login: LoginRecord; readonly signal: AbortSignal },
  ask: (session: ServerSession) => Promise<Result>,
) => Promise<Result>;
