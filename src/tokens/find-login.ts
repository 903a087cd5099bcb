import { type Failure, isFailure } from '../core/failure.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { canonicalResource, mayHoldSecret, namedServer, nearest } from '../core/resource.js';
import { closest } from '../core/text/closest.js';
import { printable } from '../core/text/printable.js';
import { hashOfParts } from '../stores/credential-item.js';
import type { StorePorts } from '../stores/ports.js';
import {
  accountUnknown,
  loginAmbiguous,
  loginChanged,
  loginNeeded,
  nameUnknown,
  serverUnusable,
  urlMeant,
} from './failures.js';

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
 * @throws Failure `login_needed`, `server_unusable`, `login_ambiguous`, `login_changed`, or the index's
 */
export async function findLogin(ports: Pick<StorePorts, 'index'>, wanted: WantedLogin): Promise<LoginRecord> {
  const { server, pin, exact } = wanted;
  let { logins } = await ports.index.read();
  let picked = pickLogin(logins, wanted);
  if (ports.index.adopt !== undefined && (picked.kind === 'none' || (picked.kind === 'one' && picked.login.gone))) {
    await ports.index.adopt();
    ({ logins } = await ports.index.read());
    picked = pickLogin(logins, wanted);
  }
  if (picked.kind === 'none') throw noLogin(logins, wanted);
  if (picked.kind === 'several') {
    const accounts = picked.logins.map(({ account }) => account);
    throw loginAmbiguous(server, accounts);
  }
  const { login } = picked;
  // The name of one account stands for its server where another account is named with it.
  const isMeant = logins.some((one) => isNamed(one, server) && one.server === login.server);
  if (exact === true && !isMeant) throw loginNeeded(wanted, login.name ?? login.server);
  await checkPin(login, { named: server, pin });
  return login;
}

/**
 * The logins that are called exactly so: that name, or that very server, query included.
 * @throws Failure `login_needed`
 */
export function loginsCalled(logins: readonly LoginRecord[], text: string): readonly LoginRecord[] {
  const found = logins.filter((login) => isNamed(login, text));
  if (found.length > 0) return found;
  if (text.includes('://')) throw loginNeeded({ server: text });
  throw noSuchName(logins, text);
}

/** What was typed is no address. Which name was meant? Or was it an address without its scheme? */
function noSuchName(logins: readonly LoginRecord[], text: string): Failure {
  const likely = likelyName(logins, text);
  if (likely === undefined && urlMeant(text) !== undefined) return serverUnusable(text, '', undefined);
  const names = logins.map(({ name, server }) => name ?? printable(namedServer(server), 200));
  return nameUnknown(text, names, likely);
}

function isNamed({ name, server }: LoginRecord, text: string): boolean {
  const canonical = canonicalResource(text);
  return name === text || (canonical.ok && canonical.value === server);
}

/** What to say where nothing fits: is it the account alone? */
export function noLogin(logins: readonly LoginRecord[], { server, account }: WantedLogin): Failure {
  const [first] = ofServer(logins, server);
  if (account !== undefined && first !== undefined) {
    const accounts = logins.flatMap((login) => (login.server === first.server ? login.account : []));
    return accountUnknown(server, account, accounts);
  }
  const canonical = canonicalResource(server);
  if (!canonical.ok && server.includes('://')) return serverUnusable(server, canonical.problem, undefined);
  return server.includes('://') ? loginNeeded({ server, account }) : noSuchName(logins, server);
}

