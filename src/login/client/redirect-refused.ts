import {
  type ChosenRedirectUri,
  readRedirectUri,
  redirectUriIn,
  redirectUriText,
  usualRedirectUri,
} from '../../core/configuration/redirect-uri.js';
import { type LoginAsked, loginCommand } from '../../core/login-command.js';
import type { RegistrationWay } from '../../core/records.js';
import { shellWord } from '../../core/text/printable.js';
import { fixedPorts } from '../../oauth/client-metadata/redirect-uris.js';
import { redirectUriNotTaken } from '../failures.js';
import type { BegunLogin } from '../ports.js';

/** The redirect URI that a login was tried with. */
export interface UsedRedirect {
  readonly redirectUri: string;
  /** Did anybody say which port it is to have? */
  readonly hasFixedPort: boolean;
}

/**
 * The redirect URI to try where an authorization server does not take this one: the one that it names, else the same with
 * the other host. Some take `localhost` alone, and some 127.0.0.1 alone.
 * @param said What the authorization server says.
 */
export function otherRedirectUri(used: UsedRedirect, way: RegistrationWay, said = ''): string {
  const { redirectUri, hasFixedPort } = used;
  const named = redirectUriIn(said, redirectUri);
  if (named !== undefined) return redirectUriText(named);
  const read = readRedirectUri(redirectUri);
  const { host, port, path } = read.ok ? read.value : usualRedirectUri;
  const wantsName = host === '127.0.0.1' || (host === '[::1]' && /localhost/.test(said));
  const other: ChosenRedirectUri['host'] = wantsName ? 'localhost' : '127.0.0.1';
  // A metadata document lists some ports, and a client that was registered by hand one; else any free one will do.
  const listed = port !== undefined && fixedPorts.includes(port) ? port : fixedPorts[0];
  const free = way === 'metadata' ? listed : undefined;
  return redirectUriText({ host: other, port: hasFixedPort || isByHand(way) ? port : free, path });
}

const isByHand = (way: RegistrationWay): boolean => way === 'preregistered' || way === 'ask';

/** The command that tries it. */
export function otherRedirectCommand(login: LoginAsked, used: UsedRedirect, way: RegistrationWay, said = ''): string {
  return loginCommand({ ...login, grant: undefined }, '--redirect-uri', shellWord(otherRedirectUri(used, way, said)));
}

/** Does a registration that was refused mind the redirect URI (RFC 7591 section 3.2.2)? Many say so in words alone. */
export function mindsRedirectUri(error: string, said: string): boolean {
  return /redirect/i.test(error) || (error === 'invalid_client_metadata' && /redirect|\bloopback\b/i.test(said));
}

/** The same in a sentence, by what the authorization server says: of the client as it is identified by then. */
export function otherRedirectRemedy(
  { meant }: Pick<BegunLogin, 'meant'>,
  {
    client,
    redirect,
  }: {
    readonly client: { readonly found: { readonly way: RegistrationWay } | undefined };
    readonly redirect: UsedRedirect;
  },
  said: string,
): string {
  const way = client.found?.way ?? 'dynamic';
  return redirectUriNotTaken(redirect.redirectUri, otherRedirectCommand(meant, redirect, way, said));
}
