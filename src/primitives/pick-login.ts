import { defaultAccount } from './records.js';
import { canonicalResource, nearest } from './resource.js';

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
  if (first === undefined) {
    return { kind: 'none' };
  }
  if (second === undefined) {
    return { kind: 'one', login: first };
  }
  const byDefault = candidates.find(({ account }) => account === defaultAccount);
  return byDefault === undefined
    ? { kind: 'several', logins: candidates }
    : { kind: 'one', login: byDefault };
}

function ofServer<Login extends NamedLogin>(logins: readonly Login[], text: string): readonly Login[] {
  const named = logins.filter(({ name }) => name === text);
  if (named.length > 0) {
    return named;
  }
  const canonical = canonicalResource(text);
  return canonical.ok ? nearest(logins, canonical.value) : [];
}
