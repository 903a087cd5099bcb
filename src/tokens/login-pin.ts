import { defaultAccount, type LoginRecord } from '../core/records.js';
import { mayHoldSecret } from '../core/resource.js';
import { hashOfParts } from '../stores/credential-item.js';
import { loginChanged } from './failures.js';

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
