import type { CommandOutput } from '../core/command.js';
import type { AssertionOptions, CorePorts } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { scopesMissing } from '../core/scope.js';
import { wrapped } from '../core/text/layout.js';
import { printable } from '../core/text/printable.js';
import { saysYes } from '../core/text/says-yes.js';
import { isSameIssuer } from '../oauth/discovery-document.js';
import { namesAssertion } from './client/assertion-options.js';
import type { ProviderArguments } from './company/options.js';
import { fullName, loginStatus, stateInWords } from './status/login-status.js';

/** What of a command line says which login is wanted. */
interface Wanted extends AssertionOptions, ProviderArguments {
  readonly force: boolean;
  readonly scope: readonly string[];
  readonly authorizationServer: string | undefined;
  readonly registration: string | undefined;
  readonly clientId: string | undefined;
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
}

type World = Pick<CorePorts, 'clock' | 'terminal'> & Pick<CommandOutput, 'json' | 'signal' | 'tell' | 'tellLook'>;

/**
 * Says that a login stands, and asks whether to log in again; true: the person stays with it. Nobody is asked with
 * `--force`, without a terminal, with `--json`, and where another login is wanted than the one that stands.
 * @throws the signal's reason
 */
export async function staysWith(world: World, held: LoginRecord, wanted: Wanted): Promise<boolean> {
  const { terminal, clock, json, signal, tell, tellLook } = world;
  const status = loginStatus(held, clock.now());
  const isValid = status.problem === undefined;
  if (wanted.force || json || !terminal.interactive || !isValid || !isAsWanted(held, wanted)) return false;
  const who = held.identity === undefined ? '' : ` as ${held.identity}`;
  const state = stateInWords(status, clock.now());
  const line = printable(`You are already logged in to ${fullName(held)}${who}: ${state}.`, 600);
  wrapped(line, tellLook.width).forEach(terminal.tell);
  if (await saysYes(terminal, 'Log in again?', signal)) return false;
  tell('Nothing was changed.');
  return true;
}

function isAsWanted(held: LoginRecord, wanted: Wanted): boolean {
  const asNamed = (named: string | undefined, found: string) => named === undefined || named === found;
  return (
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
