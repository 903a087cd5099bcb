import { scopeNotGranted, scopeRefused, tooManyStepUps } from '../../errors/call.js';
import type { Ports } from '../../ports.js';
import type { LoginRecord } from '../../primitives/records.js';
import { scopesMissing } from '../../primitives/scope.js';

/** Step-ups for one operation of a resource within an hour; then the refusal is permanent (rule 5.6). */
const mostForOperation = 3;
/** Step-ups for one resource, whatever the operation, after which it was still not content. */
const mostInVain = 3;
/** Step-ups for one resource in all: one that is content each time, and wants more the next time, ends, too. */
const mostForResource = 10;

/** What a step-up may still cost the person within this hour, counted over all processes. */
export interface StepUpBudget {
  /** Before the person is asked anything. @throws Failure `scope_not_granted`, `scope_refused`, `too_many_step_ups` */
  check(): Promise<void>;
  /** Counts one: the person said yes, and the browser is about to open. @throws as `check` */
  begin(): Promise<void>;
  /** What came of it: a scope that was not granted is not asked for again by itself within the hour. */
  answered(better: LoginRecord): Promise<void>;
  /** The operation went through after it. */
  helped(): Promise<void>;
}

/**
 * The budget for one operation of a login's server; two servers of one resource have each their own. The names of
 * operations come from what the server offers, so that there is one for the whole server, too.
 */
export function stepUpBudget(
  ports: Pick<Ports, 'attempts'>,
  about: { readonly login: LoginRecord; readonly operation: string; readonly scopes: readonly string[] },
): StepUpBudget {
  const { attempts } = ports;
  const { login, operation, scopes } = about;
  const inVain = `step-up in vain ${login.server}`;
  const tooMany = () => tooManyStepUps(login, scopes);
  const bounds = [
    [`step-up ${login.server} ${operation}`, mostForOperation, () => scopeRefused(login.server, scopes)],
    [inVain, mostInVain, tooMany],
    [`step-up at ${login.server}`, mostForResource, tooMany],
  ] as const;
  const each = async (allowed: (name: string, most: number) => Promise<boolean>) => {
    for (const [name, most, failure] of bounds) {
      if (!(await allowed(name, most))) throw failure();
    }
  };
  const notGranted = (scope: string) => `not granted ${login.server} ${login.account} ${scope}`;
  const added = scopesMissing(login.scopes, scopes);
  return {
    check: async () => {
      for (const scope of added) {
        if (!(await attempts.allows(notGranted(scope), 1))) throw scopeNotGranted(login, login.scopes, added);
      }
      await each((name, most) => attempts.allows(name, most));
    },
    begin: () => each((name, most) => attempts.take(name, most)),
    answered: async (better) => {
      for (const scope of scopesMissing(better.scopes, added)) await attempts.take(notGranted(scope), 1);
    },
    helped: async () => {
      // An authorization server may grant what is asked for under another name.
      for (const name of [inVain, ...added.map(notGranted)]) await attempts.forget(name);
    },
  };
}
