import { isFailure } from '../../core/failure.js';
import { loginCommand } from '../../core/login-command.js';
import type { Discovery } from '../../oauth/discover.js';
import { resourceNotTaken } from '../failures.js';
import type { BegunLogin } from '../ports.js';

/**
 * The failure of a login; where the resource was refused, with the options that change what is asked for. Nothing is ever
 * left out, or spelled otherwise, without one of them.
 */
export function withOtherResource(
  { meant, discovery }: BegunLogin,
  grant: 'person' | 'client',
  error: unknown,
): unknown {
  if (!isFailure(error, 'invalid_target')) return error;
  const { requestedResource: chosen, protectedResource, authorizationServer } = discovery;
  // What another command has made as a client has options that are not known here.
  const command = (...options: readonly string[]) =>
    grant === 'client' && meant.given === undefined
      ? `add ${options.join(' ')}`
      : loginCommand({ ...meant, grant: undefined }, ...options);
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
