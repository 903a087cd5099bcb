import type { LoginRecord } from '../core/records.js';
import { unionScopes } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { Busy } from '../stores/failures.js';
import { sameLogin } from '../tokens/find-login.js';
import { differences } from './login-again.js';
import { checkName, renamed } from './login-name.js';
import type { LoginPorts, LoginRequest, PersonLogin } from './ports.js';

/** How often a program that waits for a person looks whether the login has been made elsewhere. */
const lookMs = 1_000;

/**
 * One login at a time for one server and account, on this machine: the first caller opens the tab, the others wait,
 * `timeoutMs` at most, and take the login that was made, when it is what they ask for; else they go on with their own,
 * one after the other. When the first one fails or dies, one of those who wait takes over. A person who types a login
 * does not wait for a program's: that one takes the login that the person makes. Several requests of one process should
 * share one call (keep its promise), so that the person is asked once. A tab that a program has opened, and that may be lost
 * among others, holds up no person; programs wait for each other and for persons, and have one tab at a time for a server.
 * @param seen The login of this server and account that the caller found wanting (expired, too little scope).
 * @param logIn `login`, or another way to one.
 * @throws Failure `busy` when the other does not end in time (it may be suspended), `name_taken`, or as `logIn`
 */
export async function loginTogether(
  ports: LoginPorts,
  request: PersonLogin,
  seen: Seen,
  logIn: (ports: LoginPorts, request: PersonLogin) => Promise<LoginRecord>,
): Promise<LoginRecord> {
  const { tell } = ports.terminal;
  checkName(request, (await ports.index.read()).logins);
  const { server, account, person } = request;
  const isTyped = person.caller === undefined;
  const name = `login ${server} ${account}`;
  await using first = await whenFree(ports, request, isTyped ? `${name} typed` : name);
  await using second = isTyped
    ? await ifFree(ports, name, request.signal)
    : person.mode === 'browser'
      ? await whenFree(ports, request, `tab ${server}`)
      : undefined;
  if (isTyped && second?.holder !== undefined) {
    tell(
      `Another postern (${second.holder}) waits in the browser for this login, too; it takes the one that is made here.`,
    );
  }
  const waited = first.waited || second?.waited === true;
  const made = await madeSince(ports, request, seen);
  if (made === undefined) {
    if (waited) tell('The other one ended without a login; this one goes on.');
    const overtaken = (signal: AbortSignal) => madeByPerson(ports, request, seen, signal);
    try {
      // `await`: the locks are held until the end
      return await logIn(ports, isTyped ? request : { ...request, person: { ...person, overtaken } });
    } catch (error) {
      if (error instanceof Overtaken) return error.login;
      throw error;
    }
  }
  const lacks = await lacking(ports, made, request);
  if (lacks.length === 0) {
    if (waited) tell('The other one is logged in; its login is used here, too.');
    return await named(ports, made, request.name);
  }
  if (waited) tell(`The other login is not what is asked for here (${lacks.join(', ')}); this one goes on.`);
  const { scopes } = request;
  const held = scopes.held.length > 0 ? unionScopes(scopes.held, made.scopes) : [];
  return await logIn(ports, { ...request, scopes: { ...scopes, held } });
}

type Seen = LoginRecord | undefined;

/** The login that a person made meanwhile, at a terminal: the tab that nobody typed for is not needed any more. */
class Overtaken extends Error {
  readonly login: LoginRecord;

  constructor(login: LoginRecord) {
    super('another login was made meanwhile');
    this.login = login;
  }
}

/** Rejects with `Overtaken` as soon as there is a login that serves. */
async function madeByPerson(ports: LoginPorts, request: PersonLogin, seen: Seen, signal: AbortSignal): Promise<never> {
  for (;;) {
    await ports.clock.sleep(lookMs, signal);
    const made = await madeSince(ports, request, seen);
    if (made !== undefined && (await lacking(ports, made, request)).length === 0) throw new Overtaken(made);
  }
}

/** A lock that is held until a login is made, or who holds it. */
interface MaybeLock extends AsyncDisposable {
  readonly holder?: string;
  /** It was not free at first. */
  readonly waited: boolean;
}

async function ifFree({ locks }: LoginPorts, name: string, signal: AbortSignal): Promise<MaybeLock> {
  try {
    const lock = await locks.acquire(name, { waitMs: 0, signal });
    return { waited: false, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    return { holder: error.holder, waited: false, [Symbol.asyncDispose]: async () => undefined };
  }
}

async function whenFree(ports: LoginPorts, request: PersonLogin, name: string): Promise<MaybeLock> {
  const { terminal, progress, locks } = ports;
  const { server, person, signal } = request;
  const { timeoutMs } = person;
  const free = await ifFree(ports, name, signal);
  if (free.holder === undefined) return free;
  terminal.tell(
    `Another postern (${free.holder}) is already logging in to ${printable(server)}; waiting for it, ${Math.round(timeoutMs / 1000)} s at most. To log in here instead, end that one.`,
  );
  progress.begin('Waiting for the other login');
  try {
    const lock = await locks.acquire(name, { waitMs: timeoutMs, signal });
    return { waited: true, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
  } finally {
    progress.end();
  }
}

async function madeSince({ index }: LoginPorts, request: LoginRequest, seen: Seen): Promise<Seen> {
  const now = sameLogin((await index.read()).logins, request);
  return now?.key === seen?.key && now?.generation === seen?.generation ? undefined : now;
}

/** The other one's login under the name that was asked for here, as a login of one's own would have it. */
async function named({ index }: LoginPorts, made: LoginRecord, name: string | undefined): Promise<LoginRecord> {
  if (name === undefined || made.name === name) return made;
  const { logins } = await index.update((document) => renamed(document, made, name));
  return sameLogin(logins, made) ?? made;
}

async function lacking(ports: LoginPorts, made: LoginRecord, request: PersonLogin): Promise<readonly string[]> {
  const others = await differences(ports, made, { ...request, isOwn: false });
  return made.dead === true ? ['a login that works', ...others] : others;
}
