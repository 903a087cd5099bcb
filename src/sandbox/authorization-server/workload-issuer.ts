import { randomUUID } from 'node:crypto';
import { decodeJwt, errors, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { randomSecret } from '../one-time.js';
import type { SandboxClient } from '../options.js';
import { oauthError, type SentResponse } from '../wire/response.js';

/** The grant by which a signed token of another issuer is exchanged (RFC 7523 section 2.1). */
export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const jwtBearerAssertion = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Seconds, as those of platforms for one job. */
const lifetime = 300;

/** What becomes of a request: another form in its place, or a refusal; undefined: it is none with a platform's token. */
export type Exchanged = { readonly form: URLSearchParams } | { readonly refused: SentResponse } | undefined;

/**
 * A platform that signs tokens for what runs on it, as GitHub Actions and Kubernetes do, and the trust of the authorization
 * server in it. A client with `workload` is that subject: it has a secret that nobody knows but this, and whoever proves
 * to be it by a token gets what the secret would give.
 */
export class WorkloadIssuer {
  /** The `iss` of its tokens. */
  readonly issuer: string;
  /** Of each client with `workload`. */
  readonly secret = randomSecret();
  readonly #audience: string;
  readonly #clients: ReadonlyMap<string, string>;
  #made: ReturnType<typeof generateKeyPair> | undefined;

  /** @param audience The authorization server's issuer. */
  constructor(audience: string, clients: readonly SandboxClient[]) {
    this.issuer = `${audience}/workload`;
    this.#audience = audience;
    this.#clients = new Map(
      clients.flatMap(({ client_id, workload }) => (workload === undefined ? [] : [[client_id, workload] as const])),
    );
  }

  /** Made when they are first asked for: most sandboxes have no workload. */
  get #keys(): ReturnType<typeof generateKeyPair> {
    this.#made ??= generateKeyPair('ES256');
    return this.#made;
  }

  get hasClients(): boolean {
    return this.#clients.size > 0;
  }

  /** A token alone, as text: `?audience=…`, else for the authorization server, and `&subject=…`, else the first client's. */
  async issue(query: URLSearchParams): Promise<SentResponse> {
    const [first = 'workload'] = this.#clients.values();
    const { privateKey } = await this.#keys;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .setIssuer(this.issuer)
      .setSubject(query.get('subject') ?? first)
      .setAudience(query.get('audience') ?? this.#audience)
      .setIssuedAt()
      .setExpirationTime(`${lifetime}s`)
      .setJti(randomUUID())
      .sign(privateKey);
    const headers = [
      ['content-type', 'text/plain'],
      ['cache-control', 'no-store'],
    ] as const;
    return { status: 200, headers, body: Buffer.from(`${token}\n`) };
  }

  /** Looks at the form of a token or revocation request. */
  async exchange(form: URLSearchParams): Promise<Exchanged> {
    const byGrant = form.get('grant_type') === jwtBearerGrant;
    const isProof = form.get('client_assertion_type') === jwtBearerAssertion && this.#isOurs(form);
    if (byGrant && form.has('client_assertion'))
      return refuse('invalid_request', 'a token is exchanged, or proves a client');
    const clientId = form.get('client_id') ?? '';
    const isRevoked = form.has('token') && this.#clients.has(clientId) && !form.has('client_secret');
    if (!byGrant && !isProof) return isRevoked ? { form: this.#withSecret(form, clientId) } : undefined;
    const problem = await this.#problem(form.get(byGrant ? 'assertion' : 'client_assertion') ?? '', clientId);
    if (problem !== undefined) return refuse(byGrant ? 'invalid_grant' : 'invalid_client', problem);
    return { form: this.#withSecret(form, clientId) };
  }

  #isOurs(form: URLSearchParams): boolean {
    try {
      return decodeJwt(form.get('client_assertion') ?? '').iss === this.issuer;
    } catch {
      return false;
    }
  }

  async #problem(token: string, clientId: string): Promise<string | undefined> {
    const subject = this.#clients.get(clientId);
    if (subject === undefined) return 'this client trusts no platform';
    try {
      const { publicKey } = await this.#keys;
      const { payload } = await jwtVerify(token, publicKey, {
        algorithms: ['ES256'],
        issuer: this.issuer,
        audience: this.#audience,
        subject,
        requiredClaims: ['exp', 'jti'],
      });
      return Array.isArray(payload.aud) && payload.aud.length !== 1 ? 'the token is for others, too' : undefined;
    } catch (error) {
      if (error instanceof errors.JOSEError) return 'the token is not one of that workload for this server';
      throw error;
    }
  }

  /** The request that the client would send with its secret. */
  #withSecret(form: URLSearchParams, clientId: string): URLSearchParams {
    const kept = [...form].filter(
      ([name]) => !['assertion', 'client_assertion', 'client_assertion_type'].includes(name),
    );
    const changed = new URLSearchParams(kept);
    if (changed.get('grant_type') === jwtBearerGrant) changed.set('grant_type', 'client_credentials');
    changed.set('client_id', clientId);
    changed.set('client_secret', this.secret);
    return changed;
  }
}

function refuse(error: string, description: string): Exchanged {
  return { refused: oauthError(error === 'invalid_client' ? 401 : 400, error, description) };
}
