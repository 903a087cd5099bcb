import type { ArgumentsOf, CommandOutput } from '../core/command.js';
import { ignoreFailure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import { clientInfo } from '../core/product.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { wrapped } from '../core/text/layout.js';
import { printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { isSameIssuer } from '../oauth/discovery-document.js';
import type { TokenPorts } from '../tokens/token-request.js';
import { validToken } from '../tokens/valid-token.js';
import type { loginTable } from './login.options.js';
import type { PersonLogin } from './ports.js';
import { fullName, loginStatus, stateInWords } from './status/login-status.js';

type Wanted = ArgumentsOf<typeof loginTable>;

type Environment = Readonly<Record<string, string | undefined>>;

type World = TokenPorts &
  Pick<CorePorts, 'terminal' | 'givenHeaders'> &
  Pick<CommandOutput, 'json' | 'signal' | 'tell' | 'tellLook'> & { readonly env: Environment };

/**
 * Says that a login is there, and asks whether to log in again; true: it is stayed with. So it is unasked without a terminal
 * and with `--json`: a script would wait for a browser that nobody watches. `--force` logs in again, and so does what
 * asks for another login than the one that is there. A client's own login needs nobody, and is made again in scripts.
 * @throws the signal's reason
 */
export async function staysWith(world: World, held: LoginRecord, wanted: Wanted, asked: AskedLogin): Promise<boolean> {
  const { terminal, clock, json, signal, tell, tellLook } = world;
  const status = loginStatus(held, clock.now());
  const isValid = status.problem === undefined;
  const mayAsk = terminal.interactive && !json;
  if (wanted.force || !isValid || asksForMore(held, wanted, asked) || (!mayAsk && wanted.clientCredentials))
    return false;
  if ((await world.givenHeaders()) !== undefined || givesSecret(wanted, world.env)) return false;
  const who = held.identity === undefined ? '' : ` as ${held.identity}`;
  const state = stateInWords(status, clock.now());
  const line = printable(`You are already logged in to ${fullName(held)}${who}: ${state}.`, 600);
  if (!mayAsk) {
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
  const asked = { login, minLifeMs: 60_000, rejected: undefined, signal: world.signal };
  return (await validToken(world, asked).catch(ignoreFailure)) !== undefined;
}

/** One that a variable names is there for every login. */
function givesSecret(wanted: Wanted, env: Environment): boolean {
  const { clientSecretStdin, clientSecretFile, idpClientSecretFile } = wanted;
  return (
    clientSecretStdin ||
    idpClientSecretFile !== undefined ||
    (clientSecretFile !== undefined && clientSecretFile !== env['POSTERN_CLIENT_SECRET_FILE'])
  );
}

/** Is there something else to do than what the login at hand was made by? */
function asksForMore(held: LoginRecord, wanted: Wanted, asked: AskedLogin): boolean {
  const way = asked.client.way ?? (asked.client.metadataUrl === undefined ? undefined : 'metadata');
  const { clientCredentials: isOwn, store } = wanted;
  return (
    differences(held, { ...asked, client: { ...asked.client, way }, store, isOwn }).length > 0 ||
    (asked.name !== undefined && asked.name !== held.name) ||
    asked.dropsHeaders === true ||
    (wanted.browserWith ?? wanted.redirectUri) !== undefined ||
    (wanted.assertionFile ?? wanted.assertionEnv ?? wanted.assertionCommand) !== undefined ||
    scopesMissing(held.scopes, asked.scopes.named ?? []).length > 0
  );
}

/** What a command line says of a login, its secrets aside. */
export type AskedLogin = Omit<PersonLogin, 'person'>;

/** What tells a login from another one of the same server and account; undefined: any will do. */
interface Distinct extends Omit<AskedLogin, 'store' | 'scopes' | 'signal' | 'server' | 'account'> {
  readonly store?: string | undefined;
  /** As the client itself. */
  readonly isOwn: boolean;
}

/** The options by which a login that is wanted differs from one that is there, its scopes and headers aside. */
export function differences(made: LoginRecord, wanted: Distinct): readonly string[] {
  const { issuer, resource, parameters, dpop, provider, client, store, page, isOwn } = wanted;
  const isOther = <Value>(named: Value | undefined, found: Value) => named !== undefined && named !== found;
  const usedResource = made.requestedResource === undefined ? made.resource : made.requestedResource;
  const differs: Readonly<Record<string, boolean>> = {
    '--client-credentials': isOwn !== (made.grant !== undefined),
    '--authorization-server': !isSameIssuer(issuer ?? made.issuer, made.issuer),
    '--resource': isOther(resource, usedResource),
    '--authorization-param': isOther(parameters?.join('\n'), (made.authorizationParams ?? []).join('\n')),
    '--dpop': isOther(dpop && { always: 'demanded', never: 'never' }[dpop], made.dpop ?? ''),
    '--idp':
      isOther(provider?.issuer, made.provider?.issuer) ||
      isOther(provider?.clientId, made.provider?.clientId) ||
      (provider !== undefined && provider.tokenFile !== made.provider?.tokenFile),
    '--registration': isOther(client.way, made.registration),
    '--client-id': isOther(client.given?.clientId, made.clientId),
    '--client-metadata-url': made.registration === 'metadata' && isOther(client.metadataUrl, made.clientId),
    '--client-name': isOther(client.name, made.clientName ?? clientInfo.name),
    '--store': isOther(store, made.store),
    // What its page was to ask, no record says.
    '--login-hint': page?.loginHint !== undefined,
    '--prompt': (page?.prompts ?? []).length > 0,
  };
  return Object.keys(differs).filter((option) => differs[option]);
}
