import type { CommandOutput } from '../core/command.js';
import type { Configuration } from '../core/configuration/configuration.js';
import { Failure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { BrowserOptions, LoginInBackground, Logins, Relogin } from '../core/ports.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { findLogin, type LoginTarget, readLoginTarget } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { askStepUp } from '../tokens/step-up.js';
import { ciOf } from './browser/browser-availability.js';
import { type ClientWorld, variableClient } from './client/client-options.js';
import { noBrowserHere } from './failures.js';
import { login } from './log-in.js';
import { loginTogether, type TogetherRequest } from './one-login-at-a-time.js';
import type { BrowserAvailability, LoginPorts, LoginRequest, PreregisteredClient } from './ports.js';

/** What a login by a person needs of the world, beside what the person says of it. */
export interface LoginWorld extends LoginPorts, ClientWorld, Pick<CommandOutput, 'signal'> {
  readonly configuration: () => Promise<Configuration>;
  /** Address of the client ID metadata document of this release, where nothing else is configured. */
  readonly clientMetadataUrl: string | undefined;
  /** Was `--non-interactive` given? */
  readonly nonInteractive: boolean;
  /** Is what goes to stderr seen at once? */
  readonly stderrIsTerminal: boolean;
  /** Names the program that has started this one. */
  readonly callerName: () => string;
  /** Where the person sits. */
  readonly availability: () => BrowserAvailability;
}

/** What of a login is the same whoever asks for it: what configuration and environment say. */
export type LoginDefaults = Pick<
  LoginRequest,
  | 'client'
  | 'clients'
  | 'metadataUrl'
  | 'redirectPort'
  | 'store'
  | 'mode'
  | 'availability'
  | 'caller'
  | 'timeoutMs'
  | 'signal'
>;

/** How long the answer is waited for: a person who watches may need time for a second factor. */
const defaultTimeoutSeconds = { watched: 900, unwatched: 300 } as const;

/** Other commands' way to a login. */
export function createLogins(world: LoginWorld): Logins {
  return {
    findOrMake: (wanted) => findOrMake(world, wanted),
    relogin: (options) =>
      options.login || world.terminal.interactive ? relogin(world, options, undefined) : undefined,
    reloginForPrograms: (options) => {
      const { browser, noBrowser } = options;
      const mayAsk = browser || noBrowser || world.terminal.interactive || whyNoBrowser(world) === undefined;
      return mayAsk ? relogin(world, { ...options, login: true }, world.callerName) : undefined;
    },
    inBackground: (wanted) => (whyNoBrowser(world) === undefined ? inBackground(world, wanted) : undefined),
  };
}

/**
 * Why no browser may or can be opened here by a command that was not told `--browser`; undefined where one may. A
 * terminal is not needed for that: agents and editors run us without one, with a person beside them.
 */
function whyNoBrowser(world: LoginWorld): string | undefined {
  const ci = ciOf(world.env);
  if (ci !== undefined) return `CI=${printable(ci, 40)}`;
  if (world.nonInteractive) return '--non-interactive';
  return hasDisplay(world) ? undefined : 'there is no display here';
}

/** Can a browser be opened, as far as the environment tells? */
function hasDisplay({ availability, env }: LoginWorld): boolean {
  return ['desktop', 'wsl'].includes(availability()) || (env['BROWSER'] ?? '').startsWith('/');
}

interface Asked extends BrowserOptions {
  readonly login: LoginMeant;
  readonly of: 'login' | 'other';
}

/** @throws Failure `login_needs_person` */
function modeOf(world: LoginWorld, { login, browser, noBrowser, of }: Asked): LoginRequest['mode'] {
  if (noBrowser) return 'no-browser';
  if (browser || world.terminal.interactive) return 'browser';
  const why = whyNoBrowser(world);
  // Without a display the address is printed: that is enough where somebody reads it.
  const isForbidden = ciOf(world.env) !== undefined || world.nonInteractive;
  if (why === undefined || (!isForbidden && world.stderrIsTerminal)) return 'browser';
  throw noBrowserHere(login, { why, canOpen: hasDisplay(world), of });
}

/**
 * The defaults for a login, when a person can be reached for it.
 * @throws Failure `login_needs_person`, `configuration_unusable`
 */
export async function loginDefaults(world: LoginWorld, asked: Asked): Promise<LoginDefaults> {
  const mode = modeOf(world, asked);
  const { interactive } = world.terminal;
  const configuration = await world.configuration();
  const configured: readonly PreregisteredClient[] = configuration.clients.map((client) => ({
    redirectUri: undefined,
    ...client,
    secret: undefined,
  }));
  const variable = asked.of === 'login' ? undefined : await variableClient(world); // `login` has options for these
  return {
    clients: variable?.issuer === undefined ? configured : [variable, ...configured],
    client: variable?.issuer === undefined ? variable : undefined,
    metadataUrl: configuration.clientMetadataUrl ?? world.clientMetadataUrl,
    redirectPort: configuration.redirectPort,
    store: configuration.store,
    mode,
    availability: world.availability(),
    caller: interactive ? undefined : world.callerName,
    timeoutMs: (configuration.timeoutSeconds ?? defaultTimeoutSeconds[interactive ? 'watched' : 'unwatched']) * 1000,
    signal: world.signal,
  };
}

/** A login that no options describe: a new one for `target`, or one in the place of the one that is held. */
function requestFor(
  defaults: LoginDefaults,
  target: LoginTarget,
  held: LoginRecord | undefined,
  scopes: readonly string[],
): TogetherRequest {
  return {
    ...defaults,
    server: target.server,
    account: target.account,
    name: held?.name,
    store: held === undefined ? defaults.store : held.store,
    scopes: scopes.length === 0 ? undefined : scopes,
    heldScopes: held?.scopes ?? [],
    metadataUrl: documentOf(defaults.metadataUrl, held),
    issuer: undefined,
    registration: undefined,
    seen: held,
  };
}

function relogin(
  world: LoginWorld,
  options: BrowserOptions & { readonly login: boolean },
  caller: LoginRequest['caller'],
): Relogin {
  return async (held, scopes, begin) => {
    if (!options.login) {
      if (scopes.length === 0) return undefined;
      await askStepUp(world, { login: held, scopes, signal: world.signal });
    }
    const defaults = await loginDefaults(world, { ...options, login: held, of: 'other' });
    const added = scopesMissing(held.scopes, scopes);
    if (added.length > 0) {
      world.terminal.tell(`The server wants more scope: ${printable(added.join(' '))}`);
    }
    const request = requestFor({ ...defaults, caller: caller ?? defaults.caller }, held, held, scopes);
    return loginTogether(world, request, begunBy(begin));
  };
}

/** `login`, once `begin` has let it. */
function begunBy(begin: () => Promise<void>): typeof login {
  return async (ports, request) => {
    await begin();
    return login(ports, request);
  };
}

async function findOrMake(world: LoginWorld, wanted: Parameters<Logins['findOrMake']>[0]): Promise<LoginRecord> {
  try {
    return await findLogin(world, wanted);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'login_needed') throw error;
  }
  const target = await readLoginTarget(world, wanted.server, wanted.account ?? defaultAccount);
  const defaults = await loginDefaults(world, { ...wanted, login: target, of: 'other' });
  return loginTogether(world, requestFor(defaults, target, undefined, []), login);
}

function inBackground(
  world: LoginWorld,
  wanted: { readonly server: string; readonly account: string | undefined },
): LoginInBackground {
  return async (held, scopes, begin) => {
    const own = { ...world, terminal: { ...world.terminal, interactive: false } };
    const asked = { login: held ?? wanted, browser: true, noBrowser: false, of: 'other' } as const;
    const defaults = { ...(await loginDefaults(world, asked)), caller: world.callerName };
    const target = held ?? (await readLoginTarget(own, wanted.server, wanted.account ?? defaultAccount));
    return loginTogether(own, requestFor(defaults, target, held, scopes), begunBy(begin));
  };
}
