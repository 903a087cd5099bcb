import { exitCode, Failure, isFailure } from '../../core/failure.js';
import type { IndexDocument, LoginRecord, StoredItem } from '../../core/records.js';
import type { StoredCredential } from '../../stores/credential-item.js';
import { providerResource } from '../../stores/credential-item.js';
import { itemsOf, type KeptOrphan, removeOrphans, withOrphans, withoutOrphans } from '../../stores/orphans.js';
import { removeClientKey } from '../../tokens/client-keys.js';
import { forgetFailures } from '../../tokens/credential-target.js';
import { sameLogin } from '../../tokens/find-login.js';
import { recover } from '../../tokens/keep-refreshed.js';
import { readCredential } from '../../tokens/read-credential.js';
import { forgetEveryRegistration } from '../../tokens/registrations.js';
import { dropPending, keepToRevoke, revoke, revokePending, withPending } from '../../tokens/revoke.js';
import { notForgotten } from '../failures.js';
import { doEach, type Outcomes } from '../many.js';
import type { LoginPorts } from '../ports.js';
import { credentialLockWaitMs } from '../save-credential.js';

export interface LogoutResult {
  readonly login: LoginRecord;
  readonly revocation: { readonly done: true } | { readonly done: false; readonly why: string };
  readonly isLocal?: boolean;
}

