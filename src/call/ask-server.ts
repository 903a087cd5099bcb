import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { ServerSession } from '../mcp/server-session.js';
import type { AuthorizerPorts } from '../tokens/token-in-use.js';
import { Allowance, createConversation } from './create-conversation.js';
import type { PersonPorts } from './elicitation/ask-page.js';

/**
 * Opens a session with the server of a login, for `ask`, and ends it. Nobody is asked for anything, and no browser is
 * opened: a token is refreshed, and that is all.
 * @param ask Called once the session is open.
 * @throws Failure `login_needed`, `login_expired`, `token_refused`, `http_failed`, … and what `ask` throws
 */
export async function askServer<Result>(
  ports: AuthorizerPorts & PersonPorts & Pick<CorePorts, 'limits'>,
  { login, signal }: { readonly login: LoginRecord; readonly signal: AbortSignal },
  ask: (session: ServerSession) => Promise<Result>,
): Promise<Result> {
  const meter = new Allowance(login.server, await ports.limits());
  const nothing = () => undefined;
  const quiet = { relogin: undefined, policy: 'decline', notify: nothing, tell: nothing } as const;
  await using conversation = await createConversation(ports, { login, signal, meter, ...quiet });
  await conversation.describe(); // where its era is kept, opening alone asks nothing
  return await ask({ request: async (method, params) => await conversation.request(method, params) });
}
