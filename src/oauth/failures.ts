import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The server's challenge cannot be read without guessing. */
export function challengeUnusable(server: string, why: string): Failure {
  return new Failure({
    code: 'challenge_unusable',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} answered 401 with a WWW-Authenticate header that cannot be used: ${why}.`,
    remedy: 'Ask the server’s operator to send one Bearer challenge with each parameter once.',
  });
}

/** No address gave a usable protected resource metadata document. */
export function noProtectedResourceMetadata(server: string, tried: string): Failure {
  return new Failure({
    code: 'discovery_failed',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} publishes no protected resource metadata that says where to log in. Tried: ${tried}.`,
    remedy: 'Check the server’s address, or ask its operator to publish protected resource metadata (RFC 9728).',
  });
}

/** No address gave a usable authorization server metadata document. */
export function noAuthorizationServerMetadata(issuer: string, tried: string): Failure {
  return new Failure({
    code: 'discovery_failed',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} publishes no usable metadata. Tried: ${tried}.`,
    remedy: 'Ask its operator to publish authorization server metadata (RFC 8414) or OpenID Connect Discovery.',
  });
}

/** A document came, and is not what the rules ask for. */
export function metadataUnusable(url: string, why: string): Failure {
  return new Failure({
    code: 'metadata_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The metadata at ${quoted(url)} cannot be used: ${why}.`,
    remedy: 'Report this to the operator of that address; nothing was opened, sent or stored.',
  });
}

/** The document speaks for another resource than the one asked for (RFC 9728 section 3.3). */
export function resourceMismatch(server: string, resource: string): Failure {
  return new Failure({
    code: 'resource_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The metadata of ${quoted(server)} speaks for another resource, ${quoted(resource)}; a login for it would not be for this server.`,
    remedy: `If ${quoted(resource)} is the server you meant, log in to that address; else report it to the operator.`,
  });
}

/** The authorization server's metadata lists its protected resources, and this one is not among them. */
export function resourceNotListed(issuer: string, resource: string): Failure {
  return new Failure({
    code: 'resource_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} lists the resources it protects, and ${quoted(resource)} is not one of them.`,
    remedy: 'Ask the operator of the authorization server to list it in protected_resources.',
  });
}

/** `issuer` in the metadata is not the issuer asked for (RFC 8414 section 3.3). */
export function issuerMismatch(asked: string, found: string): Failure {
  return new Failure({
    code: 'issuer_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The metadata for issuer ${quoted(asked)} names another issuer, ${quoted(found)}; they must be the same, character for character.`,
    remedy: 'Report this to the operator; nothing was registered, opened or sent.',
  });
}

/** PKCE with S256 is not advertised (rule 5.3, step 4). */
export function pkceMissing(issuer: string, found: string): Failure {
  return new Failure({
    code: 'pkce_missing',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} does not advertise PKCE with S256 (code_challenge_methods_supported is ${found}), so the login is refused.`,
    remedy: 'Ask its operator to add "code_challenge_methods_supported": ["S256"] to the metadata.',
  });
}

/** The metadata says that the authorization code flow is not offered. */
export function capabilityMissing(issuer: string, what: string): Failure {
  return new Failure({
    code: 'capability_missing',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} does not offer ${what}, which this login needs.`,
    remedy: 'Ask its operator to offer that.',
  });
}

/** The server named another authorization server than the one this login was made at. */
export function authorizationServerChanged(
  held: LoginMeant & { readonly issuer: string },
  named: readonly string[],
): Failure {
  const now = named.map((issuer) => quoted(issuer)).join(', ');
  return new Failure({
    code: 'authorization_server_changed',
    exit: exitCode.loginNeeded,
    message: `${quoted(held.server)} used the authorization server ${quoted(held.issuer)} and now names ${now}. Nothing was sent there.`,
    remedy: `If you trust the change, run: ${loginCommand(held, '--authorization-server', shellWord(named[0] ?? 'ISSUER'))}`,
  });
}

/** The person asked for an authorization server that the resource does not name. */
export function authorizationServerNotNamed(wanted: string, named: readonly string[]): Failure {
  return new Failure({
    code: 'authorization_server_unknown',
    exit: exitCode.usage,
    message: `The server does not name the authorization server ${quoted(wanted)}.`,
    remedy: `Pass one that it names: ${named.map((issuer) => quoted(issuer)).join(', ')}.`,
  });
}

