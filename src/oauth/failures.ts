import { exitCode, Failure } from '../core/failure.js';
import type { Step } from '../core/step.js';
import { quoted } from '../core/text/printable.js';

/** The token endpoint refused the grant (RFC 6749 section 5.2). `error` is one of its codes, or ''. */
export function grantRefused(
  issuer: string,
  answer: { readonly status: number; readonly error: string; readonly said: string },
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: grantErrors.includes(answer.error) ? answer.error : 'grant_refused',
    exit: exitCode.refused,
    message: `The authorization server ${quoted(issuer)} refused to issue a token (${answer.status}${answer.error === '' ? '' : ` ${quoted(answer.error, 80)}`})${answer.said === '' ? '' : `; it said: ${quoted(answer.said)}`}.`,
    remedy: afterGrantError(answer.error),
    trail,
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
  const { code, exit, message, trail } = failure;
  const remedy =
    'Check --client-id, and that its secret, or the public half of its key with the method private_key_jwt, is registered there.';
  return new Failure({ code, exit, message, remedy, trail, cause: failure });
}

/** The token endpoint is out of order, for now (5xx, 429). */
export function tokenEndpointFailed(
  issuer: string,
  status: number,
  retryAfterMs: number | undefined,
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'token_endpoint_failed',
    exit: exitCode.network,
    message: `The token endpoint of ${quoted(issuer)} answered ${status}; nothing was lost.`,
    remedy:
      retryAfterMs === undefined
        ? 'Try again in a while.'
        : `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} seconds.`,
    trail,
  });
}

/** A token of a kind that is not Bearer. */
export function tokenTypeUnusable(issuer: string, found: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'token_type_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The token endpoint of ${quoted(issuer)} gave a token of type ${found}, and only Bearer can be used. Nothing was stored.`,
    remedy: 'Report this to the authorization server’s operator.',
    trail,
  });
}

/** The address cannot be a client identifier. `why` is a whole sentence. */
export function metadataAddressRefused(why: string, remedy: string): Failure {
  return new Failure({ code: 'client_metadata_url_refused', exit: exitCode.usage, message: why, remedy });
}
