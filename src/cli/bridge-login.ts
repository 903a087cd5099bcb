import type { BridgeLogin } from '../flows/bridge/authorization-options.js';
import { login } from '../flows/login/login.js';
import { loginTogether } from '../flows/login/login-together.js';
import { defaultAccount } from '../primitives/records.js';
import type { CommandContext } from './command.js';
import { documentOf, loginDefaults, whyNoBrowser } from './login-request.js';
import { readLoginTarget } from './server-argument.js';

/**
 * How a program that runs beside others (bridge) gets a person to log in: in the browser, where there is one, together
 * with all others that want the same. stdin is not the person's: nothing is asked there. Undefined where nobody can be
 * reached.
 */
export function bridgeLogin(
  context: CommandContext,
  wanted: { readonly server: string; readonly account: string | undefined },
): BridgeLogin | undefined {
  if (whyNoBrowser(context) !== undefined) return undefined;
  return async (held, scopes, begin) => {
    const ports = { ...context.ports, terminal: { ...context.ports.terminal, interactive: false } };
    const defaults = await loginDefaults(context, {
      login: held ?? wanted,
      browser: true,
      noBrowser: false,
      of: 'other',
    });
    const target =
      held === undefined
        ? {
            ...(await readLoginTarget(ports, wanted.server, wanted.account ?? defaultAccount)),
            name: undefined,
          }
        : { server: held.server, account: held.account, name: held.name, store: held.store };
    return loginTogether(
      ports,
      {
        ...defaults,
        ...target,
        caller: context.callerName,
        scopes: scopes.length === 0 ? undefined : scopes,
        heldScopes: held?.scopes ?? [],
        metadataUrl: documentOf(defaults.metadataUrl, held),
        issuer: undefined,
        registration: undefined,
        seen: held,
      },
      async (world, own) => {
        await begin();
        return login(world, own);
      },
    );
  };
}
