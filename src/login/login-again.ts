import type { CommandOutput } from '../core/command.js';
import { isFailure } from '../core/failure.js';
import type { AssertionOptions, CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { wrapped } from '../core/text/layout.js';
import { printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { isSameIssuer } from '../oauth/discovery-document.js';
import type { TokenPorts } from '../tokens/token-request.js';
import { validToken } from '../tokens/valid-token.js';
import { namesAssertion } from './client/assertion-options.js';
import type { ClientWorld } from './client/client-options.js';
import type { ProviderArguments } from './company/options.js';
import { fullName, loginStatus, stateInWords } from './status/login-status.js';

/** What of a command line says which login is wanted. */
interface Wanted extends AssertionOptions, ProviderArguments {
  readonly force: boolean;
  readonly name: string | undefined;
  readonly scope: readonly string[];
  readonly authorizationServer: string | undefined;
  readonly registration: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecretStdin: boolean;
  readonly clientSecretFile: string | undefined;
  readonly clientName: string | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly clientCredentials: boolean;
  readonly store: string | undefined;
  readonly browserWith: string | undefined;
  readonly redirectUri: string | undefined;
  readonly authorizationParam: readonly string[];
  readonly resource: string | undefined;
  readonly noResource: boolean;
  readonly dpop: boolean;
  readonly noDpop: boolean;
  readonly noHeaders: boolean;
  readonly loginHint: string | undefined;
  readonly prompt: readonly string[];
}

type World = TokenPorts &
  Pick<CorePorts, 'terminal' | 'givenHeaders'> &
  Pick<CommandOutput, 'json' | 'signal' | 'tell' | 'tellLook'> &
  Pick<ClientWorld, 'env'>;

/**
 * Says that a login is there, and asks whether to log in again; true: it is stayed with. So it is unasked without a terminal
 * and with `--json`: a script would wait for a browser that nobody watches. `--force` logs in again, and so does what
 * asks for another login than the one that is there. A client's own login needs nobody, and is made again in scripts.
 * @throws the signal's reason
 */
export async function staysWith(world: World, held: LoginRecord, wanted: Wanted): Promise<boolean> {
  const { terminal, clock, json, signal, tell, tellLook } = world;
  const status = loginStatus(held, clock.now());
  const isValid = status.problem === undefined;
  const isAsked = terminal.interactive && !json;
  if (wanted.force || !isValid || !isAsWanted(held, wanted) || (!isAsked && wanted.clientCredentials)) return false;
  if ((await world.givenHeaders()) !== undefined || givesSecret(wanted, world.env)) return false;
  const who = held.identity === undefined ? '' : ` as ${held.identity}`;
  const state = stateInWords(status, clock.now());
  const line = printable(`You are already logged in to ${fullName(held)}${who}: ${state}.`, 600);
  if (!isAsked) {
    if (!(await hasToken(world, held))) return false;
    for (const each of [line, 'To log in again, add --force.']) tell(each);
    return true;
  }
  wrapped(line, tellLook.width).forEach(terminal.tell);
  if (await saysYes(terminal, 'Log in again?', signal)) return false;
  tell('Nothing was changed.');
  return true;
}

/** The index alone may not know that a login is over. */
async function hasToken(world: World, login: LoginRecord): Promise<boolean> {
  try {
    await validToken(world, { login, minLifeMs: 60_000, rejected: undefined, signal: world.signal });
    return true;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return false;
  }
}

/** One that a variable names is there for every login. */
function givesSecret({ clientSecretStdin, clientSecretFile }: Wanted, env: ClientWorld['env']): boolean {
  return (
    clientSecretStdin || (clientSecretFile !== undefined && clientSecretFile !== env['POSTERN_CLIENT_SECRET_FILE'])
  );
}

function isAsWanted(held: LoginRecord, wanted: Wanted): boolean {
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  return (
    asNamed(wanted.name, held.name ?? '') &&
    asNamed(wanted.clientName, held.clientName ?? '') &&
    !wanted.noHeaders &&
    wanted.loginHint === undefined &&
    wanted.prompt.length === 0 &&
    wanted.browserWith === undefined &&
    wanted.redirectUri === undefined &&
    !namesAssertion(wanted) &&
    (!wanted.dpop || held.dpop === 'demanded') &&
    (!wanted.noDpop || held.dpop === 'never') &&
    asNamed(wanted.idp, held.provider?.issuer ?? '') &&
    asNamed(wanted.idpClientId, held.provider?.clientId ?? '') &&
    wanted.idpTokenFile === undefined &&
    wanted.idpClientSecretFile === undefined &&
    (!wanted.noResource || held.requestedResource === null) &&
    (held.requestedResource !== null || wanted.resource === undefined) &&
    asNamed(wanted.resource, held.requestedResource ?? held.resource) &&
    wanted.clientCredentials === (held.grant !== undefined) &&
    scopesMissing(held.scopes, wanted.scope.join(' ').split(' ').filter(Boolean)).length === 0 &&
    isSameIssuer(wanted.authorizationServer ?? held.issuer, held.issuer) &&
    asNamed(wanted.authorizationParam.join('\n') || undefined, (held.authorizationParams ?? []).join('\n')) &&
    asNamed(wanted.registration, held.registration) &&
    asNamed(wanted.clientId, held.clientId) &&
    asNamed(wanted.clientMetadataUrl, held.clientId) &&
    asNamed(wanted.store, held.store)
  );
}
