import { tooManyTabs } from '../../errors/callback.js';
import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import type { LoginMeant } from '../../primitives/login-command.js';
import { defaultAccount } from '../../primitives/records.js';

/** Tabs for one login within an hour that nobody typed, as long as no token of it worked. */
export const mostTabs = 3;
/** Tabs for one login within an hour that nobody typed, whatever came of them. */
const mostTabsInAll = 10;
/** Logins of an hour that are counted while none of their tokens has worked; one is enough. */
const mostUnproven = 50;

/** What holds back logins that nobody typed. Whoever types `login` at a terminal is never held back. */
export interface LoginBrakes {
  /** Counts a tab that is about to be opened. @throws Failure `too_many_tabs` */
  openTab(): Promise<void>;
  /** A token was issued; whether it works is not known yet. */
  issued(): Promise<void>;
  /** May a login whose token the server refuses be repeated by itself? Not where no token of it has worked yet. */
  mayRepeat(): Promise<boolean>;
  /** The server took a token of this login: nothing holds the next one back. */
  worked(): Promise<void>;
}

/** The brakes of one login, counted over all processes: a server that refuses fresh tokens costs one tab, not many. */
export function loginBrakes({ attempts }: Pick<Ports, 'attempts'>, login: LoginMeant): LoginBrakes {
  const about = `${login.server} ${login.account ?? defaultAccount}`;
  const [tabs, all, unproven] = [`tab ${about}`, `tab in all ${about}`, `unproven login ${about}`];
  return {
    openTab: async () => {
      if (!(await attempts.allows(all, mostTabsInAll))) throw tooManyTabs(login, mostTabsInAll, 'answered');
      if (!(await attempts.take(tabs, mostTabs))) throw tooManyTabs(login, mostTabs, 'in vain');
      await attempts.take(all, mostTabsInAll);
    },
    issued: async () => void (await attempts.take(unproven, mostUnproven)),
    mayRepeat: () => attempts.allows(unproven, 1),
    worked: async () => {
      try {
        for (const name of [tabs, unproven]) await attempts.forget(name);
      } catch (error) {
        if (!(error instanceof Failure)) throw error; // a request that went well does not fail for a count
      }
    },
  };
}
