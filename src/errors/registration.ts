import { type LoginMeant, loginCommand } from '../primitives/login-command.js';
import { quoted } from '../primitives/printable.js';
import { shellWord } from '../primitives/quoting.js';
import type { Step } from '../primitives/step.js';
import { exitCode, Failure } from './failure.js';

/** The registration endpoint said no (RFC 7591 section 3.2.2). */
export function registrationRefused(
  issuer: string,
  status: number,
  said: string,
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'registration_refused',
    exit: exitCode.refused,
    message: `The authorization server ${quoted(issuer)} refused to register this client (${status})${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: 'Register a client there yourself and pass its identifier with --client-id.',
    trail,
  });
}

/** The registration endpoint answered, and the answer cannot be used. */
export function registrationUnusable(issuer: string, why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'registration_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server ${quoted(issuer)} gave a client registration that cannot be used: ${why}.`,
    remedy: 'Report this to its operator, or register a client there yourself and pass --client-id.',
    trail,
  });
}

/** No way to a client identifier is left for a person's login. */
export function clientIdentifierNeeded(
  login: LoginMeant,
  issuer: string,
  redirectUri: string,
  trail: readonly Step[],
): Failure {
  const options = ['--client-id', 'ID', '--redirect-port', new URL(redirectUri).port];
  return new Failure({
    code: 'client_identifier_needed',
    exit: exitCode.usage,
    message: `The authorization server ${quoted(issuer)} registers no clients by itself, and no client identifier is configured for it.`,
    remedy: `Register a native client there with the redirect URI ${redirectUri}, then run, with --client-secret-stdin if it has a secret: ${loginCommand({ ...login, grant: undefined }, ...options)}`,
    trail,
  });
}

/** A variable gave a client's secret, and nothing says that it is for the authorization server that a server names. */
export function clientSecretUnbound(server: string, issuer: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'client_secret_unbound',
    exit: exitCode.usage,
    message: `POSTERN_CLIENT_SECRET_FILE does not say for which authorization server its secret is, and ${quoted(server)} names ${quoted(issuer)}; the secret was not sent.`,
    remedy: `If it is for that one, set POSTERN_AUTHORIZATION_SERVER=${shellWord(issuer)}`,
    trail,
  });
}

/** The way that `--registration` forces is not open here. */
export function registrationWayClosed(way: string, why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'registration_way_closed',
    exit: exitCode.usage,
    message: `--registration ${way} is not possible here: ${why}.`,
    remedy: 'Leave --registration out, so that the first way that is open is taken.',
    trail,
  });
}

/** A secret is configured for one issuer and another one was about to be used. */
export function clientBoundElsewhere(clientId: string, issuer: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'issuer_mismatch',
    exit: exitCode.serverBreaksRules,
    message: `The client ${quoted(clientId)} is configured for another authorization server than ${quoted(issuer)}, which this server names; nothing was sent there.`,
    remedy: 'Check the issuer that stands with this client in the configuration.',
    trail,
  });
}

/** The secret of a client that a person gave before cannot be had any more. */
export function clientSecretLost(
  clientId: string,
  store: string,
  why: Failure | undefined,
  trail: readonly Step[],
): Failure {
  const told = why === undefined ? 'it is not there any more' : why.message;
  return new Failure({
    code: 'client_secret_lost',
    exit: exitCode.store,
    message: `The secret of the client ${quoted(clientId)}, kept in the store ${quoted(store, 80)}, cannot be read: ${told}`,
    remedy: `Give it again with --client-secret-stdin or --client-secret-file${why === undefined ? '' : ', or make that store work'}.`,
    cause: why,
    trail,
  });
}

/** A registration that never holds, or a server that wants one again and again. */
export function registeredTooOften(
  issuer: string,
  most: number,
  why: { readonly forced: boolean; readonly trail: readonly Step[] },
): Failure {
  const own = 'register a client there yourself and pass its identifier with --client-id';
  return new Failure({
    code: 'registered_too_often',
    exit: exitCode.refused,
    message: `This client was registered at ${quoted(issuer)} ${most} times within the last hour, which is as often as is allowed.`,
    remedy: why.forced
      ? `Leave --registration dynamic out, so that the registration that is kept is used; or wait an hour, or ${own}.`
      : `Wait an hour, or ${own}.`,
    trail: why.trail,
  });
}
