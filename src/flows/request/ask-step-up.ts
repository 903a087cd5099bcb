import { stepUpDeclined } from '../../errors/call.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord } from '../../primitives/records.js';
import { scopesMissing } from '../../primitives/scope.js';

/**
 * Asks the person whether this login may ask for more scope, and shows which. A no holds for an hour for that server
 * and scope, in every process: nobody is asked again and again until the answer suits the server.
 * @throws Failure `step_up_declined`; the signal's reason
 */
export async function askStepUp(
  ports: Pick<Ports, 'terminal' | 'attempts'>,
  request: {
    readonly login: LoginRecord;
    /** What the server wants, whether held or not. */
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { terminal, attempts } = ports;
  const { login, signal } = request;
  const added = scopesMissing(login.scopes, request.scopes);
  const names = added.map((scope) => `declined ${login.server} ${scope}`);
  const taken: string[] = [];
  const forget = async () => {
    for (const name of taken) await attempts.forget(name);
  };
  for (const name of names) {
    if (!(await attempts.take(name, 1))) {
      await forget();
      throw stepUpDeclined(login, added, 'earlier');
    }
    taken.push(name);
  }
  terminal.tell(`${printable(login.server)} wants more scope for this: ${printable(added.join(' '))}`);
  const answer = await terminal
    .ask('Ask the authorization server for it, in the browser? [y/N] ', { hidden: false, signal })
    .catch(async (error: unknown) => {
      await forget(); // interrupted: that is no answer
      throw error;
    });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) {
    throw stepUpDeclined(login, added, 'now');
  }
  await forget();
}
