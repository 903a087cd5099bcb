import type { CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { hashOfParts } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import { Busy } from '../stores/state-failures.js';
import type { LoginPorts, LoginRequest } from './ports.js';
import { checkName } from './which-login.js';

/** How often a program that waits for a person looks whether the login has been made elsewhere. */
const lookMs = 1_000;

export interface TogetherRequest extends LoginRequest {
  /** The login of this server and account that the caller found wanting (expired, too little scope); undefined: none. */
  readonly seen: LoginRecord | undefined;
}

/**
 * One login at a time for one server and account, on this machine: whoever comes first opens the tab, the others wait,
 * `timeoutMs` at most, and take the login that he made, when it is what they ask for; else they go on with their own,
 * one after the other. When the first one fails or dies, one of those who wait takes over. A person who types a login
 * does not wait for a program's: that one takes the login that the person makes.
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
  ports: LoginPorts,
  request: TogetherRequest,
  logIn: (ports: LoginPorts, request: LoginRequest) => Promise<LoginRecord>,
): Promise<LoginRecord> {
  const { seen, ...wanted } = request;
  checkName(wanted, (await ports.index.read()).logins);
  await using turn = await takeTurn(ports, wanted);
  const { waited } = turn;
  const made = await madeSince(ports, wanted, seen);
  if (made === undefined) {
    if (waited) ports.terminal.tell('The other one ended without a login; this one goes on.');
    const overtaken = (signal: AbortSignal) => madeByPerson(ports, request, signal);
    try {
      // `await`: the turn lasts until the end
      return await logIn(ports, wanted.caller === undefined ? wanted : { ...wanted, overtaken });
    } catch (error) {
      if (error instanceof Overtaken) return error.login;
      throw error;
    }
  }
  if (await serves(made, wanted)) {
    if (waited) ports.terminal.tell('The other one is logged in; its login is used here, too.');
    return await named(ports, made, wanted.name);
  }
  if (waited) ports.terminal.tell('The other login is not what is asked for here; this one goes on.');
  const isStepUp = wanted.heldScopes.length > 0;
  return await logIn(ports, isStepUp ? { ...wanted, heldScopes: unionScopes(wanted.heldScopes, made.scopes) } : wanted);
}

/** The login that a person made meanwhile, at a terminal: the tab that nobody typed for is not needed any more. */
class Overtaken extends Error {
  readonly login: LoginRecord;

  constructor(login: LoginRecord) {
    super('another login was made meanwhile');
    this.login = login;
  }
}

/** Rejects with `Overtaken` as soon as there is a login that serves. */
async function madeByPerson(
  ports: Pick<StorePorts, 'index'> & Pick<CorePorts, 'clock'>,
  { seen, ...wanted }: TogetherRequest,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await ports.clock.sleep(lookMs, signal);
    const made = await madeSince(ports, wanted, seen);
    if (made !== undefined && (await serves(made, wanted))) throw new Overtaken(made);
  }
}

interface Turn extends AsyncDisposable {
  readonly waited: boolean;
}

/**
 * A person at a terminal waits for another person's login alone: a tab that a program has opened, and that may be lost
 * among others, holds nobody up. Programs wait for each other and for persons, and have one tab at a time for a server.
 */
async function takeTurn(
  ports: Pick<StorePorts, 'locks'> & Pick<CorePorts, 'terminal' | 'progress'>,
  request: LoginRequest,
): Promise<Turn> {
  const { server, account, caller, mode } = request;
  const name = `login ${server} ${account}`;
  if (caller !== undefined) {
    const turn = await waitForTurn(ports, name, request);
    return mode === 'browser' ? both(turn, () => waitForTurn(ports, `tab ${server}`, request)) : turn;
  }
  const turn = await waitForTurn(ports, `${name} typed`, request);
  return both(turn, () => takeFromPrograms(ports, name, request));
}

