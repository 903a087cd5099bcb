import { Failure } from '../errors/failure.js';
import { accountUnknown, loginAmbiguous, loginImpossible, loginNeeded } from '../errors/token.js';
import type { Ports } from '../ports.js';
import { closest } from '../primitives/closest.js';
import { pickLogin } from '../primitives/pick-login.js';
import type { LoginRecord } from '../primitives/records.js';
import { canonicalResource } from '../primitives/resource.js';
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
export async function findLogin(ports: Pick<Ports, 'index'>, wanted: WantedLogin): Promise<LoginRecord> {
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
  if (!canonical.ok && server.includes('://')) {
    return loginImpossible(server, canonical.problem);
  }
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
  ports: Pick<Ports, 'index'>,
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