/** The server answers without a login, and publishes nothing to log in with. */
export function loginNotOffered(server: string, status: number): Failure {
  return new Failure({
    code: 'login_not_offered',
    exit: exitCode.usage,
    message: `${quoted(server)} answered ${status} without asking for a login, and publishes no authorization metadata.`,
    remedy: 'It seems to need no login: call it directly.',
  });
}

/** The server failed before it could ask for a login. */
export function serverAnswered(server: string, status: number): Failure {
  const transient = status >= 500 || status === 429;
  return new Failure({
    code: transient ? 'server_failed' : 'discovery_failed',
    exit: transient ? exitCode.network : exitCode.serverBreaksRules,
    message: `${quoted(server)} answered ${status} instead of asking for a login.`,
    remedy: transient
      ? 'Try again later, or ask the server’s operator.'
      : 'Check the address, its path above all: most servers live at a path like /mcp.',
  });
}

/** Every step of discovery kept to its own limit, and together they took too long. */
export function discoveryTimedOut(server: string, limitMs: number): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `Finding out where to log in to ${quoted(server)} took longer than ${Math.round(limitMs / 1000)} s.`,
    remedy: 'Check the network, VPN and firewall, then try again; the steps show who kept us waiting.',
  });
}

/** The token endpoint refused the grant (RFC 6749 section 5.2). `error` is one of its codes, or ''. */
export function grantRefused(
  issuer: string,
  answer: { readonly status: number; readonly error: string; readonly said: string },
): Failure {
  return new Failure({
    code: grantErrors.includes(answer.error) ? answer.error : 'grant_refused',
    exit: exitCode.refused,
    message: `The authorization server ${quoted(issuer)} refused to issue a token (${answer.status}${answer.error === '' ? '' : ` ${quoted(answer.error, 80)}`})${answer.said === '' ? '' : `; it said: ${quoted(answer.said)}`}.`,
    remedy: afterGrantError(answer.error),
  });
}

const grantErrors: readonly string[] = [
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_target',
  'invalid_scope',
];

function afterGrantError(error: string): string {
  switch (error) {
    case 'invalid_client':
      return 'The client is not known there. If you gave it, check --client-id and its secret; else run the login again, which registers this program anew.';
    case 'unauthorized_client':
    case 'unsupported_grant_type':
      return 'The authorization server does not let this client log in this way: ask its operator to allow it. Nothing was stored, and an earlier login is as it was.';
    case 'invalid_target':
      return 'The authorization server issues no tokens for this server: report it to the server’s operator.';
    case 'invalid_scope':
      return 'Run the login again and name the scopes with --scope; nothing was stored, and an earlier login is as it was.';
    default:
      return 'Run the login again; nothing was stored, and an earlier login is as it was.';
  }
}

/** `invalid_client` for a client that logs in as itself: nothing of it was registered from here. */
export function ownClientRefused(failure: Failure): Failure {
  return failure.withRemedy(
    'Check --client-id, and that its secret, or the public half of its key with the method private_key_jwt, is registered there.',
  );
}

/** The token endpoint is out of order, for now (5xx, 429). */
export function tokenEndpointFailed(issuer: string, status: number, retryAfterMs: number | undefined): Failure {
  return new Failure({
    code: 'token_endpoint_failed',
    exit: exitCode.network,
    message: `The token endpoint of ${quoted(issuer)} answered ${status}; nothing was lost.`,
    remedy:
      retryAfterMs === undefined
        ? 'Try again in a while.'
        : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds.`,
  });
}

/** A token of a kind that is not Bearer. */
export function tokenTypeUnusable(issuer: string, found: string): Failure {
  return new Failure({
    code: 'token_type_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token endpoint of ${quoted(issuer)} gave a token of type ${found}, and only Bearer can be used. Nothing was stored.`,
    remedy: 'Report this to the authorization server’s operator.',
  });
}

/** The address cannot be a client identifier. `why` is a whole sentence. */
export function metadataAddressRefused(why: string, remedy: string): Failure {
  return new Failure({ code: 'client_metadata_url_refused', exit: exitCode.usage, message: why, remedy });
}
