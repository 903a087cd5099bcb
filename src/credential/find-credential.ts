import type { IndexDocument, LoginRecord } from '../core/records.js';
import type { StorePorts } from '../stores/ports.js';
import { originText, pickCredential, proveAddress, proveNamed, targetUrl } from '../tokens/credential-target.js';
import { loginAmbiguous } from '../tokens/failures.js';
import type { CredentialFormat } from './credential.options.js';
import { serversAmbiguous } from './failures.js';

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

/** The index; with what other machines of a fleet have made, where it has nothing for the caller. @throws as the index */
export async function loginsFor(
  { index }: Pick<StorePorts, 'index'>,
  wanted: WantedCredential,
): Promise<IndexDocument> {
  const here = await index.read();
  if (index.adopt === undefined || pickCredential(here.logins, wanted).kind !== 'none') return here;
  await index.adopt();
  return index.read();
}

/**
 * The login that the caller may have. `onOrigin`: where none is mapped, a login for another path of that host.
 * @throws Failure `login_ambiguous`
 */
export function findCredential(
  logins: readonly LoginRecord[],
  wanted: WantedCredential,
): { readonly login?: LoginRecord; readonly onOrigin?: LoginRecord | undefined } {
  const picked = pickCredential(logins, wanted);
  if (picked.kind === 'one') return { login: picked.login };
  if (picked.kind !== 'several') return { onOrigin: picked.kind === 'none' ? picked.onOrigin : undefined };
  const servers = [...new Set(picked.logins.map(({ server }) => server))];
  if (servers.length > 1) throw serversAmbiguous(wanted.format, servers);
  const accounts = picked.logins.map(({ account }) => account);
  throw loginAmbiguous(wanted.named ?? servers[0] ?? '', accounts);
}

/**
 * The item decides whether the caller may have its token, whatever led to it.
 * @throws Failure `token_not_for_url`
 */
export function proveWanted(item: Pick<LoginRecord, 'server'>, { named, target, wholeHost }: WantedCredential): void {
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
 * Is the login gone that the caller's configuration names, and asked for at the address that it was for? Then it is a
 * failure, so that the person hears of it. Of a name alone the address is no longer known.
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
