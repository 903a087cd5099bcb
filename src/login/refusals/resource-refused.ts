import { isFailure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import { shellWord } from '../../core/text/printable.js';
import type { Discovery } from '../../oauth/discover.js';
import { resourceNotTaken, scopeNeeded } from '../failures.js';
import type { BegunLogin } from '../ports.js';

/** Scopes that say nothing of a server (OpenID Connect Core 1.0, sections 5.4 and 11). */
const openidScopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

/**
 * The failure of a login; where the resource was refused, or the lack of a scope, with the options that change what is asked for.
 * Nothing is ever left out, or spelled otherwise, without one of them.
 */
export function withOtherRequest(
  { meant, discovery, scopes }: BegunLogin,
  grant: 'person' | 'client',
  error: unknown,
): unknown {
  const lacksScope = isFailure(error, 'invalid_scope') && scopes.length === 0;
  if (!lacksScope && !isFailure(error, 'invalid_target')) return error;
  const { requestedResource: chosen, protectedResource, authorizationServer } = discovery;
  // What another command has made as a client has options that are not known here.
  const command = (...options: readonly string[]) =>
    grant === 'client' && meant.given === undefined
      ? `add ${options.join(' ')}`
      : loginCommand({ ...meant, grant: undefined }, ...options);
  if (lacksScope) {
    const known = authorizationServer.scopesSupported.filter((scope) => !openidScopes.includes(scope));
    const [only = 'SCOPE'] = known.length === 1 ? known : [];
    return error.withRemedy(scopeNeeded(known, command('--scope', shellWord(only))));
  }
  const isNone = chosen === null;
  return error.withRemedy(
    resourceNotTaken(authorizationServer.issuer, {
      resource: isNone ? undefined : (chosen ?? protectedResource.resource),
      command: isNone ? command('--resource', 'AS_SPELLED') : command('--no-resource'),
    }),
  );
}

const entra = /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn|windows\.net)$|\.ciamlogin\.com$/;

/** Entra says it on its page: what to do then, in a sentence, or '' for every other authorization server. */
export function resourceAdvice({ authorizationServer, requestedResource }: Discovery): string {
  const isEntra = entra.test(new URL(authorizationServer.issuer).hostname);
  if (!isEntra || requestedResource !== undefined) return '';
  return 'If it says AADSTS9010010 (the resource does not match the scopes), add --no-resource, or --resource with the spelling that it knows. ';
}
