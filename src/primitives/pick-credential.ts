import { type MappableLogin, mapLogin, mayCarryToken, originText, targetUrl } from './credential-target.js';
import { type NamedLogin, pickLogin } from './pick-login.js';
import { attaches } from './resource.js';

export type PickedCredential<Login> =
  | { readonly kind: 'one'; readonly login: Login }
  | { readonly kind: 'several'; readonly logins: readonly Login[] }
  /** `onOrigin`: there is one for another path of the same host. */
  | { readonly kind: 'none'; readonly onOrigin?: Login | undefined }
  /** The login that was named is not for the address that was asked for. */
  | { readonly kind: 'elsewhere'; readonly login: Login };

/**
 * The login that another program may have a token of: the one named in its configuration, the one mapped to the
 * address it asks for, and where it has both, only if they agree.
 */
export function pickCredential<Login extends NamedLogin & MappableLogin>(
  all: readonly Login[],
  wanted: {
    readonly named: string | undefined;
    readonly target: string | undefined;
    readonly account: string | undefined;
    readonly wholeHost: boolean;
  },
): PickedCredential<Login> {
  const { named, account, wholeHost } = wanted;
  const logins = all.filter(({ server }) => mayCarryToken(server));
  if (wanted.target === undefined) {
    return named === undefined ? { kind: 'none' } : pickLogin(logins, { server: named, account });
  }
  const target = targetUrl(wanted.target);
  if (named === undefined) {
    return target === undefined ? { kind: 'none' } : mapLogin(logins, { target, account, wholeHost });
  }
  const picked = pickLogin(logins, { server: named, account });
  if (picked.kind !== 'one') {
    return picked;
  }
  const { login } = picked;
  if (target === undefined) {
    return { kind: 'elsewhere', login };
  }
  const fits = wholeHost ? originText(login.server) === originText(target) : attaches(login.server, target);
  if (fits) {
    return picked;
  }
  return originText(login.server) === originText(target)
    ? { kind: 'none', onOrigin: login }
    : { kind: 'elsewhere', login };
}
