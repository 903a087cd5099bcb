import { Failure } from '../errors/failure.js';
import { nobodyToAsk } from '../errors/usage.js';
import { findLogin } from '../flows/find-login.js';
import type { PreregisteredClient } from '../flows/login/identify-client.js';
import { type LoginRequest, login } from '../flows/login/login.js';
import { loginTogether } from '../flows/login/login-together.js';
import { askStepUp } from '../flows/request/ask-step-up.js';
import type { Relogin } from '../flows/request/authorized-sender.js';
import type { LoginMeant } from '../primitives/login-command.js';
import { printable } from '../primitives/printable.js';
import { defaultAccount, type LoginRecord } from '../primitives/records.js';
import { scopesMissing } from '../primitives/scope.js';
import type { CommandContext } from './command.js';
import { readLoginTarget } from './server-argument.js';

/** What of a login is the same whoever asks for it: what configuration and environment say. */
export type LoginDefaults = Pick<
  LoginRequest,
  'clients' | 'metadataUrl' | 'redirectPort' | 'store' | 'mode' | 'seat' | 'timeoutMs' | 'signal'
>;

const defaultTimeoutSeconds = 300;

/**
 * The defaults for a login, when a person can be reached for it.
 * @throws Failure `login_needs_person`, `configuration_unusable`
 */
export async function loginDefaults(
  context: CommandContext,
  options: { readonly login: LoginMeant; readonly noBrowser: boolean; readonly reachable?: true },
): Promise<LoginDefaults> {
  const { ports } = context;
  // Whoever says --no-browser opens the printed address by other means; nothing is opened here.
  const elsewhere = options.noBrowser && !context.options.nonInteractive;
  const reachable = ports.terminal.interactive || elsewhere || options.reachable === true;
  if (!reachable) {
    throw nobodyToAsk(options.login);
  }
  const configuration = await context.configuration();
  const clients: readonly PreregisteredClient[] = configuration.clients.map(
    ({ clientId, issuer, redirectUri }) => ({
      clientId,
      issuer,
      redirectUri,
      secret: undefined,
    }),
  );
  return {
    clients,
    metadataUrl: configuration.clientMetadataUrl ?? context.clientMetadataUrl,
    redirectPort: configuration.redirectPort,
    store: configuration.store,
    mode: options.noBrowser ? 'no-browser' : 'browser',
    seat: context.seat(),
    timeoutMs: (configuration.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
    signal: context.signal,
  };
}

/** The document that a login names itself by: the configured one, else the one that it was made with before. */
export function documentOf(
  configured: string | undefined,
  held: LoginRecord | undefined,
): string | undefined {
  return configured ?? (held?.registration === 'metadata' ? held.clientId : undefined);
}

/**
 * The way to a better login in the middle of another command: with `--login` without a question; without it only more
 * scope, after a yes at the terminal; undefined where nobody can be asked.
 */
export function reloginFor(
  context: CommandContext,
  options: { readonly login: boolean; readonly noBrowser: boolean },
): Relogin | undefined {
  const { ports, signal } = context;
  if (!options.login && !ports.terminal.interactive) {
    return undefined;
  }
  return async (held, scopes, begin) => {
    if (!options.login) {
      if (scopes.length === 0) return undefined;
      await askStepUp(ports, { login: held, scopes, signal });
    }
    const defaults = await loginDefaults(context, { login: held, noBrowser: options.noBrowser });
    const added = scopesMissing(held.scopes, scopes);
    if (added.length > 0) {
      context.ports.terminal.tell(`The server wants more scope: ${printable(added.join(' '))}`);
    }
    const request = {
      ...defaults,
      server: held.server,
      account: held.account,
      name: held.name,
      store: held.store,
      scopes: scopes.length === 0 ? undefined : scopes,
      heldScopes: held.scopes,
      metadataUrl: documentOf(defaults.metadataUrl, held),
      issuer: undefined,
      registration: undefined,
      client: undefined,
      seen: held,
    };
    return loginTogether(context.ports, request, async (ports, own) => {
      await begin();
      return login(ports, own);
    });
  };
}

/**
 * The login that is meant, or, when there is none for that URL, a new one: what `--login` allows.
 * @throws Failure of `findLogin` and of the login
 */
export async function findOrMakeLogin(
  context: CommandContext,
  wanted: { readonly server: string; readonly account: string | undefined; readonly noBrowser: boolean },
): Promise<LoginRecord> {
  try {
    return await findLogin(context.ports, wanted);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'login_needed') {
      throw error;
    }
  }
  const target = await readLoginTarget(context.ports, wanted.server, wanted.account ?? defaultAccount);
  const defaults = await loginDefaults(context, { login: target, noBrowser: wanted.noBrowser });
  const request = {
    ...defaults,
    ...target,
    name: undefined,
    scopes: undefined,
    heldScopes: [],
    issuer: undefined,
    registration: undefined,
    client: undefined,
    seen: undefined,
  };
  return loginTogether(context.ports, request, login);
}
