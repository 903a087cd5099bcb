import { Busy } from '../../errors/state.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord } from '../../primitives/records.js';
import { unionScopes } from '../../primitives/scope.js';
import { checkName } from './check-name.js';
import type { LoginRequest } from './login.js';
import { serves } from './wish.js';

export interface TogetherRequest extends LoginRequest {
  /** The login of this server and account that the caller found wanting (expired, too little scope); undefined: none. */
  readonly seen: LoginRecord | undefined;
}

/**
 * One login at a time for one server and account, on this machine: whoever comes first opens the tab, the others wait,
 * `timeoutMs` at most, and take the login that he made, when it is what they ask for; else they go on with their own,
 * one after the other. When the first one fails or dies, one of those who wait takes over.
 *
 * For a program that runs long (bridge, proxy): keep the login that you found as `seen`, and call this when it is
 * missing, dead or too narrow; `heldScopes` are those of `seen`, `scopes` what the challenge named. You get the login to
 * go on with, whoever made it: take its token with `validToken`. Several requests of one process should share one call
 * (keep its promise), so that the person is told once. `signal` ends the wait, and one's own login, at once.
 *
 * @param logIn `login`, or another way to one.
 * @throws Failure `busy` when the other does not end in time (it may be suspended), `name_taken`, or as `logIn`
 */
export async function loginTogether(
  ports: Ports,
  request: TogetherRequest,
  logIn: (ports: Ports, request: LoginRequest) => Promise<LoginRecord>,
): Promise<LoginRecord> {
  const { seen, ...wanted } = request;
  checkName(wanted, (await ports.index.read()).logins);
  const { lock, waited } = await takeTurn(ports, wanted);
  await using _lock = lock;
  const made = await madeSince(ports, wanted, seen);
  if (made === undefined) {
    if (waited) ports.terminal.tell('The other one ended without a login; this one goes on.');
    return await logIn(ports, wanted); // `await`: the turn lasts until the end
  }
  if (await serves(made, wanted)) {
    if (waited) ports.terminal.tell('The other one is logged in; its login is used here, too.');
    return await named(ports, made, wanted.name);
  }
  if (waited) ports.terminal.tell('The other login is not what is asked for here; this one goes on.');
  const isStepUp = wanted.heldScopes.length > 0;
  return await logIn(
    ports,
    isStepUp ? { ...wanted, heldScopes: unionScopes(wanted.heldScopes, made.scopes) } : wanted,
  );
}

async function takeTurn(
  ports: Pick<Ports, 'locks' | 'terminal' | 'progress'>,
  request: LoginRequest,
): Promise<{ readonly lock: AsyncDisposable; readonly waited: boolean }> {
  const { server, account, timeoutMs, signal } = request;
  const name = `login ${server} ${account}`;
  try {
    return { lock: await ports.locks.acquire(name, { waitMs: 0, signal }), waited: false };
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    const seconds = Math.round(timeoutMs / 1000);
    ports.terminal.tell(
      `Another postern (${error.holder}) is already logging in to ${printable(server)}; waiting for it, ${seconds} s at most. To log in here instead, end that one.`,
    );
  }
  ports.progress.begin('Waiting for the other login');
  try {
    return { lock: await ports.locks.acquire(name, { waitMs: timeoutMs, signal }), waited: true };
  } finally {
    ports.progress.end();
  }
}

/** The login that is there now, when it is none that the caller knows. */
async function madeSince(
  ports: Pick<Ports, 'index'>,
  { server, account }: LoginRequest,
  seen: LoginRecord | undefined,
): Promise<LoginRecord | undefined> {
  const { logins } = await ports.index.read();
  const now = logins.find((login) => login.server === server && login.account === account);
  return now?.key === seen?.key && now?.generation === seen?.generation ? undefined : now;
}

/** The other one's login under the name that was asked for here, as a login of one's own would have it. */
async function named(
  ports: Pick<Ports, 'index'>,
  made: LoginRecord,
  name: string | undefined,
): Promise<LoginRecord> {
  if (name === undefined || made.name === name) return made;
  const { logins } = await ports.index.update((document) => {
    checkName({ ...made, name }, document.logins);
    const renamed = (login: LoginRecord) =>
      login.server === made.server && login.account === made.account ? { ...login, name } : login;
    return { ...document, logins: document.logins.map(renamed) };
  });
  return logins.find((login) => login.server === made.server && login.account === made.account) ?? made;
}
