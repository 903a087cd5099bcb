import { createHmac, randomBytes } from 'node:crypto';
import { isSameSecret } from '../../one-time.js';
import { jsonResponse, oauthError, redirectTo, type SentResponse } from '../../wire/response.js';
import { accountById, accounts } from '../accounts.js';
import { isLoopback } from '../client-rules.js';
import { errorPage } from '../pages/error-page.js';
import { loginPage } from '../pages/login-page.js';
import {
  CompanyTokens,
  idJagType,
  type ProviderRequest,
  type ProviderSettings,
  tokenExchangeGrant,
} from './company-tokens.js';

/**
 * A company's provider (OpenID Connect Core 1.0): it logs people in, refreshes with rotation, revokes, and exchanges its ID
 * tokens for ID-JAGs (draft-ietf-oauth-identity-assertion-authz-grant) for the sandbox's authorization server.
 */
export class CompanyProvider {
  readonly issuer: string;
  readonly #approve: boolean;
  readonly #tokens: CompanyTokens;
  readonly #secret = randomBytes(32);

  constructor(settings: ProviderSettings) {
    this.issuer = `${settings.audience}/company`;
    this.#approve = settings.approve;
    this.#tokens = new CompanyTokens(this.issuer, settings);
  }

  get hasClients(): boolean {
    return this.#tokens.hasClients;
  }

  /** The public half of its key, for whoever verifies what it signs. */
  async publicKey() {
    return await this.#tokens.publicKey();
  }

  async respond(request: ProviderRequest): Promise<SentResponse> {
    const { method, path } = request;
    if (!this.hasClients) return oauthError(404, 'not_found', 'no client of this sandbox has a company');
    if (method === 'GET' && path === '/.well-known/openid-configuration') return jsonResponse(200, this.#metadata());
    if (method === 'GET' && path === '/jwks') return jsonResponse(200, await this.#tokens.keySet());
    if (path === '/authorize') return this.#authorize(request);
    if (method === 'POST' && path === '/token') return await this.#tokens.token(request);
    if (method === 'POST' && path === '/revoke') return this.#tokens.revoke(request);
    return oauthError(404, 'not_found', 'nothing is here');
  }

  #metadata() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      jwks_uri: `${issuer}/jwks`,
      scopes_supported: ['openid', 'email', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', tokenExchangeGrant],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      identity_chaining_requested_token_types_supported: [idJagType],
    };
  }

  /** GET shows the page, POST is the choice on it. */
  #authorize({ method, query, form }: ProviderRequest): SentResponse {
    const asked = (name: string) => query.get(name) ?? '';
    const client = this.#tokens.clientCalled(asked('client_id'));
    if (client === undefined) return errorPage(400, 'invalid_client', 'the provider knows no such client');
    const redirectUri = asked('redirect_uri');
    if (!URL.canParse(redirectUri) || !isLoopback(redirectUri)) {
      return errorPage(400, 'invalid_request', 'the redirect address is not on this computer');
    }
    const isWhole =
      asked('response_type') === 'code' &&
      asked('code_challenge_method') === 'S256' &&
      asked('code_challenge') !== '' &&
      asked('scope').split(' ').includes('openid');
    if (!isWhole) return this.#back(query, { error: 'invalid_request' });
    if (method === 'GET' && !this.#approve) {
      const action = `${new URL(this.issuer).pathname}/authorize?${query}`;
      return loginPage({
        action,
        csrf: this.#csrf(query),
        client: `${client.id}, a program of your company’s,`,
        leadsTo: new URL(redirectUri).origin,
      });
    }
    const account = this.#approve ? accounts[0] : accountById(form.get('account') ?? '');
    const isOurs = this.#approve || isSameSecret(this.#csrf(query), form.get('csrf') ?? '');
    if (account === undefined || !isOurs) return errorPage(403, 'forbidden', 'the form did not come from this page');
    const code = this.#tokens.codeFor({
      ...{ client: client.id, account, redirectUri },
      challenge: asked('code_challenge'),
      isLasting: asked('scope').split(' ').includes('offline_access'),
    });
    return this.#back(query, { code });
  }

  #back(query: URLSearchParams, response: Readonly<Record<string, string>>): SentResponse {
    const url = new URL(query.get('redirect_uri') ?? '');
    const parameters = { ...response, state: query.get('state') ?? '', iss: this.issuer };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return redirectTo(url.href);
  }

  #csrf(query: URLSearchParams): string {
    return createHmac('sha256', this.#secret).update(query.toString()).digest('base64url');
  }
}
