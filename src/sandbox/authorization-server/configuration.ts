import { randomBytes } from 'node:crypto';
import type { Configuration, ResourceServer } from 'oidc-provider';
import * as errors from 'oidc-provider/lib/helpers/errors.js';
import { base, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import type { Allowance } from '../allowance.js';
import { bindingLost } from '../faults/dpop.js';
import { otherSpelling, resourceRefused, resourceRenamed } from '../faults/insisting.js';
import type { SandboxClient, SandboxSettings } from '../options.js';
import { accountById } from './accounts.js';
import type { DocumentHooks } from './client-documents.js';
import { deviceFlow, deviceGrant } from './device-flow.js';
import type { SigningKeys } from './keys.js';
import { type KeptRecords, memoryStore } from './memory.js';
import { allScopes, resourceScopes } from './scopes.js';
import { jwtBearerGrant } from './workload-issuer.js';

export interface Surroundings {
  readonly settings: SandboxSettings;
  readonly keys: SigningKeys;
  /** The resources that tokens may be issued for; the first is the sandbox's own. */
  readonly resources: readonly string[];
  readonly issuerPath: string;
  readonly port: number;
  readonly cookieSecret: string;
  readonly documents: DocumentHooks;
  readonly guesses: Allowance;
  /** Of the clients whose platform vouches for them; nobody else knows it. */
  readonly workloadSecret: string;
  readonly kept: KeptRecords | undefined;
  /** Whether a refresh token is replaced when it is used. */
  readonly rotates: () => boolean;
  readonly isFaulty: (name: string) => boolean;
  readonly renderError: NonNullable<Configuration['renderError']>;
}

const routes = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  pushed_authorization_request: '/pushed',
  revocation: '/revoke',
  device_authorization: '/device/authorization',
  code_verification: '/device',
  jwks: '/jwks',
};

