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
import { readCredential, type TokenPorts } from '../tokens/read-credential.js';
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
 * Says that a login is there, and asks whether to log in again; true: it stays. Without a terminal, and with `--json`, it
 * stays unasked: a script would wait for a browser that nobody watches. `--force` logs in again, and so does a command line
 * that asks for another login than the one that is there. A client's own login needs no user, and is made again in scripts.
 * @throws the signal's reason
 */
export async function staysWith(world: World, held: LoginRecord, wanted: Wanted, asked: AskedLogin): Promise<boolean> {
  const { terminal, clock, json, signal, tell, tellLook } = world;
  const status = loginStatus(held, clock.now());
  const mayAsk = terminal.interactive && !json;
  const { force, clientCredentials: isOwn, store } = wanted;
  if (force || status.problem !== undefined || (!mayAsk && isOwn) || hasMore(wanted, world.env)) return false;
  if (asked.name !== undefined && asked.name !== held.name) return false;
  const way = asked.client.way ?? (asked.client.metadataUrl === undefined ? undefined : 'metadata');
  const other = await differences(world, held, { ...asked, client: { ...asked.client, way }, store, isOwn });
  if (other.length > 0) return false;
  const who = held.identity === undefined ? '' : ` as ${held.identity}`;
  const state = stateInWords(status, clock.now());
  const line = printable(`You are already logged in to ${fullName(held)}${who}: ${state}.`, 600);
  if (!mayAsk) {
    // The index alone may not know that a login is over.
    const wantedToken = { login: held, minLifeMs: 60_000, rejected: undefined, signal };
    if ((await validToken(world, wantedToken).catch(ignoreFailure)) === undefined) return false;
    for (const each of [line, 'To log in again, add --force.']) tell(each);
    return true;
  }
  wrapped(line, tellLook.width).forEach(terminal.tell);
  if (await saysYes(terminal, 'Log in again?', signal)) return false;
  tell('Nothing was changed.');
  return true;
}

/** Does the command line bring what no record can be compared with? A secret that a variable names is there for every login. */
function hasMore(wanted: Wanted, env: Environment): boolean {
  const { clientSecretStdin, clientSecretFile, idpClientSecretFile, browserWith, redirectUri } = wanted;
  const assertion = wanted.assertionFile ?? wanted.assertionEnv ?? wanted.assertionCommand;
  const isTyped = clientSecretFile !== env['POSTERN_CLIENT_SECRET_FILE'];
  return (
    clientSecretStdin ||
    (isTyped && clientSecretFile !== undefined) ||
    (idpClientSecretFile ?? browserWith ?? redirectUri ?? assertion) !== undefined
  );
}

/** What a command line asks of a login, its secrets aside. */
export type AskedLogin = Omit<PersonLogin, 'person'>;

/** A login to compare with; what is undefined may be anything. `isOwn`: as the client itself. */
type Expected = Omit<AskedLogin, 'store'> & { readonly store?: string | undefined; readonly isOwn: boolean };

/** The options by which a login that is there differs from the one that is asked for; none: it serves. */
export async function differences(ports: HeaderPorts, made: LoginRecord, wanted: Expected): Promise<readonly string[]> {
  const { issuer, resource, parameters, dpop, provider, client, store, page, scopes, isOwn } = wanted;
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
    '--scope': scopesMissing(made.scopes, [...scopes.held, ...(scopes.named ?? [])]).length > 0,
    '--header-file': !(await sendsTheSame(ports, made, wanted)),
  };
  return Object.keys(differs).filter((option) => differs[option]);
}

type HeaderPorts = Parameters<typeof readCredential>[0] & Pick<CorePorts, 'givenHeaders'>;

/** Does its server get the headers that are given here? Names alone do not say it: a key may be a new one. */
async function sendsTheSame(ports: HeaderPorts, made: LoginRecord, { dropsHeaders }: Expected): Promise<boolean> {
  const given = dropsHeaders ? [] : await ports.givenHeaders();
  const names = made.headerNames ?? [];
  if (given === undefined) return true;
  if (names.length !== given.length) return false;
  if (names.length === 0) return true;
  const kept = (await readCredential(ports, made).catch(ignoreFailure))?.headers ?? [];
  return given.every(({ name, value }) =>
    kept.some((one) => one.name.toLowerCase() === name.toLowerCase() && one.value.reveal() === value.reveal()),
  );
}
