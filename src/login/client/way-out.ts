import { isFailure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import { shellWord } from '../../core/text/printable.js';
import type { Discovery } from '../../oauth/discover.js';
import { resourceNotTaken, scopeNeeded } from '../failures.js';
import type { BegunLogin } from '../ports.js';
import { documentRemedy } from './document-login.js';
import type { UsedRedirect } from './redirect-refused.js';
import type { IdentifiedClient } from './register.js';

/** Scopes that say nothing of a server (OpenID Connect Core 1.0, sections 5.4 and 11). */
const openidScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

/** As whom a login was tried. */
interface Tried {
  readonly client?: IdentifiedClient | undefined;
  readonly redirect?: UsedRedirect;
  /** As the client itself. */
  readonly isOwn?: boolean;
}

/**
 * The failure of a login, with the options that change what was refused: nothing is ever left out, or spelled otherwise,
 * without one of them.
 */
export function loginRefused(begun: BegunLogin, error: unknown, tried: Tried = {}): unknown {
  const [remedy, leads] = isFailure(error) ? wayOut(begun, error.code, tried) : [];
  return isFailure(error) && remedy !== undefined ? error.withRemedy(remedy, leads) : error;
}

/** What to do instead, and whether a command is all of it. */
function wayOut(
  begun: BegunLogin,
  code: string,
  { client, redirect, isOwn = false }: Tried,
): readonly [remedy?: string | undefined, leads?: boolean] {
  const { meant, discovery, scopes } = begun;
  // What another command has made as a client has options that are not known here.
  const isForeign = isOwn && meant.given === undefined;
  const command = (...options: readonly string[]) =>
    isForeign ? `add ${options.join(' ')}` : loginCommand({ ...meant, grant: undefined }, ...options);
  if (code === 'invalid_scope' && scopes.length === 0) return [scopeRemedy(discovery, command), !isForeign];
  if (code === 'invalid_target') return [resourceRemedy(discovery, command), !isForeign];
  return client?.way === 'metadata' && redirect !== undefined
    ? [documentRemedy(discovery, code, client, redirect)]
    : [];
}

type CommandWith = (...options: readonly string[]) => string;

function scopeRemedy({ authorizationServer }: Discovery, command: CommandWith): string {
  const known = authorizationServer.scopesSupported.filter((scope) => !openidScopes.includes(scope));
  const [only = 'SCOPE'] = known.length === 1 ? known : [];
  return scopeNeeded(known, command('--scope', shellWord(only)));
}

function resourceRemedy(discovery: Discovery, command: CommandWith): string {
  const { requestedResource: chosen, protectedResource, authorizationServer } = discovery;
  const isNone = chosen === null;
  return resourceNotTaken(authorizationServer.issuer, {
    resource: isNone ? undefined : (chosen ?? protectedResource.resource),
    command: isNone ? command('--resource', 'AS_SPELLED') : command('--no-resource'),
  });
}

const entra = /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn|windows\.net)$|\.ciamlogin\.com$/;

/** Entra says it on its page: what to do then, in a sentence, or '' for every other authorization server. */
export function resourceAdvice({ authorizationServer, requestedResource }: Discovery): string {
  const isEntra = entra.test(new URL(authorizationServer.issuer).hostname);
  if (!isEntra || requestedResource !== undefined) return '';
  return 'If it says AADSTS9010010 (the resource does not match the scopes), add --no-resource, or --resource with the spelling that it knows. ';
}
