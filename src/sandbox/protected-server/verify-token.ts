import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { parseScope } from '../../core/scope.js';
import type { ProtectedServerSettings } from './options.js';

/** Who calls, as a verified token tells it. The token itself is not kept. */
export interface Caller {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  /** Thumbprint of the key that the token is bound to (RFC 9449 section 6.1). */
  readonly boundTo?: string | undefined;
}

export type Verified =
  | { readonly ok: true; readonly caller: Caller }
  /** In constant words. */
  | { readonly ok: false; readonly problem: string };

export type TokenVerifier = (token: string) => Promise<Verified>;

const longestToken = 8192;

const refused = (problem: string): Verified => ({ ok: false, problem });

/**
 * Validates JWT access tokens as RFC 9068 section 4 says: algorithm from a short list, key from the issuer alone,
 * type, issuer, times, and this server as the only audience.
 */
export function tokenVerifier(settings: ProtectedServerSettings): TokenVerifier {
  const keys = createLocalJWKSet({ keys: settings.keys.map((key) => ({ ...key })) } as JSONWebKeySet);
  return async (token) => {
    if (token.length > longestToken) return refused('The access token is too long');
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256', 'RS256'],
        typ: 'at+jwt',
        issuer: settings.issuer,
        audience: settings.resource,
        requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
      });
      return validateClaims(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return refused(problemOf(error));
      throw error;
    }
  };
}

/** What is left to validate once signature, type, issuer, audience and times are right. */
function validateClaims(payload: JWTPayload): Verified {
  // A token that others may use too can come from any of them (RFC 9068 section 5).
  if (Array.isArray(payload.aud) && payload.aud.length !== 1) return refused(wrongAudience);
  const { sub, exp, scope = '', client_id: clientId, cnf } = payload;
  if (typeof sub !== 'string' || typeof clientId !== 'string' || typeof scope !== 'string') return refused(malformed);
  const parsed = parseScope(scope);
  if (!parsed.ok || exp === undefined) return refused(malformed);
  const { jkt } = (cnf ?? {}) as { readonly jkt?: unknown };
  const boundTo = typeof jkt === 'string' ? jkt : undefined;
  return { ok: true, caller: { subject: sub, clientId, scopes: parsed.scopes, expiresAt: exp, boundTo } };
}

const malformed = 'The access token is malformed';

const wrongAudience = 'The access token was issued for another resource';

function problemOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'aud' ? wrongAudience : 'The access token is not one for this server';
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return malformed;
  return 'The access token was not signed by the authorization server';
}

/**
 * The caller in the form in which the SDK hands it to tools. It has no token in it: what a tool does not have,
 * it cannot pass on to anyone.
 */
export function authInfoOf(caller: Caller, metadata: string | undefined): AuthInfo {
  return {
    token: '',
    clientId: caller.clientId,
    scopes: [...caller.scopes],
    expiresAt: caller.expiresAt,
    extra: { subject: caller.subject },
    ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
  };
}

/** Whose tasks and pages these are: subject and client both, as for sessions. @throws as `callerOf` */
export function ownerOf(context: ServerContext): string {
  const { subject, clientId } = callerOf(context);
  return JSON.stringify([subject, clientId]);
}

/** Who made the request that is under way. @throws Error when the gate was left out */
export function callerOf(context: ServerContext): Caller {
  const known = context.http?.authInfo;
  const subject = known?.extra?.['subject'];
  if (known?.expiresAt === undefined || typeof subject !== 'string') throw new Error('a request came past the gate');
  return { subject, clientId: known.clientId, scopes: known.scopes, expiresAt: known.expiresAt };
}