function likelyName(logins: readonly LoginRecord[], text: string): string | undefined {
  const names = logins.flatMap(({ name }) => name ?? []);
  const ofAddress = logins.find(({ server }) => server.replace(/^https?:\/\//, '') === text);
  return ofAddress?.name ?? selected(text, names) ?? closest(text, names);
}

/** Other programs write a server as @work, and a tool of it as work.echo. */
function selected(text: string, names: readonly string[]): string | undefined {
  const word = text.replace(/^@/, '');
  return names.find((name) => word === name || word.startsWith(`${name}.`));
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
    if (!isFailure(error, 'login_needed') || !canonical.ok || wanted.account !== undefined) throw error;
    return { server: canonical.value };
  }
}

export type PickedLogin =
  | { readonly kind: 'one'; readonly login: LoginRecord }
  | { readonly kind: 'several'; readonly logins: readonly LoginRecord[] }
  /** `onOrigin`: where an address was looked for, a login for another path of the same host. */
  | { readonly kind: 'none'; readonly onOrigin?: LoginRecord | undefined };

/** Of several candidates of one server the one that was chosen, else the only one of the default account; never a guess. */
export function onlyOne(candidates: readonly LoginRecord[], onOrigin?: LoginRecord): PickedLogin {
  if (candidates.length === 0) return { kind: 'none', onOrigin };
  const [login, another] = candidates.length === 1 ? candidates : usualOf(candidates);
  return login === undefined || another !== undefined
    ? { kind: 'several', logins: candidates }
    : { kind: 'one', login };
}

function usualOf(candidates: readonly LoginRecord[]): readonly LoginRecord[] {
  const isOneServer = candidates.every(({ server }) => server === candidates[0]?.server);
  const chosen = isOneServer ? candidates.filter(({ preferred }) => preferred === true) : [];
  return chosen.length > 0 ? chosen : candidates.filter(({ account }) => account === defaultAccount);
}

/**
 * The login that a person means by a short name or a URL: that name; else that very server, query included; else the
 * server that the URL lies under, the longest first; one with a query is for that query alone. Without an account the
 * default one wins among several; an account that is not the one with that name is looked for at the same server.
 */
export function pickLogin(
  logins: readonly LoginRecord[],
  wanted: { readonly server: string; readonly account: string | undefined },
): PickedLogin {
  const isMeant = ({ account }: LoginRecord) => wanted.account === undefined || account === wanted.account;
  const fitting = ofServer(logins, wanted.server);
  const candidates = fitting.some(isMeant)
    ? fitting.filter(isMeant)
    : logins.filter((login) => isMeant(login) && fitting.some(({ server }) => server === login.server));
  return onlyOne(candidates);
}

function ofServer(logins: readonly LoginRecord[], text: string): readonly LoginRecord[] {
  const named = logins.filter(({ name }) => name === text);
  if (named.length > 0) return named;
  const canonical = canonicalResource(text);
  return canonical.ok ? nearest(logins, canonical.value) : [];
}

/** Is it the one that is taken where its server has several logins, and none is named? */
export function isDefaultLogin(logins: readonly LoginRecord[], login: LoginRecord): boolean {
  const ofServer = logins.filter(({ server }) => server === login.server);
  const picked = onlyOne(ofServer);
  return ofServer.length > 1 && picked.kind === 'one' && picked.login === login;
}

/** The server that `login` is for, and whose login. */
export type LoginTarget = Pick<LoginRecord, 'server' | 'account'>;

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
  throw serverUnusable(argument, canonical.problem, likelyName(logins, argument));
}

/** What the index tells now of the login for this server and account; undefined when it was ended. */
export async function loginNow(ports: Pick<StorePorts, 'index'>, login: LoginRecord): Promise<LoginRecord | undefined> {
  return sameLogin((await ports.index.read()).logins, login);
}

export function sameLogin(logins: readonly LoginRecord[], { server, account }: LoginTarget): LoginRecord | undefined {
  return logins.find((record) => record.server === server && record.account === account);
}

/** Are both the same login? Generations begin anew after a logout, so the time counts, too. */
export function isOneLogin(one: LoginRecord, other: LoginRecord): boolean {
  return one.key === other.key && one.generation === other.generation && one.obtainedAt === other.obtainedAt;
}

/**
 * Identifies a server and an account where another program's configuration holds only the name of a login: 128 bits in hex. Nothing of the address can be read from it.
 */
export async function loginPin({ server, account }: Pick<LoginRecord, 'server' | 'account'>): Promise<string> {
  return (await hashOfParts(['postern pin 1', server, account])).slice(0, 32);
}

/** How an entry of another program says which login it means: a word for the server, and options. */
export interface LoginWords {
  readonly server: string;
  readonly options: readonly string[];
}

/**
 * What an entry may call a login, the best first: its server and account, which are never another login’s; then,
 * for callers whose configuration cannot hold those, its name with a pin of them. A query that seems to hold a secret
 * is in no command line.
 * @param login `name` and `account` where there is one already
 * @param hasOthers There are logins of other accounts for the server, so that no account means none of them.
 */
export async function loginWords(
  login: { readonly server: string; readonly account?: string; readonly name?: string },
  hasOthers: boolean,
): Promise<readonly LoginWords[]> {
  const { server, account, name } = login;
  const isUsual = account === undefined || (account === defaultAccount && !hasOthers);
  const whole = { server, options: isUsual ? [] : ['--account', account] };
  const pinned = async () => ({
    server: name ?? '',
    options: ['--pin', await loginPin({ server, account: account ?? defaultAccount })],
  });
  return [...(mayHoldSecret(server) ? [] : [whole]), ...(name === undefined ? [] : [await pinned()])];
}

/** The path segment of a login in the address of a proxy: its name, else its server's host. */
export function segmentOf({ name, server }: Pick<LoginRecord, 'name' | 'server'>): string {
  return name ?? (new URL(server).hostname.replace(/[^a-z0-9.-]+/g, '') || 'server');
}

/**
 * Is it the login that the entry was made for? A name can be given to another server's.
 * @param named What the entry calls it.
 * @throws Failure `login_changed`
 */
export async function checkPin(
  login: LoginRecord,
  wanted: { readonly named: string | undefined; readonly pin?: string | undefined },
): Promise<void> {
  if (wanted.pin !== undefined && wanted.pin !== (await loginPin(login))) {
    throw loginChanged(wanted.named ?? login.server, login);
  }
}
