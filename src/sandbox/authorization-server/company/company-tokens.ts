import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { randomSecret } from '../../one-time.js';
import type { SandboxClient } from '../../options.js';
import { jsonResponse, oauthError, type SentResponse } from '../../wire/response.js';
import type { SandboxAccount } from '../accounts.js';

export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const idJagType = 'urn:ietf:params:oauth:token-type:id-jag';

const refreshTokenType = 'urn:ietf:params:oauth:token-type:refresh_token';

const idTokenType = 'urn:ietf:params:oauth:token-type:id_token';

/** A request below the provider's issuer. */
export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
}

export interface ProviderSettings {
  /** The authorization server's issuer; the provider's is below it. */
  readonly audience: string;
  readonly clients: readonly SandboxClient[];
  readonly idTokenSeconds: number;
  /** Each login is allowed at once, for the first account. */
  readonly approve: boolean;
}

/** A client of the provider, and which client it is at the authorization server. */
export interface ProviderClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly clientId: string;
}

/** A login of somebody, of which refresh tokens follow on each other. */
interface Family {
  readonly client: string;
  readonly account: SandboxAccount;
  current: string;
  isRevoked: boolean;
}

/** What was agreed to in the browser. */
export interface Agreed {
  readonly client: string;
  readonly account: SandboxAccount;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly isLasting: boolean;
}

/** Seconds, as for one use. */
const idJagLifetime = 300;

/** What a company's provider issues: ID tokens, refresh tokens with rotation, and ID-JAGs; and what it takes back. */
export class CompanyTokens {
  readonly #issuer: string;
  readonly #idTokenSeconds: number;
  readonly #clients: readonly ProviderClient[];
  #made: ReturnType<typeof generateKeyPair> | undefined;
  readonly #codes = new Map<string, Agreed>();
  readonly #families = new Map<string, Family>();

