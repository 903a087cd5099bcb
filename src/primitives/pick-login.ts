import { defaultAccount } from './records.js';
import { attaches, canonicalResource } from './resource.js';

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
 * The login that a person means by a short name or a URL: that name; else that very server; else the server that the
 * URL lies under, the longest first. Without an account the default one wins among several.
 */
export function pickLogin<Login extends NamedLogin>(
  logins: readonly Login[],
  wanted: { readonly server: string; readonly account: string | undefined },
): PickedLogin<Login> {
  const candidates = ofServer(logins, wanted.server).filter(
    ({ account }) => wanted.account === undefined || account === wanted.account,
  );
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
  if (!canonical.ok) {
    return [];
  }
  const above = logins.filter(
    ({ server }) => server === canonical.value || attaches(server, canonical.value),
  );
  const longest = Math.max(0, ...above.map(({ server }) => server.length));
  return above.filter(({ server }) => server.length === longest);
}
