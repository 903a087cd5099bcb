import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { type LoginAsked, loginCommand } from '../core/login-command.js';
import { namedServer, quotedServer } from '../core/resource.js';
import { quoted, shellWord } from '../core/text/printable.js';
import { hiddenByProxy } from '../http/failures.js';

/** @param leads Does the remedy name the command to run? */
export function failure(exit: ExitCode, code: string, message: string, remedy: string, leads?: boolean): Failure {
  return new Failure({ code, exit, message, remedy, leads });
}

/** A server, or an authorization server, does not keep to the rules. */
function rulesBroken(code: string, message: string, remedy: string, leads?: boolean): Failure {
  return failure(exitCode.serverBreaksRules, code, message, remedy, leads);
}

/** The server's challenge cannot be read without guessing. */
export function challengeUnusable(server: string, why: string): Failure {
  const message = `${quotedServer(server)} sent a WWW-Authenticate header that is invalid: ${why}.`;
  const remedy = 'Ask the server’s operator to send one Bearer challenge with each parameter once.';
  return rulesBroken('challenge_unusable', message, remedy);
}

/**
 * No address gave a usable protected resource metadata document.
 * @param trusted An authorization server that could be taken all the same: the one that a person named, or the `own` origin, which
 * serves authorization server metadata, as servers of 2025-03-26 did.
 */
export function noProtectedResourceMetadata(login: LoginAsked, tried: string, trusted: string | undefined): Failure {
  const { server } = login;
  const message = `${quotedServer(server)} does not say where to log in: it has no protected resource metadata (RFC 9728). Tried: ${tried}.`;
  const command = loginCommand(login, '--legacy');
  const wantsHeader = /status 40[13]/.test(tried);
  const remedy =
    trusted === 'own'
      ? `Its origin is an authorization server itself, as with servers of 2025-03-26. If you trust it with that, run: ${command}`
      : trusted !== undefined
        ? `If you trust ${quoted(trusted)} with that, run: ${command}`
        : `Check the server’s address, or ask its operator to publish that metadata.${wantsHeader ? ` ${headerHint(login)}` : ''}`;
  return rulesBroken('discovery_failed', message, remedy, trusted !== undefined || wantsHeader);
}

/** What came in place of the protected resource metadata document cannot be read. */
export function metadataBroken(url: string, why: string): Failure {
  const remedy = 'Report it to the operator of that address, or check the server’s address.';
  return rulesBroken('discovery_failed', `The metadata at ${quoted(url)} is invalid: ${why}.`, remedy);
}

/** No address gave a usable authorization server metadata document. */
export function noAuthorizationServerMetadata(issuer: string, tried: string): Failure {
  const message = `The authorization server ${quoted(issuer)} has no usable metadata (RFC 8414). Tried: ${tried}.`;
  const remedy = 'Ask its operator to publish authorization server metadata (RFC 8414) or OpenID Connect Discovery.';
  return rulesBroken('discovery_failed', message, remedy);
}

/** A document came, and is not what the rules ask for. */
export function metadataUnusable(url: string, why: string): Failure {
  const remedy = 'Report it to the operator of that address. Nothing was sent or stored.';
  return rulesBroken('metadata_unusable', `The metadata at ${quoted(url)} is invalid: ${why}.`, remedy);
}

/** The document speaks for another resource than the one asked for (RFC 9728 section 3.3). */
export function resourceMismatch(server: string, resource: string): Failure {
  const message = `The metadata of ${quotedServer(server)} is for another address, ${quoted(resource)} (RFC 9728 section 3.3, resource).`;
  const other = `If you meant ${quoted(resource)}, log in to that; else report it to the server’s operator.`;
  return rulesBroken('resource_mismatch', message, hiddenByProxy(server, resource) ?? other);
}

/** The authorization server's metadata lists its protected resources, and this one is not among them. */
export function resourceNotListed(issuer: string, resource: string): Failure {
  const message = `The authorization server ${quoted(issuer)} lists the resources it protects, and ${quoted(resource)} is not one of them.`;
  const remedy = 'Ask the operator of the authorization server to list it in protected_resources.';
  return rulesBroken('resource_mismatch', message, remedy);
}

/** `issuer` in the metadata is not the issuer asked for (RFC 8414 section 3.3). */
export class OtherIssuer extends Failure {
  readonly found: string;

  constructor(asked: string, found: string) {
    const message = `The metadata of issuer ${quoted(asked)} names another issuer, ${quoted(found)}; both must be identical (RFC 8414 section 3.3, issuer).`;
    const remedy = 'Report it to the operator of the authorization server. Nothing was sent.';
    super({ code: 'issuer_mismatch', exit: exitCode.serverBreaksRules, message, remedy });
    this.found = found;
  }
}

