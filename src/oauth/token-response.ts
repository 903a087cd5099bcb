import { parseScope, scopesMissing } from '../core/scope.js';
import { quotesSecret, Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { lifetimeSeconds, retryAfterMs } from '../core/time.js';
import type { TokenAnswer } from './token-request.js';

/** What a token response gives (RFC 6749 section 5.1). */
export interface IssuedToken {
  readonly accessToken: Secret;
  readonly refreshToken: Secret | undefined;
  /** Where one was offered. Looked at once, for whose login it is, and neither kept nor sent anywhere. */
  readonly idToken: Secret | undefined;
  /** Milliseconds since 1970, from the moment of receipt; null when the server did not say. */
  readonly expiresAt: number | null;
  readonly obtainedAt: number;
  readonly scopes: readonly string[];
  readonly warnings: readonly string[];
}

/** The endpoint said no (RFC 6749 section 5.2). `error` is its code, or ''. */
export interface RefusedTokenRequest {
  readonly ok: false;
  readonly problem: 'refused';
  readonly status: number;
  readonly error: string;
  readonly said: string;
}

/** The endpoint is out of order, for now. */
export interface TransientTokenFailure {
  readonly ok: false;
  readonly problem: 'transient';
  readonly status: number;
  readonly retryAfterMs: number | undefined;
}

export type TokenJudgement =
  | { readonly ok: true; readonly token: IssuedToken }
  | RefusedTokenRequest
  | TransientTokenFailure
  | { readonly ok: false; readonly problem: 'type'; readonly found: string }
  | { readonly ok: false; readonly problem: 'unusable'; readonly why: string };

export interface AnswerContext {
  readonly now: number;
  readonly requested: readonly string[];
  readonly sent: readonly (Secret | undefined)[];
}

/** Longest access or refresh token, in characters. */
const longestToken = 16 * 1024;

const longestRetryMs = 60_000;

/**
 * Judges what a token endpoint answered. `now` is the time of receipt in milliseconds, `requested` the scopes
 * asked for, which hold when the answer does not name any (RFC 6749 section 5.1). `sent` are the secrets that the request
 * had in it: a name of scope that says one of them back, or a token of the answer, is left out.
 */
export function judgeTokenAnswer(answer: TokenAnswer, context: AnswerContext): TokenJudgement {
  const { status } = answer;
  if (status >= 500 || status === 429 || status === 408) {
    const retry = retryAfterMs(answer.retryAfter, context.now, longestRetryMs);
    return { ok: false, problem: 'transient', status, retryAfterMs: retry };
  }
  const parsed = parseJson(answer.bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const error = object?.['error'];
  if (status !== 200 || typeof error === 'string') {
    return {
      ok: false,
      problem: 'refused',
      status,
      error: typeof error === 'string' ? error : '',
      said: text(object?.['error_description']),
    };
  }
  if (object === undefined) {
    const why = parsed.ok
      ? 'it is not a JSON object'
      : `it is not the JSON expected (${parsed.problem.replaceAll('_', ' ')})`;
    return { ok: false, problem: 'unusable', why };
  }
  return judgeIssued(object, context);
}

function judgeIssued(object: JsonObject, context: AnswerContext): TokenJudgement {
  const type = object['token_type'];
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    return {
      ok: false,
      problem: 'type',
      found: typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'none',
    };
  }
  const accessProblem = tokenProblem(object['access_token']);
  if (accessProblem !== undefined) {
    return { ok: false, problem: 'unusable', why: `its access token ${accessProblem}` };
  }
  const refresh = object['refresh_token'] ?? undefined;
  const refreshProblem = refresh === undefined ? undefined : tokenProblem(refresh);
  if (refreshProblem !== undefined) {
    return { ok: false, problem: 'unusable', why: `its refresh token ${refreshProblem}` };
  }
  const accessToken = new Secret(object['access_token'] as string);
  const refreshToken = refresh === undefined ? undefined : new Secret(refresh as string);
  const idToken =
    tokenProblem(object['id_token']) === undefined ? new Secret(object['id_token'] as string) : undefined;
  const secrets = [accessToken, refreshToken, idToken, ...context.sent];
  const granted = judgeScope(object['scope'], context.requested, secrets);
  if (!granted.ok) {
    return { ok: false, problem: 'unusable', why: `its scope ${granted.why}` };
  }
  const lifetime = lifetimeSeconds(object['expires_in']);
  return {
    ok: true,
    token: {
      accessToken,
      refreshToken,
      idToken,
      expiresAt: lifetime.kind === 'known' ? context.now + lifetime.seconds * 1000 : null,
      obtainedAt: context.now,
      scopes: granted.scopes,
      warnings: [
        ...granted.warnings,
        ...(lifetime.kind === 'unknown' && lifetime.warning ? [lifetime.warning] : []),
      ],
    },
  };
}

/** What is wrong with a token, never quoting it. */
function tokenProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) {
    return 'is missing';
  }
  if (typeof value !== 'string') {
    return 'is not a string';
  }
  if (value === '') {
    return 'is empty';
  }
  if (value.length > longestToken) {
    return `is longer than ${longestToken} characters`;
  }
  return isTokenText(value) ? undefined : 'contains a forbidden character';
}

type Granted =
  | { readonly ok: true; readonly scopes: readonly string[]; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly why: string };

function judgeScope(
  value: JsonValue | undefined,
  requested: readonly string[],
  secrets: readonly (Secret | undefined)[],
): Granted {
  if (value === undefined || value === null) {
    return { ok: true, scopes: requested, warnings: [] };
  }
  if (typeof value !== 'string') {
    return { ok: false, why: 'is not a string' };
  }
  const parsed = parseScope(value);
  if (!parsed.ok) {
    return { ok: false, why: 'is malformed' };
  }
  // Names of scope stand in the list of logins, in addresses and on the screen.
  const scopes = parsed.scopes.filter((scope) => !quotesSecret(scope, secrets));
  const narrowed = scopesMissing(scopes, requested).filter((scope) => scope !== 'offline_access');
  const widened = requested.length === 0 ? [] : scopesMissing(requested, scopes);
  const isEcho = scopes.length < parsed.scopes.length;
  return {
    ok: true,
    scopes,
    warnings: [
      ...(isEcho ? ['the authorization server put a secret into the names of scope: left out'] : []),
      ...(narrowed.length === 0 ? [] : [`granted less than asked for: without ${narrowed.join(' ')}`]),
      ...(widened.length === 0 ? [] : [`granted more than asked for: ${widened.join(' ')}`]),
    ],
  };
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
