import { defaultAccount, type IndexDocument, type LoginRecord } from '../core/records.js';
import { mayGiveName } from '../stores/index/credential-index.js';
import { loginNeeded } from '../tokens/failures.js';
import { type LoginTarget, sameLogin } from '../tokens/find-login.js';
import { nameTaken, nameUnusable } from './failures.js';

/** Characters that a name may have (`checkName`), those of a number behind it included. */
const maxLength = 63;

/**
 * What a login for this server is called unless the person says otherwise: the registrable domain without its public
 * suffix (`https://mcp.linear.app/mcp`: `linear`), `localhost` on this machine, else the address; behind it the account
 * that is not the usual one. Loads the list of public suffixes.
 * @param server Canonical URL.
 */
export async function baseNameOf(server: string, account: string): Promise<string> {
  const { parse } = await import('tldts');
  const { hostname, isIp, domainWithoutSuffix } = parse(server, { allowPrivateDomains: true, validateHostname: false });
  const host = hostname ?? '';
  const isHere = host === '::1' || /^127\./.test(host);
  const label = isHere ? 'localhost' : isIp === true ? host : (domainWithoutSuffix ?? '') || host;
  return asName(account === defaultAccount ? label : `${label}-${account}`) ?? 'server';
}

export function asName(text: string): string | undefined {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, maxLength)
    .replace(/[._-]+$/, '');
  return plain === '' ? undefined : plain;
}

/** The base, or the first of `base-2`, `base-3` and so on, that no login has and no other server's login had. */
export function freeName(base: string, document: IndexDocument, server: string): string {
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `-${count}`;
    const name = `${base.slice(0, maxLength - end.length)}${end}`;
    if (mayGiveName(document, name, server)) return name;
  }
}

/** What `--name` takes: nothing that a shell or a path could read as something else. */
const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** @throws Failure `name_unusable` */
export function checkNameForm(name: string | undefined): void {
  if (name !== undefined && !namePattern.test(name)) throw nameUnusable(name);
}

/**
 * Checks `--name` before anything is sent.
 * @throws Failure `name_unusable`, `name_taken`
 */
export function checkName(
  { name, server, account }: LoginTarget & { readonly name?: string | undefined },
  logins: readonly LoginRecord[],
): void {
  if (name === undefined) return;
  checkNameForm(name);
  const other = logins.find((login) => login.name === name && (login.server !== server || login.account !== account));
  if (other !== undefined) throw nameTaken(name, other.server, other.account);
}

/** The index with this login under another name. @throws Failure `name_taken`; `login_needed` if it was ended */
export function renamed(document: IndexDocument, { server, account }: LoginTarget, name: string): IndexDocument {
  const { logins } = document;
  checkName({ name, server, account }, logins);
  const own = sameLogin(logins, { server, account });
  if (own === undefined) throw loginNeeded({ server, account });
  return { ...document, logins: logins.map((login) => (login === own ? { ...login, name } : login)) };
}
