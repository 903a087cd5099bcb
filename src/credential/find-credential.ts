import type { LoginRecord } from '../core/records.js';
import {
  type Belonging,
  originText,
  pickCredential,
  proveAddress,
  proveNamed,
  targetUrl,
} from '../tokens/credential-target.js';
import { loginAmbiguous } from '../tokens/failures.js';
import { noLogin } from '../tokens/find-login.js';
import type { CredentialFormat } from './credential.options.js';
import { serversAmbiguous, targetElsewhere } from './failures.js';

/** The origin that a failure is remembered under; '' where the caller named none that is known. */
export function originOfWanted(
  { named, target }: Pick<WantedCredential, 'named' | 'target'>,
  login: Pick<LoginRecord, 'server'> | undefined,
): string {
  const url = login?.server ?? target ?? (named?.includes('://') ? named : undefined);
  return url === undefined ? '' : originText(targetUrl(url) ?? '');
}

/** Which login another program wants a token of. */
export interface WantedCredential {
  readonly format: CredentialFormat;
  /** What the person wrote into the caller's configuration: the name of a login, or a URL. */
  readonly named: string | undefined;
  /** The address that the caller says the credential is for. */
  readonly target: string | undefined;
  readonly account: string | undefined;
  /** What `loginPin` says of the login that is meant. */
  readonly pin?: string | undefined;
  /** Any path of the login's origin will do. */
  readonly wholeHost: boolean;
}

export type FoundCredential =
  | { readonly kind: 'one'; readonly login: LoginRecord }
  /** Nothing was mapped; `onOrigin`: there is a login for another path of that host. */
  | { readonly kind: 'none'; readonly onOrigin: LoginRecord | undefined };

/** The login that the caller may have. @throws Failure `login_ambiguous` */
export function findCredential(logins: readonly LoginRecord[], wanted: WantedCredential): FoundCredential {
  const picked = pickCredential(logins, wanted);
  switch (picked.kind) {
    case 'one':
      return { kind: 'one', login: picked.login };
    case 'several': {
      const servers = [...new Set(picked.logins.map(({ server }) => server))];
      if (servers.length > 1) throw serversAmbiguous(wanted.format, servers);
      throw loginAmbiguous(
        wanted.named ?? picked.logins[0]?.server ?? '',
        picked.logins.map(({ account }) => account),
      );
    }
    default:
      return { kind: 'none', onOrigin: picked.kind === 'none' ? picked.onOrigin : undefined };
  }
}

/**
 * The item decides whether the caller may have its token, whatever led to it.
 * @throws Failure `token_not_for_url`
 */
export function proveWanted(item: Belonging, { named, target, wholeHost }: WantedCredential): void {
  const address = target === undefined ? undefined : targetUrl(target);
  if (address !== undefined) proveAddress(item, address, wholeHost ? 'host' : 'server');
  proveNamed(item, named);
}

/** The login that the caller's configuration names, whatever address it asks for; for failures. */
export function namedLogin(logins: readonly LoginRecord[], wanted: WantedCredential): LoginRecord | undefined {
  const picked = pickCredential(logins, { ...wanted, target: undefined });
  return picked.kind === 'one' ? picked.login : undefined;
}

/**
 * Is the login gone that the caller's configuration names, and asked for at the address that it was for? Then nothing is
 * no answer: the caller's own host would be left without a word. Of a name alone nobody knows the address any more.
 */
export function isGone(logins: readonly LoginRecord[], wanted: WantedCredential): boolean {
  const { format, named, target } = wanted;
  // go may have added it itself, behind words that name nothing.
  const isOfCaller = format === 'goauth' && named === target;
  if (named === undefined || isOfCaller || pickCredential(logins, { ...wanted, target: undefined }).kind !== 'none') {
    return false;
  }
  const [own, asked] = [named, target].map((url) => originText(targetUrl(url ?? '') ?? ''));
  return !named.includes('://') || target === undefined || own === asked;
}

/** For callers to whom "nothing" is no answer. @throws Failure `login_ambiguous`, `login_needed`, `target_elsewhere` */
export function requireCredential(logins: readonly LoginRecord[], wanted: WantedCredential): LoginRecord {
  const found = findCredential(logins, wanted);
  if (found.kind === 'one') return found.login;
  const { named, target, account } = wanted;
  const login = named === undefined ? undefined : namedLogin(logins, wanted);
  throw login === undefined
    ? noLogin(logins, { server: named ?? target ?? '', account })
    : targetElsewhere(login.server, target ?? '');
}