/** The whole configuration of oidc-provider: OAuth 2.1 as the sandbox's rules ask for it. */
export function providerConfiguration(about: Surroundings): Configuration {
  return {
    adapter: memoryStore(new Map(), about.kept),
    jwks: { keys: about.keys.signing.map((key) => ({ ...key })) } as NonNullable<Configuration['jwks']>,
    clients: about.settings.clients.map((client) => clientMetadata(client, about.workloadSecret)),
    // Native is what a client that says nothing is here: loopback redirect URIs, plain http only there.
    clientDefaults: { application_type: 'native', id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: ['ES256', 'RS256', 'EdDSA'], dPoPSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    scopes: [...allScopes],
    ...identity,
    subjectTypes: ['public'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    routes,
    features: features(about),
    interactions: {
      policy: prompts(),
      url: (_context, interaction) => `${about.issuerPath}/interaction/${interaction.uid}`,
    },
    // Each login asks, and each has a grant of its own: replay in one family leaves the others alone.
    loadExistingGrant: async (context) => {
      const granted = context.oidc.result?.consent?.grantId;
      return granted === undefined ? undefined : context.oidc.provider.Grant.find(granted);
    },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => about.rotates(),
    expiresWithSession: () => false,
    cookies: { keys: [about.cookieSecret], names: cookieNames(about.port) },
    ttl: lifetimes(about.settings.accessTokenSeconds),
    // The assertion is for us alone: an audience list or another's address is an injection (RFC 9700).
    assertJwtClientAuthClaimsAndHeader: async (context, claims) => {
      if (claims['aud'] !== context.oidc.issuer) {
        throw new errors.InvalidClientAuth('the assertion must have the issuer as its only audience');
      }
    },
    discovery: metadataOf(about.settings),
    clientBasedCORS: () => false,
    formats: { customizers: { jwt: (_context, _token, parts) => unbound(about, parts) } },
    clockTolerance: 0,
    fetch: about.documents.fetch,
    renderError: about.renderError,
  };
}

/** Unlike those of another sandbox: cookies know no ports. */
export function cookieNames(owner: number | string) {
  const prefix = `postern_sandbox_${owner}`;
  return { session: `${prefix}_session`, interaction: `${prefix}_interaction`, resume: `${prefix}_resume` };
}

/** What a client may have asked of the person, the choice of an account first. */
export function prompts() {
  const policy = base();
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

/** What its metadata lists besides: prompts, and whether it takes what a company's provider vouches for. */
function metadataOf({ clients }: SandboxSettings): NonNullable<Configuration['discovery']> {
  const isTaken = clients.some(({ company }) => company !== undefined);
  const profiles = ['urn:ietf:params:oauth:grant-profile:id-jag'];
  const prompt_values_supported = ['login', 'consent', 'select_account'];
  return { prompt_values_supported, ...(isTaken ? { authorization_grant_profiles_supported: profiles } : {}) };
}

/** There is no userinfo endpoint: the ID token says all of it. */
export const identity = {
  claims: { openid: ['sub', 'name', 'email', 'email_verified'], profile: ['name'], email: ['email', 'email_verified'] },
  conformIdTokenClaims: false,
  findAccount: (_context: unknown, id: string) => accountById(id) && { accountId: id, claims: () => claimsOf(id) },
};

/** Someone else's token: no effect, and no hint that it exists (RFC 7009 section 2.1). */
export const revocation: NonNullable<NonNullable<Configuration['features']>['revocation']> = {
  enabled: true,
  allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
};

function claimsOf(id: string) {
  const { name, email } = accountById(id) ?? {};
  return { sub: id, name, email, email_verified: true };
}

function features(about: Surroundings): NonNullable<Configuration['features']> {
  const { settings } = about;
  return {
    devInteractions: { enabled: false },
    dPoP: proofs(settings),
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: {
      enabled: true,
      requirePushedAuthorizationRequests: settings.pushedRequests === 'required',
    },
    clientCredentials: { enabled: true },
    deviceFlow: deviceFlow(about.guesses),
    revocation,
    registration: { enabled: settings.registration, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: settings.metadataDocuments !== false,
      ack: 'draft-02',
      // Seconds, for what the document's headers say: keys that were changed are known within a minute.
      cacheDuration: { min: 0, max: 60 },
      allowFetch: about.documents.allowFetch,
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context, _client, oneOf) => {
        const own = about.isFaulty(resourceRefused) ? about.resources.slice(0, 1) : [];
        const [only, ...others] = oneOf ?? own;
        if (only === undefined || others.length > 0)
          throw new errors.InvalidTarget('exactly one resource must be named');
        return only;
      },
      getResourceServerInfo: (_context, resource) => resourceServer(about, resource),
    },
  };
}

/** With the fault, a token does not say what key it is bound to. */
function unbound({ isFaulty }: Surroundings, { payload }: { readonly payload: Record<string, unknown> }): void {
  if (isFaulty(bindingLost)) delete payload['cnf'];
}

/** A nonce is offered with each response, and wanted where that was chosen (RFC 9449 section 8). */
function proofs({ dpop, dpopNonce }: SandboxSettings) {
  if (dpop === 'off') return { enabled: false };
  return { enabled: true, nonceSecret: dpopNonce ? randomBytes(32) : undefined, requireNonce: () => dpopNonce };
}

/** @throws InvalidTarget for a resource that is not known here */
export function resourceServer(about: Surroundings, resource: string): ResourceServer {
  const isRenamed = resource === otherSpelling && about.isFaulty(resourceRenamed);
  if (!isRenamed && !about.resources.includes(resource)) {
    throw new errors.InvalidTarget('no such resource here: it must be spelled as its metadata spells it');
  }
  return {
    scope: Object.keys(resourceScopes).join(' '),
    audience: isRenamed ? (about.resources[0] ?? resource) : resource,
    accessTokenTTL: about.settings.accessTokenSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}

export function lifetimes(accessTokenSeconds: number): NonNullable<Configuration['ttl']> {
  const hour = 3600;
  return {
    AccessToken: accessTokenSeconds,
    ClientCredentials: accessTokenSeconds,
    AuthorizationCode: 60,
    IdToken: hour,
    Interaction: hour,
    Session: 12 * hour,
    DeviceCode: 600,
    RefreshToken: 24 * hour,
    Grant: 24 * hour,
  };
}

function clientMetadata(known: SandboxClient, workloadSecret: string): NonNullable<Configuration['clients']>[number] {
  const { workload, company, company_secret: _, ...client } = known;
  if (workload !== undefined) {
    return {
      ...client,
      client_secret: workloadSecret,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    } as NonNullable<Configuration['clients']>[number];
  }
  if (company !== undefined) {
    return {
      token_endpoint_auth_method: client.client_secret === undefined ? 'none' : 'client_secret_basic',
      ...client,
      grant_types: [jwtBearerGrant],
      redirect_uris: [],
      response_types: [],
    } as NonNullable<Configuration['clients']>[number];
  }
  const confidential = client.client_secret !== undefined || client.jwks !== undefined;
  return {
    grant_types: ['authorization_code', 'refresh_token', deviceGrant, ...(confidential ? ['client_credentials'] : [])],
    token_endpoint_auth_method:
      client.client_secret !== undefined ? 'client_secret_basic' : confidential ? 'private_key_jwt' : 'none',
    ...client,
    // Without a redirect URI it is a machine's own client: no authorization requests.
    response_types: client.redirect_uris.length > 0 ? ['code'] : [],
  } as NonNullable<Configuration['clients']>[number];
}
