import type { CommandContext } from '../app/context.js';
import { ciOf } from '../core/browser-availability.js';
import { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import type { Relogin } from '../tokens/authorized-client.js';
import { findLogin, readLoginTarget } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { askStepUp } from '../tokens/step-up.js';
import { variableClient } from './client/client-options.js';
import { noBrowserHere } from './failures.js';
import { login } from './log-in.js';
import { loginTogether } from './one-login-at-a-time.js';
import type { LoginRequest, PreregisteredClient } from './ports.js';

/** What of a login is the same whoever asks for it: what configuration and environment say. */
export type LoginDefaults = Pick<
  LoginRequest,
  | 'client'
  | 'clients'
  | 'metadataUrl'
  | 'redirectPort'
  | 'store'
  | 'mode'
  | 'seat'
  | 'caller'
  | 'timeoutMs'
  | 'signal'
>;

/** What of a command line says how the login page gets before the person. */
export interface BrowserOptions {
  readonly browser: boolean;
  readonly noBrowser: boolean;
}

/** How long the answer is waited for: a person who watches may need time for a second factor. */
const defaultTimeoutSeconds = { watched: 900, unwatched: 300 } as const;

/**
 * Why no browser may or can be opened here by a command that was not told `--browser`; undefined where one may. A
 * terminal is not needed for that: agents and editors run us without one, with a person beside them.
 */
export function whyNoBrowser(context: CommandContext): string | undefined {
  const ci = ciOf(context.env);
  if (ci !== undefined) return `CI=${printable(ci, 40)}`;
  if (context.options.nonInteractive) return '--non-interactive';
  return hasDisplay(context) ? undefined : 'there is no display here';
}

/** Can a browser be opened, as far as the environment tells? */
function hasDisplay(context: CommandContext): boolean {
  return ['desktop', 'wsl'].includes(context.seat()) || (context.env['BROWSER'] ?? '').startsWith('/');
}

/** @throws Failure `login_needs_person` */
function modeOf(
  context: CommandContext,
  {
    login,
    browser,
    noBrowser,
    of,
  }: BrowserOptions & { readonly login: LoginMeant; readonly of: 'login' | 'other' },
): LoginRequest['mode'] {
  if (noBrowser) return 'no-browser';
  if (browser || context.ports.terminal.interactive) return 'browser';
  const why = whyNoBrowser(context);
  // Without a display the address is printed: that is enough where somebody reads it.
  const isForbidden = ciOf(context.env) !== undefined || context.options.nonInteractive;
  if (why === undefined || (!isForbidden && context.stderrIsTerminal)) return 'browser';
  throw noBrowserHere(login, { why, canOpen: hasDisplay(context), of });
}

/**
 * The defaults for a login, when a person can be reached for it.
 * @throws Failure `login_needs_person`, `configuration_unusable`
 */
export async function loginDefaults(
  context: CommandContext,
  options: BrowserOptions & { readonly login: LoginMeant; readonly of: 'login' | 'other' },
): Promise<LoginDefaults> {
  const { ports } = context;
  const mode = modeOf(context, options);
  const watched = ports.terminal.interactive ? 'watched' : 'unwatched';
  const configuration = await context.configuration();
  const configured: readonly PreregisteredClient[] = configuration.clients.map(
    ({ clientId, issuer, redirectUri }) => ({
      clientId,
      issuer,
      redirectUri,
      secret: undefined,
    }),
  );
  const { of } = options;
  const variable = of === 'login' ? undefined : await variableClient(context); // `login` has options for these
  return {
    clients: variable?.issuer === undefined ? configured : [variable, ...configured],
    client: variable?.issuer === undefined ? variable : undefined,
    metadataUrl: configuration.clientMetadataUrl ?? context.clientMetadataUrl,
    redirectPort: configuration.redirectPort,
    store: configuration.store,
    mode,
    seat: context.seat(),
    caller: ports.terminal.interactive ? undefined : context.callerName,
    timeoutMs: (configuration.timeoutSeconds ?? defaultTimeoutSeconds[watched]) * 1000,
    signal: context.signal,
  };
}

/**
 * The way to a better login in the middle of another command: with `--login` without a question; without it only more
 * scope, after a yes at the terminal; undefined where nobody can be asked.
 */
export function reloginFor(
  context: CommandContext,
  options: BrowserOptions & { readonly login: boolean; readonly caller?: LoginRequest['caller'] },
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
    const defaults = await loginDefaults(context, { ...options, login: held, of: 'other' });
    const added = scopesMissing(held.scopes, scopes);
    if (added.length > 0) {
      context.ports.terminal.tell(`The server wants more scope: ${printable(added.join(' '))}`);
    }
    const request = {
      ...defaults,
      caller: options.caller ?? defaults.caller,
      server: held.server,
      account: held.account,
      name: held.name,
      store: held.store,
      scopes: scopes.length === 0 ? undefined : scopes,
      heldScopes: held.scopes,
      metadataUrl: documentOf(defaults.metadataUrl, held),
      issuer: undefined,
      registration: undefined,
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
  wanted: BrowserOptions & { readonly server: string; readonly account: string | undefined },
): Promise<LoginRecord> {
  try {
    return await findLogin(context.ports, wanted);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'login_needed') {
      throw error;
    }
  }
  const target = await readLoginTarget(context.ports, wanted.server, wanted.account ?? defaultAccount);
  const defaults = await loginDefaults(context, { ...wanted, login: target, of: 'other' });
  const request = {
    ...defaults,
    ...target,
    name: undefined,
    scopes: undefined,
    heldScopes: [],
    issuer: undefined,
    registration: undefined,
    seen: undefined,
  };
  return loginTogether(context.ports, request, login);
}
