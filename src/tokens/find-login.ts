import { Failure } from '../core/failure.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { canonicalResource, nearest } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import type { StorePorts } from '../stores/ports.js';
import { accountUnknown, loginAmbiguous, loginImpossible, loginNeeded, serverUnusable } from './failures.js';
import { checkPin } from './login-pin.js';

/** What a person wrote to name a login: a short name or a server's URL, and perhaps an account. */
export interface WantedLogin {
  readonly server: string;
  readonly account: string | undefined;
  /** What `loginPin` says of the login that is meant. */
  readonly pin?: string | undefined;
  /** A login for an address above the one that was named is not meant. */
  readonly exact?: boolean;
}

/**
 * The login that a person named.
 * @throws Failure `login_needed`, `login_ambiguous`, `login_changed`, or the index's
 */
export async function findLogin(ports: Pick<StorePorts, 'index'>, wanted: WantedLogin): Promise<LoginRecord> {
  const { logins } = await ports.index.read();
  const picked = pickLogin(logins, wanted);
  switch (picked.kind) {
    case 'one':
      if (wanted.exact === true && !isNamed(picked.login, wanted.server)) {
        throw loginNeeded(wanted, picked.login.name ?? picked.login.server);
      }
      await checkPin(picked.login, { named: wanted.server, pin: wanted.pin });
      return picked.login;
    case 'several':
      throw loginAmbiguous(
        wanted.server,
        picked.logins.map(({ account }) => account),
      );
    case 'none':
      throw noLogin(logins, wanted);
  }
}

function isNamed({ name, server }: LoginRecord, text: string): boolean {
  const canonical = canonicalResource(text);
  return name === text || (canonical.ok && canonical.value === server);
}

/** What to say where nothing fits: is it the account alone? */
export function noLogin(logins: readonly LoginRecord[], { server, account }: WantedLogin): Failure {
  const others = pickLogin(logins, { server, account: undefined });
  const [first] = others.kind === 'one' ? [others.login] : others.kind === 'several' ? others.logins : [];
  if (account !== undefined && first !== undefined) {
    const accounts = logins.flatMap((login) => (login.server === first.server ? login.account : []));
    return accountUnknown(server, account, accounts);
  }
  const canonical = canonicalResource(server);
  if (!canonical.ok && server.includes('://')) return loginImpossible(server, canonical.problem);
  const names = logins.flatMap(({ name }) => name ?? []);
  return loginNeeded({ server, account }, closest(server, names));
}

/** A server that there is no login for. */
export interface OpenServer {
  readonly server: string;
  readonly key?: undefined;
}

/**
 * The login that a person named; else, where the person gave a URL and no account, that server, to be called without
 * a token: not every server asks for one.
 * @throws Failure `login_needed`, `login_ambiguous`, `login_changed`, or the index's
 */
export async function findLoginOrServer(
  ports: Pick<StorePorts, 'index'>,
  wanted: WantedLogin,
): Promise<LoginRecord | OpenServer> {
  try {
    return await findLogin(ports, wanted);
  } catch (error) {
    const canonical = canonicalResource(wanted.server);
    if (!(error instanceof Failure) || error.code !== 'login_needed') throw error;
    if (!canonical.ok || wanted.account !== undefined) throw error;
    return { server: canonical.value };
  }
}

/** What of a login says which one it is. */
export interface NamedLogin {
  readonly name?: string;
  readonly server: string;
  readonly account: string;
}

export type PickedLogin<Login> =
  | { readonly kind: 'one'; readonly login: Login }
  | { readonly kind: 'several'; readonly logins: readonly Login[] }
  | { readonly kind: 'none' };

/**
 * The login that a person means by a short name or a URL: that name; else that very server, query included; else the
 * server that the URL lies under, the longest first; one with a query is for that query alone. Without an account the default one wins among several; an account that is not
 * the one with that name is looked for at the same server.
 */
export function pickLogin<Login extends NamedLogin>(
  logins: readonly Login[],
  wanted: { readonly server: string; readonly account: string | undefined },
): PickedLogin<Login> {
  const isMeant = ({ account }: Login) => wanted.account === undefined || account === wanted.account;
  const fitting = ofServer(logins, wanted.server);
  const candidates = fitting.some(isMeant)
    ? fitting.filter(isMeant)
    : logins.filter((login) => isMeant(login) && fitting.some(({ server }) => server === login.server));
  const [first, second] = candidates;
  if (first === undefined) return { kind: 'none' };
  if (second === undefined) return { kind: 'one', login: first };
  const byDefault = candidates.find(({ account }) => account === defaultAccount);
  return byDefault === undefined ? { kind: 'several', logins: candidates } : { kind: 'one', login: byDefault };
}

function ofServer<Login extends NamedLogin>(logins: readonly Login[], text: string): readonly Login[] {
  const named = logins.filter(({ name }) => name === text);
  if (named.length > 0) return named;
  const canonical = canonicalResource(text);
  return canonical.ok ? nearest(logins, canonical.value) : [];
}

/** The server that `login` is for, and whose login. */
export interface LoginTarget {
  readonly server: string;
  readonly account: string;
}

/**
 * Reads the server argument of `login`: the name of a login made before, or a server's URL, made canonical.
 * @throws Failure `server_unusable` with a "did you mean" where a name is close, or the index's
 */
export async function readLoginTarget(
  ports: Pick<StorePorts, 'index'>,
  argument: string,
  account: string,
): Promise<LoginTarget> {
  const { logins } = await ports.index.read();
  const named = logins.find(({ name }) => name === argument);
  if (named !== undefined) {
    return { server: named.server, account: account === defaultAccount ? named.account : account };
  }
  const canonical = canonicalResource(argument);
  if (canonical.ok) return { server: canonical.value, account };
  const names = logins.flatMap(({ name }) => name ?? []);
  throw serverUnusable(argument, canonical.problem, closest(argument, names));
}

/** What the index tells now of the login for this server and account; undefined when it was ended. */
export async function loginNow(ports: Pick<StorePorts, 'index'>, login: LoginRecord): Promise<LoginRecord | undefined> {
  return sameLogin((await ports.index.read()).logins, login);
}

export function sameLogin(logins: readonly LoginRecord[], { server, account }: LoginRecord): LoginRecord | undefined {
  return logins.find((record) => record.server === server && record.account === account);
}

/** Without another login between them: generations begin anew after a logout, and then somebody else may have logged in. */
export function isOneLogin(one: LoginRecord, other: LoginRecord): boolean {
  return one.key === other.key && one.generation === other.generation && one.obtainedAt === other.obtainedAt;
}
