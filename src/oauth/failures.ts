import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import { quoted, shellWord } from '../core/text/printable.js';

type FailureText = readonly [code: string, message: string, remedy: string];

function failure(exit: ExitCode, ...[code, message, remedy]: FailureText): Failure {
  return new Failure({ code, exit, message, remedy });
}

/** A server, or an authorization server, does not keep to the rules. */
function rulesBroken(...text: FailureText): Failure {
  return failure(exitCode.serverBreaksRules, ...text);
}

/** The server's challenge cannot be read without guessing. */
export function challengeUnusable(server: string, why: string): Failure {
  const message = `${quoted(server)} answered 401 with a WWW-Authenticate header that cannot be used: ${why}.`;
  const remedy = 'Ask the server’s operator to send one Bearer challenge with each parameter once.';
  return rulesBroken('challenge_unusable', message, remedy);
}

/** No address gave a usable protected resource metadata document. */
export function noProtectedResourceMetadata(server: string, tried: string): Failure {
  const message = `${quoted(server)} publishes no protected resource metadata that says where to log in. Tried: ${tried}.`;
  const remedy = 'Check the server’s address, or ask its operator to publish protected resource metadata (RFC 9728).';
  return rulesBroken('discovery_failed', message, remedy);
}

/** No address gave a usable authorization server metadata document. */
export function noAuthorizationServerMetadata(issuer: string, tried: string): Failure {
  const message = `The authorization server ${quoted(issuer)} publishes no usable metadata. Tried: ${tried}.`;
  const remedy = 'Ask its operator to publish authorization server metadata (RFC 8414) or OpenID Connect Discovery.';
  return rulesBroken('discovery_failed', message, remedy);
}

/** A document came, and is not what the rules ask for. */
export function metadataUnusable(url: string, why: string): Failure {
  const remedy = 'Report this to the operator of that address; nothing was opened, sent or stored.';
  return rulesBroken('metadata_unusable', `The metadata at ${quoted(url)} cannot be used: ${why}.`, remedy);
}

/** The document speaks for another resource than the one asked for (RFC 9728 section 3.3). */
export function resourceMismatch(server: string, resource: string): Failure {
  const message = `The metadata of ${quoted(server)} speaks for another resource, ${quoted(resource)}; a login for it would not be for this server.`;
  const remedy = `If ${quoted(resource)} is the server you meant, log in to that address; else report it to the operator.`;
  return rulesBroken('resource_mismatch', message, remedy);
}

/** The authorization server's metadata lists its protected resources, and this one is not among them. */
export function resourceNotListed(issuer: string, resource: string): Failure {
  const message = `The authorization server ${quoted(issuer)} lists the resources it protects, and ${quoted(resource)} is not one of them.`;
  const remedy = 'Ask the operator of the authorization server to list it in protected_resources.';
  return rulesBroken('resource_mismatch', message, remedy);
}

/** `issuer` in the metadata is not the issuer asked for (RFC 8414 section 3.3). */
export function issuerMismatch(asked: string, found: string): Failure {
  const message = `The metadata for issuer ${quoted(asked)} names another issuer, ${quoted(found)}; they must be the same, character for character.`;
  const remedy = 'Report this to the operator; nothing was registered, opened or sent.';
  return rulesBroken('issuer_mismatch', message, remedy);
}

/** PKCE with S256 is not advertised (rule 5.3, step 4). */
export function pkceMissing(issuer: string, found: string): Failure {
  const message = `The authorization server ${quoted(issuer)} does not advertise PKCE with S256 (code_challenge_methods_supported is ${found}), so the login is refused.`;
  const remedy = 'Ask its operator to add "code_challenge_methods_supported": ["S256"] to the metadata.';
  return rulesBroken('pkce_missing', message, remedy);
}

/** The metadata says that the authorization code flow is not offered. */
export function capabilityMissing(issuer: string, what: string): Failure {
  const message = `The authorization server ${quoted(issuer)} does not offer ${what}, which this login needs.`;
  return rulesBroken('capability_missing', message, 'Ask its operator to offer that.');
}

/** The server named another authorization server than the one this login was made at. */
export function authorizationServerChanged(
  held: LoginMeant & { readonly issuer: string },
  named: readonly string[],
): Failure {
  const now = named.map((issuer) => quoted(issuer)).join(', ');
  const message = `${quoted(held.server)} used the authorization server ${quoted(held.issuer)} and now names ${now}. Nothing was sent there.`;
  const login = loginCommand(held, '--authorization-server', shellWord(named[0] ?? 'ISSUER'));
  const remedy = `If you trust the change, run: ${login}`;
  return failure(exitCode.loginNeeded, 'authorization_server_changed', message, remedy);
}

