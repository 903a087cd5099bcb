import type { Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { madeElsewhere, type SenderPorts } from '../tokens/authorized-client.js';
import { stepUpBudget } from '../tokens/budget.js';
import { insufficientScope, scopeNotForClient, scopeRefused } from '../tokens/request-failures.js';
import type { WantedScope } from '../tokens/step-up.js';
import { widenCredential } from '../tokens/widen.js';

export interface StepUp {
  readonly login: LoginRecord;
  readonly wants: WantedScope;
  /** What was refused, for counting. */
  readonly operation: string;
  /** A client's own login asks for more once; what it was not given then it is not given later. Set when it has. */
  readonly once: { widened: boolean };
  readonly relogin: Relogin | undefined;
  readonly signal: AbortSignal;
}

/** A login with more scope; `helped` is to be called once the server is content with it. */
export interface SteppedUp {
  readonly login: LoginRecord;
  helped(): Promise<void>;
}

/**
 * Gets a login with the scope that a server wants beside the held one: one that another process has made, else from the
 * person, or, for a login of the client's own, from the authorization server at once.
 * @throws Failure `scope_refused` or `too_many_step_ups` when asking again is of no use, `insufficient_scope` when
 * nobody may be asked, `scope_not_for_client`
 */
export async function stepUp(ports: SenderPorts, asked: StepUp): Promise<SteppedUp> {
  const { login, wants, once, relogin, signal } = asked;
  const { server, scopes } = login;
  const added = scopesMissing(scopes, wants.scopes);
  if (added.length === 0) {
    throw scopeRefused(server, wants.scopes);
  }
  if (login.grant === 'client_credentials') {
    if (once.widened) throw scopeNotForClient(server, added);
    once.widened = true;
    return withoutBudget(await widenCredential(ports, { login, scopes: added, signal }));
  }
  const other = await madeElsewhere(ports, login);
  if (other !== undefined && scopesMissing(other.scopes, wants.scopes).length === 0) {
    return withoutBudget(other);
  }
  if (relogin === undefined) {
    throw insufficientScope(login, added, wants.said);
  }
  const budget = stepUpBudget(ports, { login, operation: asked.operation, scopes: wants.scopes });
  await budget.check();
  const better = await relogin(login, wants.scopes, () => budget.begin());
  if (better === undefined) {
    throw insufficientScope(login, added, wants.said);
  }
  await budget.answered(better);
  return { login: better, helped: () => budget.helped() };
}

function withoutBudget(login: LoginRecord): SteppedUp {
  return { login, helped: async () => undefined };
}