/** PKCE with S256 is not advertised (rule 5.3, step 4). */
export function pkceMissing(issuer: string, found: string): Failure {
  const message = `The authorization server ${quoted(issuer)} does not offer PKCE with S256 (code_challenge_methods_supported is ${found}), so no login is safe there.`;
  const remedy = 'Ask its operator to add "code_challenge_methods_supported": ["S256"] to the metadata.';
  return rulesBroken('pkce_missing', message, remedy);
}

/** The metadata of an authorization server, or of a company's provider, does not list what a login needs. */
export function capabilityMissing(issuer: string, what: string, remedy?: string): Failure {
  const message = `The authorization server ${quoted(issuer)} does not offer ${what}, which this login needs.`;
  return rulesBroken('capability_missing', message, remedy ?? 'Ask its operator to enable it.', remedy !== undefined);
}

/** The server named another authorization server than the one this login was made at. */
export function authorizationServerChanged(login: LoginAsked, before: string, named: readonly string[]): Failure {
  const now = named.map((issuer) => quoted(issuer)).join(', ');
  const message = `${quotedServer(login.server)} used to send logins to ${quoted(before)}, and now to ${now}. Nothing was sent there.`;
  const command = loginCommand(login, '--authorization-server', shellWord(named[0] ?? 'ISSUER'));
  const remedy = `If you trust the change, run: ${command}`;
  return failure(exitCode.loginNeeded, 'authorization_server_changed', message, remedy);
}

/** The person asked for an authorization server that the resource does not name. */
export function authorizationServerNotNamed(wanted: string, named: readonly string[]): Failure {
  const message = `The server does not name the authorization server ${quoted(wanted)}.`;
  const remedy = `Pass one that it names: ${named.map((issuer) => quoted(issuer)).join(', ')}.`;
  return failure(exitCode.usage, 'authorization_server_unknown', message, remedy);
}

/** The person named what cannot be one. */
export function authorizationServerUnusable(wanted: string, why: string): Failure {
  const message = `${quoted(wanted)} cannot be an authorization server: it ${why}.`;
  return failure(exitCode.usage, 'authorization_server_unknown', message, 'Pass its issuer, an https URL.');
}

/** The server answers without a login, and publishes nothing to log in with. */
export function loginNotOffered(server: string, status: number): Failure {
  const message = `${quotedServer(server)} needs no login: it responded ${status} without one, and names no authorization server.`;
  const remedy = `Call it directly: postern call ${shellWord(namedServer(server))}`;
  return failure(exitCode.usage, 'login_not_offered', message, remedy);
}

/** What gateways refuse who brings no key of theirs. */
function headerHint(login: LoginAsked): string {
  return `If it wants a header beside the login (a gateway’s key, a tenant), run: ${loginCommand(login, '--header-file FILE')}`;
}

/** Statuses that no MCP server sends: nothing here, no POST, or another host name. */
const nothingThere: readonly number[] = [404, 405, 410, 421];

/**
 * The server did not ask for a login.
 * @param near The nearest address that does, where there is one.
 */
export function probeFailed(login: LoginAsked, status: number, near?: string): Failure {
  const { server } = login;
  const other = `${quotedServer(server)} responded ${status} instead of asking for a login.`;
  if (status >= 500 || status === 429) {
    return failure(exitCode.network, 'server_failed', other, 'Try again later, or ask the server’s operator.');
  }
  if (status === 401 || status === 403) return rulesBroken('discovery_failed', other, headerHint(login), true);
  const path = /\/mcp\/?$/.test(server)
    ? ', or ask the server’s operator for it.'
    : ': most servers are at a path like /mcp.';
  const hint = status === 421 ? 'Check the host name in the address.' : `Check the address${path}`;
  if (near === undefined && !nothingThere.includes(status)) return rulesBroken('discovery_failed', other, hint);
  const misdirected = `The server at ${quotedServer(server)} does not serve this host name (421).`;
  const absent = nothingThere.includes(status) ? `No MCP server at ${quotedServer(server)} (${status}).` : other;
  const remedy =
    near === undefined ? hint : `Did you mean: ${loginCommand({ ...login, name: undefined, server: near })}`;
  return failure(exitCode.usage, 'wrong_address', status === 421 ? misdirected : absent, remedy);
}

/** Every step of discovery kept to its own limit, and together they took too long. */
export function discoveryTimedOut(server: string, limitMs: number): Failure {
  const message = `Finding out where to log in to ${quotedServer(server)} took longer than ${Math.round(limitMs / 1000)} s.`;
  const remedy = 'Check the network, VPN and firewall, then try again; the steps above show which request was slow.';
  return failure(exitCode.network, 'timed_out', message, remedy);
}

