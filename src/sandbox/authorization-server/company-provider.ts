import { randomUUID } from 'node:crypto';
import { createLocalJWKSet, importJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import type { Configuration, TokenEndpointGrantContext } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import { Check } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import { Provider } from 'oidc-provider/lib/provider.js';
import type { SandboxClient } from '../options.js';
import { isLoopback } from './client-rules.js';
import { cookieNames, identity, lifetimes, prompts, revocation, type Surroundings } from './configuration.js';
import { memoryStore } from './memory.js';

const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

const idJagType = 'urn:ietf:params:oauth:token-type:id-jag';

/** Seconds, as for one use. */
const idJagLifetime = 300;

/**
 * A company's provider (OpenID Connect Core 1.0): it logs people in, refreshes with rotation, revokes, and exchanges its ID
 * tokens for ID-JAGs (draft-ietf-oauth-identity-assertion-authz-grant) for the sandbox's authorization server. Undefined
 * where no client has one.
 */
export function companyProvider(issuer: string, about: Surroundings): Provider | undefined {
  const clients = about.settings.clients.filter(({ company }) => company !== undefined);
  if (clients.length === 0) return undefined;
  const provider = new Provider(issuer, configuration(about, clients));
  provider.Client.prototype.redirectUriAllowed = isLoopback;
  const parameters = ['requested_token_type', 'subject_token', 'subject_token_type', 'audience', 'resource', 'scope'];
  const exchange = async (context: TokenEndpointGrantContext<Record<string, string>>) => {
    const { client, params } = context.oidc;
    const known = clients.find(({ company }) => company === client.clientId);
    const { scope } = params;
    context.body = {
      access_token: await idJag(issuer, about, {
        audience: audienceIn(params),
        sub: await subjectOf(provider, about, params, client.clientId),
        claims: { client_id: known?.client_id, resource: params['resource'], ...(scope !== undefined && { scope }) },
      }),
      ...{ issued_token_type: idJagType, token_type: 'N_A', expires_in: idJagLifetime },
      ...(scope !== undefined && { scope }),
    };
  };
  provider.registerGrantType(tokenExchangeGrant, exchange, parameters);
  return provider;
}

function configuration(about: Surroundings, clients: readonly SandboxClient[]): Configuration {
  const { settings, keys, port, cookieSecret, renderError } = about;
  return {
    adapter: memoryStore(new Map()),
    jwks: { keys: keys.signing.map((key) => ({ ...key })) } as NonNullable<Configuration['jwks']>,
    clients: clients.map(({ company = '', company_secret: secret }) => ({
      client_id: company,
      ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
      grant_types: ['authorization_code', 'refresh_token', tokenExchangeGrant],
      redirect_uris: ['http://127.0.0.1/callback'],
    })),
    clientDefaults: { application_type: 'native', id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'email', 'offline_access'],
    ...identity,
    pkce: { required: () => true },
    responseTypes: ['code'],
    routes: { authorization: '/authorize', token: '/token', revocation: '/revoke', jwks: '/jwks' },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation,
    },
    interactions: {
      policy: askingWhoAlone(),
      url: (_context, { uid }) => `${about.issuerPath}/company/interaction/${uid}`,
    },
    // A company's own programs are allowed everything: each login has a grant of its own.
    loadExistingGrant: async ({ oidc: { provider, client, session } }) => {
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
      grant.addOIDCScope('openid email offline_access');
      await grant.save();
      return grant;
    },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    cookies: { keys: [cookieSecret], names: cookieNames(`${port}_company`) },
    ttl: { ...lifetimes(settings.idTokenSeconds), IdToken: settings.idTokenSeconds },
    discovery: { identity_chaining_requested_token_types_supported: [idJagType] },
    clientBasedCORS: () => false,
    renderError,
  };
}

/** Each login asks who one is, and nothing else. */
function askingWhoAlone() {
  const policy = prompts();
  policy.get('consent')?.checks.clear();
  policy.get('login')?.checks.add(new Check('each', 'each login asks', ({ oidc }) => oidc.result?.login === undefined));
  return policy;
}

function audienceIn(params: Readonly<Record<string, string | undefined>>): string {
  if (params['requested_token_type'] !== idJagType) throw new errors.InvalidRequest('an ID-JAG alone is issued');
  const { audience = '' } = params;
  // Of this sandbox, or of another one on this computer: who trusts it is theirs to say.
  if (!isLoopback(audience)) throw new errors.InvalidTarget('no such authorization server');
  return audience;
}

/** Of an ID token or a refresh token of that client. */
async function subjectOf(
  provider: Provider,
  { keys }: Surroundings,
  { subject_token: token = '', subject_token_type: type }: Readonly<Record<string, string | undefined>>,
  clientId: string,
): Promise<string> {
  const refused = new errors.InvalidGrant('no token of this client, or one that has ended');
  if (type === 'urn:ietf:params:oauth:token-type:refresh_token') {
    const found = await provider.RefreshToken.find(token);
    if (found?.clientId !== clientId || !found.isValid || found.accountId === undefined) throw refused;
    return found.accountId;
  }
  if (type !== 'urn:ietf:params:oauth:token-type:id_token') throw refused;
  const keySet = createLocalJWKSet({ keys: keys.verifying.map((key) => ({ ...key })) } as JSONWebKeySet);
  const about = { issuer: provider.issuer, audience: clientId, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] };
  const verified = await jwtVerify(token, keySet, about).catch(() => undefined);
  if (verified?.payload.sub === undefined) throw refused;
  return verified.payload.sub;
}

async function idJag(
  issuer: string,
  { keys }: Surroundings,
  about: { readonly audience: string; readonly sub: string; readonly claims: Readonly<Record<string, unknown>> },
): Promise<string> {
  const [key] = keys.signing;
  return await new SignJWT({ ...about.claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt' })
    .setIssuer(issuer)
    .setSubject(about.sub)
    .setAudience(about.audience)
    .setIssuedAt()
    .setExpirationTime(`${idJagLifetime}s`)
    .setJti(randomUUID())
    .sign(await importJWK({ ...key }, 'ES256'));
}