interface LogoutRequest {
  readonly login: LoginRecord;
  /** Forget it even where its store does not open: what is left there is removed once it does. */
  readonly force: boolean;
  /** Of a login that machines share: forget it on this one alone, and revoke nothing. */
  readonly isLocal?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Forgets a login here first, then revokes its refresh token at its own issuer (RFC 7009): bounded, best effort,
 * reported as it went.
 * @throws Failure of the store, the index and the lock
 */
export async function logout(ports: LoginPorts, request: LogoutRequest): Promise<LogoutResult> {
  const { login, signal } = request;
  if (request.isLocal === true) return await forgetHere(ports, request);
  const forgotten = await forget(ports, request);
  await forgetFailures(ports, login.server);
  await ports.toolLists.forget(login.key);
  const why = typeof forgotten === 'string' ? forgotten : await revokeForgotten(ports, login, forgotten, signal);
  return { login, revocation: why === undefined ? { done: true } : { done: false, why } };
}

interface Forgotten {
  readonly credential: StoredCredential;
  /** What is kept until the issuer has heard of it; undefined: nothing. */
  readonly pending: LoginRecord | undefined;
}

async function revokeForgotten(
  ports: LoginPorts,
  login: LoginRecord,
  { credential, pending }: Forgotten,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limitMs = (await ports.limits()).revocationSeconds * 1000;
  const why = await revoke(ports, login, credential, { limitMs, signal });
  if (pending !== undefined) await dropPending(ports, pending, signal);
  return why;
}

/** Its items stay: they are the other machines' login. */
async function forgetHere(ports: LoginPorts, { login, signal }: LogoutRequest): Promise<LogoutResult> {
  await using _lock = await ports.locks.acquire(login.key, { waitMs: credentialLockWaitMs, signal });
  await ports.index.update((document) => ({
    ...document,
    logins: document.logins.filter(({ key, server }) => key !== login.key || server !== login.server),
  }));
  await forgetFailures(ports, login.server);
  await ports.toolLists.forget(login.key);
  return { login, revocation: { done: false, why: 'it was forgotten on this machine alone' }, isLocal: true };
}

async function forget(ports: LoginPorts, { login, force, signal }: LogoutRequest): Promise<Forgotten | string> {
  const { key } = login;
  await using _lock = await ports.locks.acquire(key, { waitMs: credentialLockWaitMs, signal });
  const isOther = (record: LoginRecord) => record.key !== key;
  const credential = await readable(ports, login, force);
  const pending = credential && (await keepToRevoke(ports, login, credential));
  // The record goes first, and its items are noted: whatever ends this process here, no login looks whole that is not.
  const items = itemsOf(login);
  await ports.index.update((document) => {
    const others = { ...withoutProvider(document, key), logins: document.logins.filter(isOther) };
    return withPending(withOrphans(others, items), pending);
  });
  try {
    for (const item of items) {
      await ports.stores.of(item.store).remove(key);
      await ports.index.update((document) => withoutOrphans(document, [item]));
    }
    await ports.recovery.forget(key);
  } catch (error) {
    if (!(force && error instanceof Failure)) {
      await ports.index.update((document) => restored(document, login, items));
      if (pending !== undefined) await dropPending(ports, pending, signal);
      throw keptBy(error);
    }
  }
  return credential === undefined ? 'the stored credential could not be read' : { credential, pending };
}

function withoutProvider({ providers, ...rest }: IndexDocument, key: string): IndexDocument {
  const others = (providers ?? []).filter((one) => one.key !== key);
  return others.length === 0 ? rest : { ...rest, providers: others };
}

/** As before, unless another login has come in its place since. */
function restored(document: IndexDocument, login: LoginRecord, items: readonly StoredItem[]): IndexDocument {
  if (login.resource === providerResource) {
    const { providers = [] } = document;
    return withoutOrphans({ ...withoutProvider(document, login.key), providers: [...providers, login] }, items);
  }
  return sameLogin(document.logins, login) === undefined
    ? withoutOrphans({ ...document, logins: [...document.logins, login] }, items)
    : document;
}

/** An item that is gone or unreadable cannot be revoked, and must not keep its login from being forgotten. */
async function readable(ports: LoginPorts, login: LoginRecord, force: boolean): Promise<StoredCredential | undefined> {
  try {
    const stored = await readCredential(ports, login);
    return (await recover(ports, login, stored)) ?? stored;
  } catch (error) {
    if (isFailure(error, 'login_needed', 'credential_corrupt') || (force && isFailure(error))) return undefined;
    throw keptBy(error);
  }
}

function keptBy(error: unknown): unknown {
  if (isFailure(error, 'store_read_only')) return error; // it says what there is to do
  return error instanceof Failure && error.exit === exitCode.store ? notForgotten(error) : error;
}

export interface EndedLogins extends Outcomes<LoginRecord, LogoutResult> {
  /** Items that a store did not give up; noted, so that the next one tries again. */
  readonly left: readonly KeptOrphan[];
}

export interface LogoutOfAll extends EndedLogins {
  readonly registrations: number;
  /** Keys of clients that were registered with them; those of client ID metadata documents stay. */
  readonly clientKeys: number;
  readonly keptKeys: number;
}

type EndRequest = Pick<LogoutRequest, 'force' | 'signal'>;

/**
 * Ends every login that can be ended; then forgets every client registration and every key that is registered with one,
 * and whatever else was left in a store.
 * @throws Failure of the index
 */
export async function logoutOfAll(ports: LoginPorts, request: EndRequest): Promise<LogoutOfAll> {
  const { signal } = request;
  await revokePending(ports, undefined, signal);
  const { logins, providers = [] } = await ports.index.read();
  const ended = await logoutOfEach(ports, [...logins, ...providers], request);
  const registrations = await forgetEveryRegistration(ports);
  const { clientKeys = [] } = await ports.index.read();
  const own = clientKeys.filter(({ issuer }) => issuer !== undefined);
  for (const record of own) await removeClientKey(ports, record, signal);
  const left = await removeOrphans(ports, () => true, signal);
  return { ...ended, left, registrations, clientKeys: own.length, keptKeys: clientKeys.length - own.length };
}

/** Ends these, and removes whatever else was left in a store. @throws Failure of the index; the signal's reason */
export async function logoutOfEach(
  ports: LoginPorts,
  logins: readonly LoginRecord[],
  { force, signal }: EndRequest,
): Promise<EndedLogins> {
  const ended = await doEach(logins, { ...ports, signal }, async (login) => {
    ports.progress.begin(`Logging out of ${login.server}`);
    return await logout(ports, { login, force, signal });
  });
  return { ...ended, left: await removeOrphans(ports, () => true, signal) };
}
