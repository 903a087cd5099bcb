import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  errors as joseErrors,
  jwtVerify,
} from 'jose';
import type { Provider, ResourceServer, TokenEndpointGrantContext } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import validateDpop, { checkDpopReplay } from 'oidc-provider/lib/helpers/validate_dpop.js';
import { accountById } from './accounts.js';
import type { SigningKeys } from './keys.js';
import { defaultScope, resourceScopes } from './scopes.js';
import { jwtBearerGrant } from './workload-issuer.js';

interface GrantParts {
  /** Of the provider that is trusted. */
  readonly companyIssuer: string;
  readonly issuer: string;
  /** Of the sandbox's own provider, which signs with the same. */
  readonly keys: SigningKeys;
  /** @throws InvalidTarget for one that is not known here */
  readonly resourceServer: (resource: string) => ResourceServer;
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
  const keys = keysOf(parts);
  const handler = async (context: TokenEndpointGrantContext<Record<string, string>>) => {
    const { client, params } = context.oidc;
    const proof = await validateDpop(provider, context); // first: with a nonce the same ID-JAG comes again
    await checkDpopReplay(provider, context, proof, client.clientId);
    const { companyIssuer, resourceServer } = parts;
    const { payload, accountId } = await verified(parts, keys, params['assertion'] ?? '', client.clientId);
    const resource = String(payload['resource']);
    const server = new provider.ResourceServer(resource, resourceServer(resource));
    if (!(await provider.ReplayDetection.unique(companyIssuer, payload.jti ?? '', payload.exp ?? 0)))
      throw new errors.InvalidGrant('this ID-JAG was used before');
    const scope = scopesOf(params['scope'] ?? String(payload['scope'] ?? ''));
    const about = { client, accountId, scope, resourceServer: server, grantId: '', gty: 'id_jag' };
    const token = new provider.AccessToken(about);
    if (proof !== undefined) token.setThumbprint('jkt', proof.thumbprint);
    context.body = {
      access_token: await token.save(),
      token_type: token.tokenType,
      expires_in: token.expiration,
      scope,
    };
  };
  provider.registerGrantType(jwtBearerGrant, handler, ['assertion', 'scope', 'resource']);
}

async function verified(
  { companyIssuer, issuer }: GrantParts,
  keys: ReturnType<typeof keysOf>,
  assertion: string,
  clientId: string,
) {
  const { payload } = await jwtVerify(assertion, keys, {
    ...{ issuer: companyIssuer, audience: issuer, typ: 'oauth-id-jag+jwt', algorithms: ['ES256'] },
    requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id', 'resource'],
  }).catch((error: unknown) => {
    if (error instanceof joseErrors.JOSEError)
      throw new errors.InvalidGrant('no ID-JAG of the company for this server');
    throw error;
  });
  if (Array.isArray(payload.aud)) throw new errors.InvalidGrant('the ID-JAG is for others, too');
  if (payload['client_id'] !== clientId) throw new errors.InvalidGrant('the ID-JAG is for another client');
  const account = accountById(payload.sub ?? '');
  if (account === undefined) throw new errors.InvalidGrant('nobody is called so here');
  return { payload, accountId: account.id };
}

function keysOf({ companyIssuer, issuer, keys }: GrantParts) {
  if (companyIssuer !== `${issuer}/company`)
    return createRemoteJWKSet(new URL(`${companyIssuer}/jwks`), { timeoutDuration: 15_000 });
  return createLocalJWKSet({ keys: keys.verifying.map((key) => ({ ...key })) } as JSONWebKeySet);
}

function scopesOf(asked: string): string {
  const known = asked.split(' ').filter((scope) => Object.hasOwn(resourceScopes, scope));
  return known.length === 0 ? defaultScope : known.join(' ');
}