  constructor(issuer: string, { clients, idTokenSeconds }: ProviderSettings) {
    this.#issuer = issuer;
    this.#idTokenSeconds = idTokenSeconds;
    this.#clients = clients.flatMap(({ client_id: clientId, company: id, company_secret: secret }) =>
      id === undefined ? [] : [{ id, secret, clientId }],
    );
  }

  /** Made when they are first asked for: most sandboxes have no company. */
  get #keys(): ReturnType<typeof generateKeyPair> {
    this.#made ??= generateKeyPair('ES256', { extractable: true });
    return this.#made;
  }

  get hasClients(): boolean {
    return this.#clients.length > 0;
  }

  clientCalled(id: string): ProviderClient | undefined {
    return this.#clients.find((client) => client.id === id);
  }

  async publicKey() {
    return (await this.#keys).publicKey;
  }

  async keySet() {
    return { keys: [{ ...(await exportJWK(await this.publicKey())), alg: 'ES256', use: 'sig' }] };
  }

  /** A code for what was agreed to. */
  codeFor(agreed: Agreed): string {
    const code = randomSecret();
    this.#codes.set(code, agreed);
    return code;
  }

  /** Who asks (RFC 6749 section 2.3); undefined: nobody that is known. */
  #clientOf({ form, authorization }: ProviderRequest): ProviderClient | undefined {
    const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
    const [user, password] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':').map(decoded);
    const id = user ?? form.get('client_id');
    const secret = password ?? form.get('client_secret') ?? undefined;
    return this.#clients.find((client) => client.id === id && client.secret === secret);
  }

  async token(request: ProviderRequest): Promise<SentResponse> {
    const { form } = request;
    const client = this.#clientOf(request);
    if (client === undefined) return oauthError(401, 'invalid_client', 'the provider knows no such client');
    switch (form.get('grant_type')) {
      case 'authorization_code':
        return await this.#redeem(client, form);
      case 'refresh_token':
        return await this.#refresh(client, form);
      case tokenExchangeGrant:
        return await this.#exchange(client, form);
      default:
        return oauthError(400, 'unsupported_grant_type', 'no such grant');
    }
  }

  async #redeem(client: ProviderClient, form: URLSearchParams): Promise<SentResponse> {
    const key = form.get('code') ?? '';
    const code = this.#codes.get(key);
    this.#codes.delete(key);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      code?.client === client.id && code.redirectUri === form.get('redirect_uri') && code.challenge === challenge;
    if (!isRight) return oauthError(400, 'invalid_grant', 'no such code, or not for this client');
    return await this.#issue({ client: client.id, account: code.account, current: '', isRevoked: !code.isLasting });
  }

  /** A spent refresh token ends its login (RFC 9700 section 4.14.2). */
  async #refresh(client: ProviderClient, form: URLSearchParams): Promise<SentResponse> {
    const token = form.get('refresh_token') ?? '';
    const family = this.#families.get(token);
    if (family === undefined || family.client !== client.id || family.isRevoked) {
      return oauthError(400, 'invalid_grant', 'no such refresh token');
    }
    if (family.current !== token) {
      family.isRevoked = true;
      return oauthError(400, 'invalid_grant', 'this refresh token was used before');
    }
    return await this.#issue(family);
  }

  async #issue(family: Family): Promise<SentResponse> {
    const { account, client, isRevoked } = family;
    const refresh = isRevoked ? undefined : randomSecret();
    if (refresh !== undefined) {
      family.current = refresh;
      this.#families.set(refresh, family);
    }
    const idToken = await this.#signed({ sub: account.id, email: account.email, name: account.name }, 'JWT', {
      audience: client,
      seconds: this.#idTokenSeconds,
    });
    return jsonResponse(200, {
      access_token: randomSecret(),
      token_type: 'Bearer',
      expires_in: this.#idTokenSeconds,
      id_token: idToken,
      scope: 'openid email offline_access',
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
    });
  }

  async #exchange(client: ProviderClient, form: URLSearchParams): Promise<SentResponse> {
    if (form.get('requested_token_type') !== idJagType)
      return oauthError(400, 'invalid_request', 'an ID-JAG alone is issued');
    const audience = form.get('audience');
    // Of this sandbox, or of another one on this computer: who trusts it is theirs to say.
    if (audience === null || !isLocal(audience))
      return oauthError(400, 'invalid_target', 'no such authorization server');
    const subject = await this.#subjectOf(form, client);
    if (subject === undefined)
      return oauthError(400, 'invalid_grant', 'no token of this client, or one that has ended');
    const claims = { sub: subject, client_id: client.clientId, resource: form.get('resource') ?? undefined };
    const scope = form.get('scope') ?? undefined;
    const about = { audience, seconds: idJagLifetime };
    const idJag = await this.#signed(
      { ...claims, ...(scope === undefined ? {} : { scope }) },
      'oauth-id-jag+jwt',
      about,
    );
    return jsonResponse(200, {
      access_token: idJag,
      issued_token_type: idJagType,
      token_type: 'N_A',
      expires_in: idJagLifetime,
      ...(scope === undefined ? {} : { scope }),
    });
  }

  async #subjectOf(form: URLSearchParams, client: ProviderClient): Promise<string | undefined> {
    const token = form.get('subject_token') ?? '';
    if (form.get('subject_token_type') === refreshTokenType) {
      const family = this.#families.get(token);
      const isLiving = family?.client === client.id && family.current === token && !family.isRevoked;
      return isLiving ? family.account.id : undefined;
    }
    if (form.get('subject_token_type') !== idTokenType) return undefined;
    try {
      const about = {
        issuer: this.#issuer,
        audience: client.id,
        algorithms: ['ES256'],
        requiredClaims: ['exp', 'sub'],
      };
      return (await jwtVerify(token, await this.publicKey(), about)).payload.sub;
    } catch {
      return undefined;
    }
  }

  /** Nobody learns whether there was such a token (RFC 7009 section 2.2). */
  revoke(request: ProviderRequest): SentResponse {
    const client = this.#clientOf(request);
    if (client === undefined) return oauthError(401, 'invalid_client', 'the provider knows no such client');
    const family = this.#families.get(request.form.get('token') ?? '');
    if (family?.client === client.id) family.isRevoked = true;
    return { status: 200, headers: [['cache-control', 'no-store']], body: new Uint8Array() };
  }

  async #signed(
    claims: Readonly<Record<string, unknown>>,
    typ: string,
    about: { readonly audience: string; readonly seconds: number },
  ): Promise<string> {
    return await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'ES256', typ })
      .setIssuer(this.#issuer)
      .setAudience(about.audience)
      .setIssuedAt()
      .setExpirationTime(`${about.seconds}s`)
      .setJti(randomSecret())
      .sign((await this.#keys).privateKey);
  }
}

const isLocal = (issuer: string) => URL.canParse(issuer) && new URL(issuer).hostname === '127.0.0.1';

const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));
