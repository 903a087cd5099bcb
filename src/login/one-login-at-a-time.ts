import type { LoginRecord } from '../core/records.js';
import { scopesMissing, unionScopes } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { hashOfParts } from '../stores/credential-item.js';
import { Busy } from '../stores/state-failures.js';
import { sameLogin } from '../tokens/find-login.js';
import { checkName } from './begin-login.js';
import type { LoginPorts, LoginRequest, PersonLogin } from './ports.js';

/** How often a program that waits for a person looks whether the login has been made elsewhere. */
const lookMs = 1_000;

/**
 * One login at a time for one server and account, on this machine: whoever comes first opens the tab, the others wait,
 * `timeoutMs` at most, and take the login that he made, when it is what they ask for; else they go on with their own,
 * one after the other. When the first one fails or dies, one of those who wait takes over. A person who types a login
 * does not wait for a program's: that one takes the login that the person makes.
 *
 * Several requests of one process should share one call (keep its promise), so that the person is asked once. `signal`
 * ends the wait, and one's own login, at once.
 * @param seen The login of this server and account that the caller found wanting (expired, too little scope); undefined: none.
 * @param logIn `login`, or another way to one.
 * @throws Failure `busy` when the other does not end in time (it may be suspended), `name_taken`, or as `logIn`
 */
export async function loginTogether(
  ports: LoginPorts,
  request: PersonLogin,
  seen: LoginRecord | undefined,
  logIn: (ports: LoginPorts, request: PersonLogin, overtaken?: Overtaking) => Promise<LoginRecord>,
): Promise<LoginRecord> {
  const { tell } = ports.terminal;
  checkName(request, (await ports.index.read()).logins);
  await using turn = await takeTurn(ports, request);
  const { waited } = turn;
  const made = await madeSince(ports, request, seen);
  if (made === undefined) {
    if (waited) tell('The other one ended without a login; this one goes on.');
    const overtaken: Overtaking = (signal) => madeByPerson(ports, request, seen, signal);
    try {
      // `await`: the turn lasts until the end
      return await logIn(ports, request, request.person.caller === undefined ? undefined : overtaken);
    } catch (error) {
      if (error instanceof Overtaken) return error.login;
      throw error;
    }
  }
  if (await serves(made, request)) {
    if (waited) tell('The other one is logged in; its login is used here, too.');
    return await named(ports, made, request.name);
  }
  if (waited) tell('The other login is not what is asked for here; this one goes on.');
  const { named: scopes, held } = request.scopes;
  const isStepUp = held.length > 0;
  const widened = isStepUp ? { named: scopes, held: unionScopes(held, made.scopes) } : request.scopes;
  return await logIn(ports, { ...request, scopes: widened });
}

type Overtaking = (signal: AbortSignal) => Promise<never>;

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
  ports: Pick<LoginPorts, 'index' | 'clock'>,
  request: LoginRequest,
  seen: LoginRecord | undefined,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await ports.clock.sleep(lookMs, signal);
    const made = await madeSince(ports, request, seen);
    if (made !== undefined && (await serves(made, request))) throw new Overtaken(made);
  }
}

/** Locks that are held until a login is made. */
class Turn implements AsyncDisposable {
  waited = false;
  readonly locks: AsyncDisposable[] = [];

  async [Symbol.asyncDispose](): Promise<void> {
    for (const lock of this.locks.splice(0).toReversed()) await lock[Symbol.asyncDispose]();
  }
}

type TurnPorts = Pick<LoginPorts, 'locks' | 'terminal' | 'progress'>;

/**
 * A person at a terminal waits for another person's login alone: a tab that a program has opened, and that may be lost
 * among others, holds nobody up. Programs wait for each other and for persons, and have one tab at a time for a server.
 */
async function takeTurn(ports: TurnPorts, request: PersonLogin): Promise<Turn> {
  const { server, account, person, signal } = request;
  const name = `login ${server} ${account}`;
  const isTyped = person.caller === undefined;
  const turn = new Turn();
  try {
    await waitForLock(ports, isTyped ? `${name} typed` : name, request, turn);
    if (!isTyped && person.mode === 'browser') await waitForLock(ports, `tab ${server}`, request, turn);
    if (!isTyped) return turn;
    // From now on programs wait; the one that is waiting for its tab already takes the login that is made here.
    const holder = await takeFreeLock(ports, name, signal, turn);
    if (holder !== undefined) {
      ports.terminal.tell(
        `Another postern (${holder}) waits in the browser for this login, too; it takes the one that is made here.`,
      );
    }
    return turn;
  } catch (error) {
    await turn[Symbol.asyncDispose]();
    throw error;
  }
}

