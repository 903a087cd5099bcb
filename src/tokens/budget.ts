import type { LoginMeant } from '../core/login-command.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import type { StorePorts } from '../stores/ports.js';
import { tooManyTabs } from './failures.js';
import { scopeNotGranted, scopeRefused, tooManyStepUps } from './request-failures.js';

/** Tabs in an hour for a login that no person typed, until a token of it has worked. */
const maxTabs = 3;

/** Tabs in an hour for a login that no person typed, in all. */
const maxTabsInAll = 10;

/** Logins of an hour that are counted while none of their tokens has worked; one is enough. */
const maxUnproven = 50;

/**
 * The limits for logins that no person typed, counted over all processes: a server that refuses fresh tokens costs one tab,
 * not many. A `login` at a terminal has none.
 */
export function loginBrakes({ attempts }: Pick<StorePorts, 'attempts'>, login: LoginMeant) {
  const about = `${login.server} ${login.account ?? defaultAccount}`;
  const [tabs, all, unproven] = [`tab ${about}`, `tab in all ${about}`, `unproven login ${about}`];
  return {
    /** Counts a tab that is about to be opened. @throws Failure `too_many_tabs` */
    openTab: async () => {
      if (!(await attempts.allows(all, maxTabsInAll))) throw tooManyTabs(login, maxTabsInAll, 'answered');
      if (!(await attempts.take(tabs, maxTabs))) throw tooManyTabs(login, maxTabs, 'in vain');
      await attempts.take(all, maxTabsInAll);
    },
    /** A token was issued; whether it works is not known yet. */
    issued: async () => void (await attempts.take(unproven, maxUnproven)),
    /** May a login whose token the server refuses be repeated by itself? Not where no token of it has worked yet. */
    mayRepeat: () => attempts.allows(unproven, 1),
    /** The server took a token of this login: nothing holds the next one back. */
    worked: async () => {
      for (const name of [tabs, unproven]) await attempts.forget(name);
    },
  };
}

/** Refusals within an hour of what a platform or a company's provider says, after which a login is no longer refreshed automatically. */
export const maxPlatformRefusals = 10;

/** The name that they are counted by; a new login begins a new count. */
export const platformRefusals = ({ key }: Pick<LoginRecord, 'key'>): string => `refused platform ${key}`;

/** Step-ups for one operation of a resource within an hour; then the refusal is permanent (rule 5.6). */
const maxForOperation = 3;

/** Step-ups for one resource, whatever the operation, after which it was still not content. */
const maxInVain = 3;

/** Step-ups for one resource in all: one that is content each time, and wants more the next time, ends, too. */
const maxForResource = 10;

/** What a step-up may still cost the person within this hour, counted over all processes. */
export type StepUpBudget = ReturnType<typeof stepUpBudget>;

/**
 * The budget for one operation of a login's server and account; two servers of one resource have each their own. The names of
 * operations come from what the server offers, so that there is one for the whole server, too.
 */
export function stepUpBudget(
  ports: Pick<StorePorts, 'attempts'>,
  step: { readonly login: LoginRecord; readonly operation: string; readonly scopes: readonly string[] },
) {
  const { attempts } = ports;
  const { login, operation, scopes } = step;
  const about = `${login.server} ${login.account}`;
  const inVain = `step-up in vain ${about}`;
  const tooMany = () => tooManyStepUps(login, scopes);
  const bounds = [
    [`step-up ${about} ${operation}`, maxForOperation, () => scopeRefused(login.server, scopes)],
    [inVain, maxInVain, tooMany],
    [`step-up at ${about}`, maxForResource, tooMany],
  ] as const;
  const each = async (allowed: (name: string, max: number) => Promise<boolean>) => {
    for (const [name, max, failure] of bounds) {
      if (!(await allowed(name, max))) throw failure();
    }
  };
  const notGranted = (scope: string) => `not granted ${about} ${scope}`;
  const added = scopesMissing(login.scopes, scopes);
  return {
    /** Before the person is asked anything. @throws Failure `scope_not_granted`, `scope_refused`, `too_many_step_ups` */
    check: async () => {
      for (const scope of added) {
        if (!(await attempts.allows(notGranted(scope), 1))) throw scopeNotGranted(login, login.scopes, added);
      }
      await each((name, max) => attempts.allows(name, max));
    },
    /** Counts one: the person said yes, and the browser is about to open. @throws as `check` */
    begin: () => each((name, max) => attempts.take(name, max)),
    /** A scope that was not granted is not asked for again by itself within the hour. */
    granted: async (better: LoginRecord) => {
      for (const scope of scopesMissing(better.scopes, added)) await attempts.take(notGranted(scope), 1);
    },
    /** The operation went through after it. */
    helped: async () => {
      // An authorization server may grant what is asked for under another name.
      for (const name of [inVain, ...added.map(notGranted)]) await attempts.forget(name);
    },
  };
}
