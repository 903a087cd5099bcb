import type { CommandOutput } from '../core/command.js';
import type { Configuration } from '../core/configuration/configuration.js';
import { isFailure } from '../core/failure.js';
import type { LoginAsked } from '../core/login-command.js';
import type { BrowserOptions, LoginInBackground, Logins, Relogin } from '../core/ports.js';
import { defaultAccount, defined, type LoginRecord } from '../core/records.js';
import { canonicalResource } from '../core/resource.js';
import { scopesMissing } from '../core/scope.js';
import { printable } from '../core/text/printable.js';
import { findLogin, type LoginTarget, readLoginTarget, sameLogin } from '../tokens/find-login.js';
import { documentOf } from '../tokens/registrations.js';
import { type BrowserAvailability, ciOf } from './browser/browser-availability.js';
import { type ClientWorld, readClient, readScopes, variableClient } from './client/client-options.js';
import { noBrowserHere } from './failures.js';
import type { LoginPorts, PersonLogin, PersonOptions } from './ports.js';

export interface LoginWorld extends LoginPorts, ClientWorld, Pick<CommandOutput, 'signal' | 'tellLook'> {
  readonly configuration: () => Promise<Configuration>;
  /** Address of the client ID metadata document of this release, where nothing else is configured. */
  readonly clientMetadataUrl: string | undefined;
  readonly nonInteractive: boolean;
  readonly stderrIsTerminal: boolean;
  readonly callerName: () => string;
  readonly availability: () => BrowserAvailability;
}

/** How long the answer is waited for: a person who watches may need time for a second factor. */
const defaultTimeoutSeconds = { watched: 900, unwatched: 300 } as const;

