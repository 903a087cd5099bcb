import { quoted } from '../primitives/printable.js';
import type { Step } from '../primitives/step.js';
import { exitCode, Failure } from './failure.js';

/**
 * The person or the authorization server said no (`error` with our state, RFC 6749 section 4.1.2.1). Which of them,
 * `access_denied` does not tell; `consent_required` (OpenID Connect Core 1.0, section 3.1.2.6) is a consent not given.
 */
export function authorizationDenied(
  issuer: string,
  error: string,
  said: string,
  trail: readonly Step[],
): Failure {
  const shown = error === 'access_denied' ? '' : ` (${quoted(error, 80)})`;
  return new Failure({
    code: denials[error] ?? 'authorization_refused',
    exit: exitCode.refused,
    message: `${isDenial(error) ? 'The login was denied' : 'The login was refused'}${shown} at ${quoted(issuer)}${said === '' ? '' : `; it said: ${quoted(said)}`}.`,
    remedy: afterRefusal(error),
    trail,
  });
}

const denials: Readonly<Record<string, string>> = {
  access_denied: 'denied',
  consent_required: 'denied',
  unauthorized_client: 'unauthorized_client',
  invalid_client: 'invalid_client',
};

const isDenial = (error: string): boolean => denials[error] === 'denied';

function afterRefusal(error: string): string {
  switch (error) {
    case 'access_denied':
      return 'If you said no there, run the login again and allow it; if you did not, your account may not use this: ask the authorization server’s operator. A login made before is still there.';
    case 'consent_required':
      return 'It wants a consent that was not given: run the login again and allow what it asks for. A login made before is still there.';
    case 'unauthorized_client':
    case 'invalid_client':
      return 'This client may not log anybody in there. If you gave it, check --client-id; else run the login again, which registers this program anew.';
    case 'invalid_scope':
      return 'Run the login again and name the scopes with --scope.';
    case 'login_required':
    case 'interaction_required':
    case 'account_selection_required':
      return 'Run the login again and log in on its page.';
    case 'temporarily_unavailable':
    case 'server_error':
      return 'It is in trouble: run the login again in a while.';
    default:
      return 'Run the login again with --verbose to see what was asked.';
  }
}

/** An answer with our state that says contradictory or malformed things. */
export function answerUnusable(why: string, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'callback_unusable',
    exit: exitCode.serverBreaksRules,
    message: `The authorization server’s answer cannot be used: ${why}. Nothing was redeemed.`,
    remedy: 'Run the login again; if it happens again, report it to the authorization server’s operator.',
    trail,
  });
}

/** `iss` is missing where it was announced, or names another issuer (RFC 9207 section 2.4). */
export function answerFromAnotherIssuer(
  asked: string,
  found: string | undefined,
  trail: readonly Step[],
): Failure {
  return new Failure({
    code: 'issuer_mismatch',
    exit: exitCode.serverBreaksRules,
    message:
      found === undefined
        ? `The answer lacks the iss parameter that ${quoted(asked)} announces, so it may come from somebody else. Nothing was redeemed.`
        : `The answer comes from the issuer ${quoted(found)}, and the login was begun at ${quoted(asked)}. Nothing was redeemed.`,
    remedy: 'Do not log in to this server until its operator explains this; it can be a mix-up attack.',
    trail,
  });
}

/** The authorization server did not take a pushed request (RFC 9126 section 2.3), or said nothing usable. */
export function requestNotTaken(
  issuer: string,
  judged:
    | { readonly problem: 'refused'; readonly status: number; readonly error: string; readonly said: string }
    | { readonly problem: 'transient'; readonly status: number }
    | { readonly problem: 'unusable'; readonly why: string },
  trail: readonly Step[],
): Failure {
  switch (judged.problem) {
    case 'refused':
      return authorizationDenied(issuer, judged.error, judged.said, trail);
    case 'transient':
      return new Failure({
        code: 'authorization_endpoint_failed',
        exit: exitCode.network,
        message: `The authorization server ${quoted(issuer)} answered ${judged.status} to the authorization request.`,
        remedy: 'Try again in a while.',
        trail,
      });
    case 'unusable':
      return new Failure({
        code: 'callback_unusable',
        exit: exitCode.serverBreaksRules,
        message: `The authorization server ${quoted(issuer)} gave an answer to the pushed authorization request that cannot be used: ${judged.why}.`,
        remedy: 'Report this to the authorization server’s operator.',
        trail,
      });
  }
}

/** The authorization request would be absurdly long. */
export function requestTooLong(length: number, trail: readonly Step[]): Failure {
  return new Failure({
    code: 'request_too_long',
    exit: exitCode.serverBreaksRules,
    message: `The authorization request would be ${length} characters long (at most 8192), because of what the server asks for.`,
    remedy: 'Ask for less with --scope.',
    trail,
  });
}
