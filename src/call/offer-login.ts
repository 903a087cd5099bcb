import type { CommandOutput } from '../core/command.js';
import { Failure, isFailure } from '../core/failure.js';
import type { BrowserOptions, CorePorts, Logins } from '../core/ports.js';
import { saysYes } from '../core/text/says-yes.js';
import type { StorePorts } from '../stores/ports.js';
import { findLoginOrServer } from '../tokens/find-login.js';

/** Which login a command is for, and how its page may be opened. */
export interface OfferedLogin extends BrowserOptions {
  /** Undefined where the server is a program. */
  readonly server: string | undefined;
  readonly account: string | undefined;
  /** `--login`: then whatever is needed is done without a question. */
  readonly login: boolean;
}

interface OfferWorld extends Pick<CommandOutput, 'json' | 'out' | 'signal'>, Pick<CorePorts, 'terminal'> {
  readonly index: StorePorts['index'];
  readonly logins: () => Promise<Logins>;
}

/**
 * Does the work. Where it fails for want of a login and a person reads both streams, it offers the login, and after a
 * yes does the work once more: nothing of it was carried out without a token.
 * @throws what the work throws; after a no the first failure, told in short; the login's
 */
export async function withLoginOffered<Result>(
  world: OfferWorld,
  wanted: OfferedLogin,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFailure(error, 'login_needed', 'login_expired') || !(await logsInNow(world, wanted, error))) throw error;
  }
  return await work();
}

/** Whether the person wants the login that is missing, and made it. With `--login` one that is there was made again already. @throws Failure of the login */
async function logsInNow(world: OfferWorld, wanted: OfferedLogin, failure: Failure): Promise<boolean> {
  const { terminal, json, out, signal } = world;
  const { server, account } = wanted;
  const mayAsk = !json && out.isTerminal && terminal.interactive;
  if ((!wanted.login && !mayAsk) || server === undefined) return false;
  const login = await findLoginOrServer(world, { server, account }).catch(() => undefined);
  if (login === undefined || (login.key !== undefined && (wanted.login || login.grant !== undefined))) return false;
  if (!wanted.login) {
    terminal.tell(`postern: ${failure.message}`);
    if (!(await saysYes(terminal, 'Log in now?', signal, 'yes'))) throw declined(failure);
  }
  const logins = await world.logins();
  const browserOptions = { browser: wanted.browser, noBrowser: wanted.noBrowser };
  if (login.key === undefined) {
    await logins.findOrMake({ ...browserOptions, server, account });
    return true;
  }
  const relogin = logins.relogin({ ...browserOptions, login: true });
  return (await relogin?.(login, [], async () => undefined)) !== undefined;
}

/** Why a login is needed has been said above the question. */
function declined({ detail }: Failure): Failure {
  return new Failure({ ...detail, message: 'Not logged in.' });
}
