import {
  type ChosenRedirectUri,
  readRedirectUri,
  redirectUriIn,
  redirectUriText,
  usualRedirectUri,
} from '../../core/configuration/redirect-uri.js';
import { isFailure } from '../../core/failure.js';
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

/** The failure of a login; where the redirect URI was refused, with the command that tries another one. */
export function withOtherRedirect(
  { meant, discovery }: BegunLogin,
  way: RegistrationWay,
  used: UsedRedirect,
  error: unknown,
): unknown {
  if (!isFailure(error, 'redirect_uri_refused')) return error;
  // The issuer may itself be on this machine.
  const said = error.message.replaceAll(discovery.authorizationServer.issuer, '');
  return error.withRemedy(redirectUriNotTaken(used.redirectUri, otherRedirectCommand(meant, used, way, said)));
}