/** The second turn beside the first; where it fails the first is given back. */
async function both(first: Turn, next: () => Promise<Turn>): Promise<Turn> {
  try {
    const second = await next();
    return {
      waited: first.waited || second.waited,
      [Symbol.asyncDispose]: async () => {
        await second[Symbol.asyncDispose]();
        await first[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await first[Symbol.asyncDispose]();
    throw error;
  }
}

/** From now on programs wait; the one that is waiting for its tab already takes the login that is made here. */
async function takeFromPrograms(
  ports: Pick<StorePorts, 'locks'> & Pick<CorePorts, 'terminal'>,
  name: string,
  { signal }: LoginRequest,
): Promise<Turn> {
  try {
    return turnOf(await ports.locks.acquire(name, { waitMs: 0, signal }), false);
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    ports.terminal.tell(
      `Another postern (${error.holder}) waits in the browser for this login, too; it takes the one that is made here.`,
    );
    return { waited: false, [Symbol.asyncDispose]: async () => undefined };
  }
}

function turnOf(lock: AsyncDisposable, waited: boolean): Turn {
  return { waited, [Symbol.asyncDispose]: async () => lock[Symbol.asyncDispose]() };
}

async function waitForTurn(
  ports: Pick<StorePorts, 'locks'> & Pick<CorePorts, 'terminal' | 'progress'>,
  name: string,
  { server, timeoutMs, signal }: LoginRequest,
): Promise<Turn> {
  try {
    return turnOf(await ports.locks.acquire(name, { waitMs: 0, signal }), false);
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    const seconds = Math.round(timeoutMs / 1000);
    ports.terminal.tell(
      `Another postern (${error.holder}) is already logging in to ${printable(server)}; waiting for it, ${seconds} s at most. To log in here instead, end that one.`,
    );
  }
  ports.progress.begin('Waiting for the other login');
  try {
    return turnOf(await ports.locks.acquire(name, { waitMs: timeoutMs, signal }), true);
  } finally {
    ports.progress.end();
  }
}

/** The login that is there now, when it is none that the caller knows. */
async function madeSince(
  ports: Pick<StorePorts, 'index'>,
  { server, account }: LoginRequest,
  seen: LoginRecord | undefined,
): Promise<LoginRecord | undefined> {
  const { logins } = await ports.index.read();
  const now = logins.find((login) => login.server === server && login.account === account);
  return now?.key === seen?.key && now?.generation === seen?.generation ? undefined : now;
}

/** The other one's login under the name that was asked for here, as a login of one's own would have it. */
async function named(
  ports: Pick<StorePorts, 'index'>,
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

/** What of a request decides which credential comes of it; how the person gets there (browser, port, time) does not. */
export type Wish = Pick<
  LoginRequest,
  'scopes' | 'heldScopes' | 'issuer' | 'registration' | 'client' | 'metadataUrl' | 'store'
>;

/**
 * Two hashes with a dash between, over what a login's record does not tell: which scopes were asked for and as which
 * document, and which scopes were to be kept beside them.
 */
export async function wishOf(wish: Pick<Wish, 'scopes' | 'heldScopes' | 'metadataUrl'>): Promise<string> {
  const { scopes, heldScopes, metadataUrl } = wish;
  const texts = [listed(scopes), metadataUrl].map((part) => (part === undefined ? 'open' : `= ${part}`));
  return `${await hashOfParts(['postern wish', ...texts])}-${await hashOfParts([listed(heldScopes) ?? ''])}`;
}

/**
 * Does this login, which another process made, give what is asked for here: from the issuer, as the client, in the store
 * that are named, if any are, and with the scopes? These will do when the same were asked for there, and nothing held is
 * lost; else when all that are named here are there. More scope than a person named is not what he asked for; at a
 * step-up it is.
 */
export async function serves(made: LoginRecord, request: Wish): Promise<boolean> {
  const { scopes, heldScopes, issuer, registration, client, metadataUrl, store } = request;
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  const isSuch =
    made.dead !== true &&
    made.grant === undefined &&
    asNamed(issuer, made.issuer) &&
    asNamed(registration, made.registration) &&
    asNamed(client?.clientId, made.clientId) &&
    (made.registration !== 'metadata' || asNamed(metadataUrl, made.clientId)) &&
    asNamed(store, made.store);
  if (!isSuch) return false;
  const wish = await wishOf(request);
  const nothingLost = scopesMissing(made.scopes, heldScopes).length === 0;
  if (
    made.requestFingerprint === wish ||
    (nothingLost && made.requestFingerprint?.split('-')[0] === wish.split('-')[0])
  )
    return true;
  // Without `scopes` it is the server that says which: only who asked for the same is sure to have got them.
  const wanted = scopes && unionScopes(heldScopes, scopes);
  if (wanted === undefined || scopesMissing(made.scopes, wanted).length > 0) return false;
  return heldScopes.length > 0 || scopesMissing([...wanted, 'offline_access'], made.scopes).length === 0;
}

function listed(scopes: readonly string[] | undefined): string | undefined {
  return scopes?.toSorted().join(' ');
}