export function createLogins(world: LoginWorld): Logins {
  return {
    asClient: (wanted) => asClient(world, wanted),
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
 * terminal is not needed for that: agents and editors run us without one, and a person watches.
 */
function whyNoBrowser(world: LoginWorld): string | undefined {
  const ci = ciOf(world.env);
  if (ci !== undefined) return `CI=${printable(ci, 40)}`;
  if (world.nonInteractive) return '--non-interactive';
  return hasDisplay(world) ? undefined : 'there is no display here';
}

function hasDisplay({ availability, env }: LoginWorld): boolean {
  return ['desktop', 'wsl'].includes(availability()) || (env['BROWSER'] ?? '').startsWith('/');
}

interface Asked extends BrowserOptions {
  readonly login: LoginAsked;
  readonly held: LoginRecord | undefined;
  readonly of: 'login' | 'other';
  /** It may be made without a person: why there is nobody is said only when somebody is needed. */
  readonly mayNeedNobody?: boolean;
  /** Whatever the terminal, no person has typed it. */
  readonly caller?: PersonOptions['caller'];
}

/** @throws Failure `login_needs_person`, where a person is needed for sure */
function wayTo(world: LoginWorld, asked: Asked): Pick<PersonOptions, 'mode' | 'nobody'> {
  const { login, browser, noBrowser, mayNeedNobody = false } = asked;
  if (noBrowser) return { mode: 'no-browser' };
  if (browser || world.terminal.interactive) return { mode: 'browser' };
  const why = whyNoBrowser(world);
  // Without a display the address is printed: that is enough where somebody reads it.
  const isForbidden = ciOf(world.env) !== undefined || world.nonInteractive;
  if (why === undefined || (!isForbidden && world.stderrIsTerminal)) return { mode: 'browser' };
  // A company's provider offers no code to type.
  const of = mayNeedNobody ? 'other' : asked.of;
  const nobody = noBrowserHere(login, { why, canOpen: hasDisplay(world), of });
  if (!mayNeedNobody) throw nobody;
  return { mode: 'no-browser', nobody };
}

/**
 * What configuration, environment and the login that is replaced say of a login, when a person can be reached for it.
 * @throws Failure `login_needs_person`, `configuration_unusable`
 */
export async function loginDefaults(
  world: LoginWorld,
  asked: Asked,
): Promise<Pick<PersonLogin, 'client' | 'person' | 'store'>> {
  const { mode, nobody } = wayTo(world, asked);
  const { interactive } = world.terminal;
  const configuration = await world.configuration();
  const { clients, timeoutSeconds, redirectPort: usualPort, store } = configuration;
  const variable = asked.of === 'login' ? undefined : await variableClient(world); // `login` has options for these
  const isBound = variable?.issuer !== undefined;
  const metadataUrl = documentOf(configuration.clientMetadataUrl ?? world.clientMetadataUrl, asked.held);
  return {
    client: {
      given: isBound ? undefined : variable,
      configured: isBound ? [variable, ...clients] : clients,
      metadataUrl,
    },
    person: {
      ...{ mode, nobody, usualPort },
      availability: world.availability(),
      look: interactive ? world.tellLook : undefined,
      caller: asked.caller ?? (interactive ? undefined : world.callerName),
      timeoutMs: (timeoutSeconds ?? defaultTimeoutSeconds[interactive ? 'watched' : 'unwatched']) * 1000,
    },
    store,
  };
}

interface Wanted extends BrowserOptions, Pick<Asked, 'caller'> {
  readonly target: LoginTarget;
  readonly held?: LoginRecord;
  readonly scopes?: readonly string[];
  readonly begin?: () => Promise<void>;
}

/** Makes a login that no options describe: a new one for `target`, or one in the place of the one that is held. */
async function makeLogin(world: LoginWorld, wanted: Wanted): Promise<LoginRecord> {
  const { target, held, scopes = [], begin } = wanted;
  const { server, account } = target;
  const asked = { ...wanted, login: { ...(held ?? target), given: undefined }, held, of: 'other' } as const;
  const { client, person, store } = await loginDefaults(world, asked);
  const [{ login }, { baseNameOf }, { loginTogether }] = await Promise.all([
    import('./log-in.js'),
    import('./login-name.js'),
    import('./one-login-at-a-time.js'),
  ]);
  const request: PersonLogin = {
    ...{ server, account, client, person },
    ...(held === undefined
      ? { baseName: await baseNameOf(server, account), store }
      : { name: held.name, store: held.store }),
    scopes: { named: scopes.length === 0 ? undefined : scopes, held: held?.scopes ?? [] },
    signal: world.signal,
  };
  const made = await loginTogether(world, request, held, async (...given) => {
    await begin?.();
    return await login(...given);
  });
  const isNamed = held === undefined && made.name !== undefined && person.caller === undefined;
  if (isNamed) world.terminal.tell(`This login is now called ${made.name}.`);
  return made;
}

function relogin(
  whole: LoginWorld,
  options: Parameters<Logins['relogin']>[0],
  caller: PersonOptions['caller'],
): Relogin {
  return async (held, scopes, begin) => {
    const cancelled = options.cancelled?.();
    const world = cancelled === undefined ? whole : { ...whole, signal: AbortSignal.any([whole.signal, cancelled]) };
    const stepUp = async () => await import('../tokens/step-up.js');
    const added = scopesMissing(held.scopes, scopes);
    if (!options.login) {
      if (scopes.length === 0) return undefined;
      await (await stepUp()).askStepUp(world, { login: held, scopes, signal: world.signal });
    } else if (added.length > 0) world.terminal.tell(`The server wants more scope: ${printable(added.join(' '))}`);
    if (caller !== undefined) await (await stepUp()).checkNotDeclined(world, { login: held, scopes });
    return makeLogin(world, { ...options, target: held, held, scopes, begin, caller });
  };
}

async function findOrMake(world: LoginWorld, wanted: Parameters<Logins['findOrMake']>[0]): Promise<LoginRecord> {
  try {
    return await findLogin(world, wanted);
  } catch (error) {
    if (!isFailure(error, 'login_needed') || !canonicalResource(wanted.server).ok) throw error;
  }
  const target = await readLoginTarget(world, wanted.server, wanted.account ?? defaultAccount);
  return makeLogin(world, { ...wanted, target });
}

async function asClient(world: LoginWorld, wanted: Parameters<Logins['asClient']>[0]): Promise<LoginRecord> {
  const target = await readLoginTarget(world, wanted.server, wanted.account ?? defaultAccount);
  const made = sameLogin((await world.index.read()).logins, target);
  if (made !== undefined) return made;
  const set = (name: string) => world.env[name] || undefined;
  const issuer = wanted.authorizationServer ?? set('POSTERN_AUTHORIZATION_SERVER');
  const given = await readClient(world, {
    ...wanted,
    clientId: wanted.clientId ?? set('POSTERN_CLIENT_ID'),
    clientSecretStdin: false,
    clientSecretFile: wanted.clientSecretFile ?? set('POSTERN_CLIENT_SECRET_FILE'),
    clientCredentials: true,
    authorizationServer: issuer,
  });
  const { clientCredentialsLogin } = await import('./client/client-credentials.js');
  const own = { ...world, terminal: { ...world.terminal, tell: world.tell } };
  return clientCredentialsLogin(own, {
    ...target,
    scopes: { named: readScopes(wanted.scope), held: [] },
    issuer,
    issuerIsTyped: wanted.authorizationServer !== undefined,
    client: { given },
    store: 'memory',
    signal: world.signal,
  });
}

function inBackground(world: LoginWorld, wanted: Parameters<Logins['inBackground']>[0]): LoginInBackground {
  return async (held, scopes, begin) => {
    const own = { ...world, terminal: { ...world.terminal, interactive: false } };
    if (held !== undefined)
      await (await import('../tokens/step-up.js')).checkNotDeclined(world, { login: held, scopes });
    const target = held ?? (await readLoginTarget(own, wanted.server, wanted.account ?? defaultAccount));
    const how = { browser: true, noBrowser: false, caller: world.callerName };
    return makeLogin(own, { ...how, target, ...defined({ held }), scopes, begin });
  };
}