/** Returns who holds it, where it is not free. */
async function takeFreeLock(
  { locks }: TurnPorts,
  name: string,
  signal: AbortSignal,
  turn: Turn,
): Promise<string | undefined> {
  try {
    turn.locks.push(await locks.acquire(name, { waitMs: 0, signal }));
    return undefined;
  } catch (error) {
    if (!(error instanceof Busy)) throw error;
    return error.holder;
  }
}

async function waitForLock(
  ports: TurnPorts,
  name: string,
  { server, person, signal }: PersonLogin,
  turn: Turn,
): Promise<void> {
  const { timeoutMs } = person;
  const holder = await takeFreeLock(ports, name, signal, turn);
  if (holder === undefined) return;
  const seconds = Math.round(timeoutMs / 1000);
  ports.terminal.tell(
    `Another postern (${holder}) is already logging in to ${printable(server)}; waiting for it, ${seconds} s at most. To log in here instead, end that one.`,
  );
  ports.progress.begin('Waiting for the other login');
  try {
    turn.locks.push(await ports.locks.acquire(name, { waitMs: timeoutMs, signal }));
    turn.waited = true;
  } finally {
    ports.progress.end();
  }
}

/** The login that is there now, when it is none that the caller knows. */
async function madeSince(
  ports: Pick<LoginPorts, 'index'>,
  request: LoginRequest,
  seen: LoginRecord | undefined,
): Promise<LoginRecord | undefined> {
  const now = sameLogin((await ports.index.read()).logins, request);
  return now?.key === seen?.key && now?.generation === seen?.generation ? undefined : now;
}

/** The other one's login under the name that was asked for here, as a login of one's own would have it. */
async function named(
  ports: Pick<LoginPorts, 'index'>,
  made: LoginRecord,
  name: string | undefined,
): Promise<LoginRecord> {
  if (name === undefined || made.name === name) return made;
  const { logins } = await ports.index.update((document) => {
    checkName({ ...made, name }, document.logins);
    const now = sameLogin(document.logins, made);
    return { ...document, logins: document.logins.map((login) => (login === now ? { ...login, name } : login)) };
  });
  return sameLogin(logins, made) ?? made;
}

/**
 * Two hashes with a dash between, over what a login's record does not tell: which scopes were asked for and as which
 * document, and which scopes were to be kept as well.
 */
export async function fingerprintOf({ scopes, client }: Pick<LoginRequest, 'scopes' | 'client'>): Promise<string> {
  const texts = [listed(scopes.named), client.metadataUrl].map((part) => (part === undefined ? 'open' : `= ${part}`));
  return `${await hashOfParts(['postern wish', ...texts])}-${await hashOfParts([listed(scopes.held) ?? ''])}`;
}

function listed(scopes: readonly string[] | undefined): string | undefined {
  return scopes?.toSorted().join(' ');
}

/**
 * Does this login, which another process made, give what is asked for here: from the issuer, as the client, in the store
 * that are named, if any are, and with the scopes? These will do when the same were asked for there, and nothing held is
 * lost; else when all that are named here are there. More scope than a person named is not what he asked for; at a
 * step-up it is.
 */
export async function serves(
  made: LoginRecord,
  request: Pick<LoginRequest, 'scopes' | 'issuer' | 'client' | 'store'>,
): Promise<boolean> {
  const { scopes, issuer, client, store } = request;
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  const isSuch =
    made.dead !== true &&
    made.grant === undefined &&
    asNamed(issuer, made.issuer) &&
    asNamed(client.way, made.registration) &&
    asNamed(client.given?.clientId, made.clientId) &&
    (made.registration !== 'metadata' || asNamed(client.metadataUrl, made.clientId)) &&
    asNamed(store, made.store);
  if (!isSuch) return false;
  const fingerprint = await fingerprintOf(request);
  const nothingLost = scopesMissing(made.scopes, scopes.held).length === 0;
  if (
    made.requestFingerprint === fingerprint ||
    (nothingLost && made.requestFingerprint?.split('-')[0] === fingerprint.split('-')[0])
  )
    return true;
  // Without named scopes it is the server that says which: only who asked for the same is sure to have got them.
  const wanted = scopes.named && unionScopes(scopes.held, scopes.named);
  if (wanted === undefined || scopesMissing(made.scopes, wanted).length > 0) return false;
  return scopes.held.length > 0 || scopesMissing([...wanted, 'offline_access'], made.scopes).length === 0;
}
