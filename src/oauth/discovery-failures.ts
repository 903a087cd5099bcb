import { exitCode, Failure } from '../core/failure.js';
import { type LoginMeant, loginCommand } from '../core/login-command.js';
import type { Step } from '../core/step.js';
import { quoted, shellWord } from '../core/text/printable.js';

/** The server's challenge cannot be read without guessing. */
export function challengeUnusable(server: string, why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'challenge_unusable',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} answered 401 with a WWW-Authenticate header that cannot be used: ${why}.`,
    remedy: 'Ask the server’s operator to send one Bearer challenge with each parameter once.',
    trail,
  });
}

/** No address gave a usable protected resource metadata document. */
export function noProtectedResourceMetadata(server: string, tried: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'discovery_failed',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(server)} publishes no protected resource metadata that says where to log in. Tried: ${tried}.`,
    remedy:
      'Check the server’s address, or ask its operator to publish protected resource metadata (RFC 9728).',
    trail,
  });
}

/** No address gave a usable authorization server metadata document. */
export function noAuthorizationServerMetadata(
  issuer: string,
  tried: string,
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'discovery_failed',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} publishes no usable metadata. Tried: ${tried}.`,
    remedy:
      'Ask its operator to publish authorization server metadata (RFC 8414) or OpenID Connect Discovery.',
    trail,
  });
}

/** A document came, and is not what the rules ask for. */
export function metadataUnusable(url: string, why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'metadata_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The metadata at ${quoted(url)} cannot be used: ${why}.`,
    remedy: 'Report this to the operator of that address; nothing was opened, sent or stored.',
    trail,
  });
}

/** The document speaks for another resource than the one asked for (RFC 9728 section 3.3). */
export function resourceMismatch(server: string, resource: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'resource_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The metadata of ${quoted(server)} speaks for another resource, ${quoted(resource)}; a login for it would not be for this server.`,
    remedy: `If ${quoted(resource)} is the server you meant, log in to that address; else report it to the operator.`,
    trail,
  });
}

/** The authorization server's metadata lists its protected resources, and this one is not among them. */
export function resourceNotListed(issuer: string, resource: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'resource_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} lists the resources it protects, and ${quoted(resource)} is not one of them.`,
    remedy: 'Ask the operator of the authorization server to list it in protected_resources.',
    trail,
  });
}

/** `issuer` in the metadata is not the issuer asked for (RFC 8414 section 3.3). */
export function issuerMismatch(asked: string, found: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'issuer_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The metadata for issuer ${quoted(asked)} names another issuer, ${quoted(found)}; they must be the same, character for character.`,
    remedy: 'Report this to the operator; nothing was registered, opened or sent.',
    trail,
  });
}

/** PKCE with S256 is not advertised (rule 5.3, step 4). */
export function pkceMissing(issuer: string, found: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'pkce_missing',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} does not advertise PKCE with S256 (code_challenge_methods_supported is ${found}), so the login is refused.`,
    remedy: 'Ask its operator to add "code_challenge_methods_supported": ["S256"] to the metadata.',
    trail,
  });
}

/** The metadata says that the authorization code flow is not offered. */
export function capabilityMissing(issuer: string, what: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'capability_missing',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} does not offer ${what}, which this login needs.`,
    remedy: 'Ask its operator to offer that.',
    trail,
  });
}

/** The server named another authorization server than the one this login was made at. */
export function authorizationServerChanged(
  held: LoginMeant & { readonly issuer: string },
  named: readonly string[],
  trail: readonly Step[],
): Failure {
  const now = named.map((issuer) => quoted(issuer)).join(', ');
  return new Failure({
    code: 'authorization_server_changed',
    exit: exitCode.loginNeeded,
    message: `${quoted(held.server)} used the authorization server ${quoted(held.issuer)} and now names ${now}. Nothing was sent there.`,
    remedy: `If you trust the change, run: ${loginCommand(held, '--authorization-server', shellWord(named[0] ?? 'ISSUER'))}`,
    trail,
  });
}

/** The person asked for an authorization server that the resource does not name. */
export function authorizationServerNotNamed(
  wanted: string,
  named: readonly string[],
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'authorization_server_unknown',
    exit: exitCode.usage,
    message: `The server does not name the authorization server ${quoted(wanted)}.`,
    remedy: `Pass one that it names: ${named.map((issuer) => quoted(issuer)).join(', ')}.`,
    trail,
  });
}

/** The server answers without a login, and publishes nothing to log in with. */
export function loginNotOffered(server: string, status: number, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'login_not_offered',
    exit: exitCode.usage,
    message: `${quoted(server)} answered ${status} without asking for a login, and publishes no authorization metadata.`,
    remedy: 'It seems to need no login: call it directly.',
    trail,
  });
}

/** The server failed before it could ask for a login. */
export function serverAnswered(server: string, status: number, trail: readonly Step[]): Failure {
  const transient = status >= 500 || status === 429;
  return new Failure({
    code: transient ? 'server_failed' : 'discovery_failed',
    exit: transient ? exitCode.network : exitCode.serverBreaksRules,
    message: `${quoted(server)} answered ${status} instead of asking for a login.`,
    remedy: transient
      ? 'Try again later, or ask the server’s operator.'
      : 'Check the address, its path above all: most servers live at a path like /mcp.',
    trail,
  });
}

/** Every step of discovery kept to its own limit, and together they took too long. */
export function discoveryTimedOut(server: string, limitMs: number, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'timed_out',
    exit: exitCode.network,
    message: `Finding out where to log in to ${quoted(server)} took longer than ${Math.round(limitMs / 1000)} s.`,
    remedy: 'Check the network, VPN and firewall, then try again; the steps show who kept us waiting.',
    trail,
  });
}
