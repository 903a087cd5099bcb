import { randomUUID } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  importJWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  errors as joseErrors,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Provider, TokenEndpointGrantContext } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import validateDpop, { checkDpopReplay } from 'oidc-provider/lib/helpers/validate_dpop.js';
import { accountById } from '../accounts.js';
import type { Jwk } from '../keys.js';
import { defaultScope, resourceScopes } from '../scopes.js';
import { jwtBearerGrant } from '../workload-issuer.js';
import type { CompanyProvider } from './company-provider.js';

interface GrantParts {
  readonly company: CompanyProvider;
  /** Of the provider that is trusted; '': the sandbox's own. */
  readonly companyIssuer: string;
  readonly issuer: string;
  readonly resources: readonly string[];
  /** Private. */
  readonly signing: readonly Jwk[];
  readonly accessTokenSeconds: number;
}

/** Is what is sent an ID-JAG, and no platform's token? */
export function isIdJag(assertion: string | null): boolean {
  try {
    return decodeProtectedHeader(assertion ?? '').typ === 'oauth-id-jag+jwt';
  } catch {
    return false;
  }
}

/**
 * Takes ID-JAGs of the company's provider (RFC 7523 section 2.1, draft-ietf-oauth-identity-assertion-authz-grant section 4.4):
 * oidc-provider authenticates the client, each ID-JAG works once.
 */
export function acceptIdJags(provider: Provider, parts: GrantParts): void {
  const seen = new Set<string>();
  const handler = async (context: TokenEndpointGrantContext<Record<string, string>>) => {
    const { client, params } = context.oidc;
    const proof = await validateDpop(provider, context); // first: with a nonce the same ID-JAG comes again
    await checkDpopReplay(provider, context, proof, client.clientId);
    const { payload, accountId } = await verified(parts, params['assertion'] ?? '', client.clientId);
    const { jti = '', resource } = payload;
    if (seen.has(jti)) throw new errors.InvalidGrant('this ID-JAG was used before');
    seen.add(jti);
    const scope = scopesOf(params['scope'] ?? String(payload['scope'] ?? ''));
    context.body = {
      access_token: await accessToken(parts, {
        accountId,
        clientId: client.clientId,
        scope,
        resource: String(resource),
        key: proof?.thumbprint,
      }),
      token_type: proof === undefined ? 'Bearer' : 'DPoP',
      expires_in: parts.accessTokenSeconds,
      scope,
    };
  };
  provider.registerGrantType(jwtBearerGrant, handler, ['assertion', 'scope', 'resource']);
}

async function verified(parts: GrantParts, assertion: string, clientId: string) {
  const { company, companyIssuer, issuer, resources } = parts;
  let payload: JWTPayload;
  try {
    const about = {
      issuer: companyIssuer || company.issuer,
      audience: issuer,
      typ: 'oauth-id-jag+jwt',
      algorithms: ['ES256'],
    };
    const required = { requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id', 'resource'] };
    ({ payload } = await jwtVerify(assertion, await keysOf(parts), { ...about, ...required }));
  } catch (error) {
    if (error instanceof joseErrors.JOSEError)
      throw new errors.InvalidGrant('no ID-JAG of the company for this server');
    throw error;
  }
  if (Array.isArray(payload.aud)) throw new errors.InvalidGrant('the ID-JAG is for others, too');
  if (payload['client_id'] !== clientId) throw new errors.InvalidGrant('the ID-JAG is for another client');
  if (!resources.includes(String(payload['resource'])))
    throw new errors.InvalidGrant('the ID-JAG is for another resource');
  const account = accountById(payload.sub ?? '');
  if (account === undefined) throw new errors.InvalidGrant('nobody is called so here');
  return { payload, accountId: account.id };
}

async function keysOf({ company, companyIssuer }: GrantParts): Promise<JWTVerifyGetKey> {
  if (companyIssuer !== '') return createRemoteJWKSet(new URL(`${companyIssuer}/jwks`), { timeoutDuration: 15_000 });
  const key = await company.publicKey();
  return () => key;
}

function scopesOf(asked: string): string {
  const known = asked.split(' ').filter((scope) => Object.hasOwn(resourceScopes, scope));
  return known.length === 0 ? defaultScope : known.join(' ');
}

async function accessToken(
  { issuer, signing, accessTokenSeconds }: GrantParts,
  about: {
    readonly accountId: string;
    readonly clientId: string;
    readonly scope: string;
    readonly resource: string;
    /** Thumbprint of the key that it is bound to (RFC 9449 section 6.1). */
    readonly key: string | undefined;
  },
): Promise<string> {
  const key = signing.find(({ alg }) => alg === 'ES256');
  if (key === undefined) throw new Error('there is an ES256 key');
  const bound = about.key === undefined ? {} : { cnf: { jkt: about.key } };
  return await new SignJWT({ client_id: about.clientId, scope: about.scope, ...bound })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(about.accountId)
    .setAudience(about.resource)
    .setIssuedAt()
    .setExpirationTime(`${accessTokenSeconds}s`)
    .setJti(randomUUID())
    .sign(await importJWK(key, key.alg));
}