/** The endpoint said no (RFC 6749 section 5.2). `error` is its code, or ''. */
export interface RefusedRequest {
  readonly ok: false;
  readonly problem: 'refused';
  readonly status: number;
  readonly error: string;
  readonly said: string;
  /** Seconds that its clock is ahead of ours, where that may be why. */
  readonly skew: number | undefined;
}

/** The endpoint is out of order, for now; or something before it sent a web page. */
export interface OutOfOrder {
  readonly ok: false;
  readonly problem: 'transient';
  /** 0: nothing came. */
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly said: string;
  readonly isPage: boolean;
}

/** The token endpoint refused the grant (RFC 6749 section 5.2). `error` is one of its codes, or ''. */
export function grantRefused(issuer: string, refusal: Pick<RefusedRequest, 'status' | 'error' | 'said'>): Failure {
  const { error, said } = refusal;
  const message = `The authorization server ${quoted(issuer)} refused to issue a token ${refusalInWords(refusal)}.`;
  const code = refusesResource(error, said) ? 'invalid_target' : error;
  const known = Object.hasOwn(afterGrantError, code) ? afterGrantError[code] : undefined;
  return failure(exitCode.refused, known === undefined ? 'grant_refused' : code, message, known ?? runAgain);
}

export function refusalInWords({ status, error, said }: Pick<RefusedRequest, 'status' | 'error' | 'said'>): string {
  return `(${status}${error === '' ? '' : ` ${quoted(error, 80)}`})${said === '' ? '' : `; it said: ${quoted(said)}`}`;
}

/** Is it the resource that was refused? (RFC 8707 section 2; Entra's AADSTS9010010 and 901002 come with other codes, too.) */
export function refusesResource(error: string, said: string): boolean {
  if (error === 'invalid_target' || error === 'invalid_resource' || /AADSTS9010(?:010|02)\b/.test(said)) return true;
  return error === 'invalid_request' && /\bresource\b/i.test(said);
}

const runAgain = 'Log in again. Nothing was stored; an earlier login still works.';

const otherWay =
  'Ask the operator of the authorization server to allow this kind of login to this client. Nothing was stored; an earlier login still works.';

/** What to do about each error code that is passed on as a failure's own. */
const afterGrantError: Readonly<Record<string, string>> = {
  invalid_grant: runAgain,
  invalid_client:
    'The authorization server does not know this client. If you passed --client-id, check it and its secret; else log in again, which registers anew.',
  unauthorized_client: otherWay,
  unsupported_grant_type: otherWay,
  invalid_target: 'The authorization server issues no tokens for this server. Report it to the server’s operator.',
  invalid_scope:
    'The authorization server does not know a scope that was asked for. Check --scope, or leave it out. Nothing was stored; an earlier login still works.',
};

/** `invalid_client` for a client that logs in as itself: nothing of it was registered from here. */
export function ownClientRefused(failure: Failure): Failure {
  return failure.withRemedy(
    'Check --client-id, and that its secret, or the public half of its key with the method private_key_jwt, is registered there.',
  );
}

/** The token endpoint is out of order, for now (5xx, 429, a firewall's page). */
export function tokenEndpointFailed(issuer: string, outage: OutOfOrder): Failure {
  const message = `The token endpoint of ${quoted(issuer)} responded ${outageInWords(outage)}; the login is unchanged.`;
  return failure(exitCode.network, 'token_endpoint_failed', message, whenAgain(outage));
}

/** What an endpoint that is out of order responded. */
export function outageInWords(outage: OutOfOrder): string {
  const { status, said, isPage } = outage;
  const words = said === '' ? '' : ` (${quoted(said)})`;
  return `${status}${isPage ? ' with a web page' : ''}${words}`;
}

/** When to ask it again: as it says; a minute is the longest that is believed. */
export function whenAgain(outage: OutOfOrder): string {
  const { retryAfterMs, isPage } = outage;
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000));
  const wait = retryAfterMs === undefined ? 'a while' : seconds < 60 ? `${seconds} seconds` : 'a minute or more';
  return `Try again in ${wait}${isPage ? '; a firewall or proxy before it may have sent that page.' : '.'}`;
}

/** A token of a kind that is not Bearer. */
export function tokenTypeUnusable(issuer: string, found: string): Failure {
  const type =
    found === 'none' ? 'no token_type (RFC 6749 section 5.1)' : `token_type ${found}; only Bearer is supported`;
  const message = `The token response of ${quoted(issuer)} has ${type}. Nothing was stored.`;
  return rulesBroken('token_type_unusable', message, 'Report it to the operator of the authorization server.');
}

/** The address cannot be a client identifier. `why` is a whole sentence. */
export function metadataAddressRefused(why: string, remedy: string): Failure {
  return failure(exitCode.usage, 'client_metadata_url_refused', why, remedy);
}