/** The person asked for an authorization server that the resource does not name. */
export function authorizationServerNotNamed(wanted: string, named: readonly string[]): Failure {
  const message = `The server does not name the authorization server ${quoted(wanted)}.`;
  const remedy = `Pass one that it names: ${named.map((issuer) => quoted(issuer)).join(', ')}.`;
  return failure(exitCode.usage, 'authorization_server_unknown', message, remedy);
}

/** The server answers without a login, and publishes nothing to log in with. */
export function loginNotOffered(server: string, status: number): Failure {
  const message = `${quoted(server)} answered ${status} without asking for a login, and publishes no authorization metadata.`;
  return failure(exitCode.usage, 'login_not_offered', message, 'It seems to need no login: call it directly.');
}

/** The server failed before it could ask for a login. */
export function probeFailed(server: string, status: number): Failure {
  const message = `${quoted(server)} answered ${status} instead of asking for a login.`;
  if (status >= 500 || status === 429) {
    return failure(exitCode.network, 'server_failed', message, 'Try again later, or ask the server’s operator.');
  }
  const remedy = 'Check the address, its path above all: most servers live at a path like /mcp.';
  return rulesBroken('discovery_failed', message, remedy);
}

/** Every step of discovery kept to its own limit, and together they took too long. */
export function discoveryTimedOut(server: string, limitMs: number): Failure {
  const message = `Finding out where to log in to ${quoted(server)} took longer than ${Math.round(limitMs / 1000)} s.`;
  const remedy = 'Check the network, VPN and firewall, then try again; the steps show who kept us waiting.';
  return failure(exitCode.network, 'timed_out', message, remedy);
}

/** The token endpoint refused the grant (RFC 6749 section 5.2). `error` is one of its codes, or ''. */
export function grantRefused(
  issuer: string,
  response: { readonly status: number; readonly error: string; readonly said: string },
): Failure {
  const { status, error, said } = response;
  const shown = error === '' ? '' : ` ${quoted(error, 80)}`;
  const quote = said === '' ? '' : `; it said: ${quoted(said)}`;
  const message = `The authorization server ${quoted(issuer)} refused to issue a token (${status}${shown})${quote}.`;
  const known = Object.hasOwn(afterGrantError, error) ? afterGrantError[error] : undefined;
  return failure(exitCode.refused, known === undefined ? 'grant_refused' : error, message, known ?? runAgain);
}

const runAgain = 'Run the login again; nothing was stored, and an earlier login is as it was.';

const otherWay =
  'The authorization server does not let this client log in this way: ask its operator to allow it. Nothing was stored, and an earlier login is as it was.';

/** What to do about each error code that is passed on as a failure's own. */
const afterGrantError: Readonly<Record<string, string>> = {
  invalid_grant: runAgain,
  invalid_client:
    'The client is not known there. If you gave it, check --client-id and its secret; else run the login again, which registers this program anew.',
  unauthorized_client: otherWay,
  unsupported_grant_type: otherWay,
  invalid_target: 'The authorization server issues no tokens for this server: report it to the server’s operator.',
  invalid_scope:
    'Run the login again and name the scopes with --scope; nothing was stored, and an earlier login is as it was.',
};

/** `invalid_client` for a client that logs in as itself: nothing of it was registered from here. */
export function ownClientRefused(failure: Failure): Failure {
  return failure.withRemedy(
    'Check --client-id, and that its secret, or the public half of its key with the method private_key_jwt, is registered there.',
  );
}

/** The token endpoint is out of order, for now (5xx, 429). */
export function tokenEndpointFailed(issuer: string, status: number, retryAfterMs: number | undefined): Failure {
  const message = `The token endpoint of ${quoted(issuer)} answered ${status}; nothing was lost.`;
  const wait = retryAfterMs === undefined ? 'a while' : `${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds`;
  return failure(exitCode.network, 'token_endpoint_failed', message, `Try again in ${wait}.`);
}

/** A token of a kind that is not Bearer. */
export function tokenTypeUnusable(issuer: string, found: string): Failure {
  const message = `The token endpoint of ${quoted(issuer)} gave a token of type ${found}, and only Bearer can be used. Nothing was stored.`;
  return rulesBroken('token_type_unusable', message, 'Report this to the authorization server’s operator.');
}

/** The address cannot be a client identifier. `why` is a whole sentence. */
export function metadataAddressRefused(why: string, remedy: string): Failure {
  return failure(exitCode.usage, 'client_metadata_url_refused', why, remedy);
}
