import type { Interaction, Provider } from 'oidc-provider';
import { scopeInWords } from './scopes.js';

/** What an authorization request asks for, as far as it is known here. */
export interface Asked {
  readonly clientId: string;
  /** Undefined at a login with a device code. */
  readonly redirectUri: string | undefined;
  readonly resource: string;
  readonly scopes: readonly string[];
}

export function askedIn(interaction: Interaction): Asked {
  const { client_id, redirect_uri, resource, scope } = interaction.params;
  const asked = String(scope ?? '').split(' ');
  return {
    clientId: String(client_id),
    redirectUri: typeof redirect_uri === 'string' ? redirect_uri : undefined,
    resource: String(resource),
    scopes: asked.filter((one) => scopeInWords(one) !== undefined),
  };
}

/** A grant of its own for this login: what was ticked, and, so that it is not asked again, what was not. */
export async function makeGrant(
  provider: Provider,
  interaction: Interaction,
  ticked: readonly string[],
): Promise<string> {
  const { clientId, resource, scopes } = askedIn(interaction);
  const accountId = interaction.session?.accountId ?? '';
  const made = new provider.Grant({ clientId, accountId });
  const allowed = scopes.filter((scope) => ticked.includes(scope)).join(' ');
  const refused = scopes.filter((scope) => !ticked.includes(scope)).join(' ');
  if (allowed !== '') {
    made.addOIDCScope(allowed);
    made.addResourceScope(resource, allowed);
  }
  if (refused !== '') {
    made.rejectOIDCScope(refused);
    made.rejectResourceScope(resource, refused);
  }
  return made.save();
}
