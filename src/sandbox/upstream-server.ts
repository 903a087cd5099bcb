import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorPage } from './authorization-server/pages/error-page.js';
import { html, pageResponse } from './authorization-server/pages/html.js';
import { forgetOldest, hashOf, isSameSecret, OneTime, randomSecret } from './one-time.js';
import type { StaticClient } from './upstream-accounts.js';
import type { Handler } from './wire/listen.js';
import { cookiesOf, hasHost, parametersOf, readBody, strictCookie, targetOf } from './wire/request.js';
import { jsonResponse, oauthError, redirectTo, type SentResponse, send } from './wire/response.js';

/** What a code was issued for. */
interface Authorized {
  readonly redirectUri: string;
  readonly challenge: string;
}

const bodyLimit = 16_384;

const maxKept = 1000;

/**
 * Another service that a person may have an account with: an authorization server and an API at once, on a port
 * of its own. It knows the sandbox as one client and remembers, by a cookie, that a browser has allowed it. That
 * is what makes a careless client of it a confused deputy: it asks nobody twice.
 */
export class UpstreamServer {
  readonly #origin: string;
  readonly #client: StaticClient;
  readonly #codes: OneTime<Authorized>;
  /** Hashes of the tokens that were issued. */
  readonly #issued = new Set<string>();
  /** Hashes of the session cookies of browsers that have allowed the client. */
  readonly #allowed = new Set<string>();
  readonly #received: string[] = [];

  /** @param origin where it is reached; it is its own issuer */
  constructor(origin: string, client: StaticClient, now: () => number) {
    this.#origin = origin;
    this.#client = client;
    this.#codes = new OneTime<Authorized>(60_000, now);
  }

  get origin(): string {
    return this.#origin;
  }

  /** The latest hundred tokens that its API was shown, good or bad. */
  get received(): readonly string[] {
    return this.#received;
  }

  readonly handler: Handler = async (request, response) => {
    const body = await readBody(request, bodyLimit);
    const isOurs = hasHost(request, new URL(this.#origin).host);
    if (!isOurs || body === undefined) {
      response.shouldKeepAlive = false;
      send(response, oauthError(isOurs ? 413 : 421, 'invalid_request', 'not a request for this server'));
      return;
    }
    const params = new Map(parametersOf(request, body));
    const route = `${request.method} ${targetOf(request).pathname}`;
    if (route === 'GET /authorize') send(response, this.#ask(request, params));
    else if (route === 'POST /authorize') send(response, this.#decide(request, params));
    else if (route === 'POST /token') send(response, this.#token(request, params));
    else if (route === 'GET /profile') send(response, this.#profile(request));
    else send(response, oauthError(404, 'not_found', 'nothing is here'));
  };

  /** The authorization request (RFC 6749 section 4.1.1): asked once in each browser, and never again. */
  #ask(request: IncomingMessage, params: ReadonlyMap<string, string>): SentResponse {
    const refused = this.#refused(params);
    if (refused !== undefined) return refused;
    const known = cookiesOf(request).get(this.#cookieName);
    if (known !== undefined && this.#allowed.has(hashOf(known))) return this.#grant(params);
    const session = known ?? randomSecret();
    const page = upstreamPage({ fields: [...params, ['csrf', this.#csrf(session)]], client: this.#client.id });
    return { ...page, headers: [...page.headers, ['set-cookie', strictCookie(this.#cookieName, session, 3600)]] };
  }

  #decide(request: IncomingMessage, params: ReadonlyMap<string, string>): SentResponse {
    const refused = this.#refused(params);
    if (refused !== undefined) return refused;
    const session = cookiesOf(request).get(this.#cookieName) ?? '';
    if (!isSameSecret(params.get('csrf') ?? '', this.#csrf(session))) {
      return errorPage(403, 'forbidden', 'the form did not come from this page');
    }
    if (params.get('decision') !== 'allow') return this.#reply(params, { error: 'access_denied' });
    remember(this.#allowed, hashOf(session));
    return this.#grant(params);
  }

  /** Only the client's own redirect URI is ever redirected to (RFC 6749 section 4.1.2.1). */
  #refused(params: ReadonlyMap<string, string>): SentResponse | undefined {
    const { id, redirectUri } = this.#client;
    if (params.get('client_id') !== id || params.get('redirect_uri') !== redirectUri) {
      return errorPage(400, 'invalid_request', 'no such client, or not its redirect URI');
    }
    const right = params.get('response_type') === 'code' && params.get('code_challenge_method') === 'S256';
    return right ? undefined : this.#reply(params, { error: 'invalid_request' });
  }

  #grant(params: ReadonlyMap<string, string>): SentResponse {
    const challenge = params.get('code_challenge') ?? '';
    return this.#reply(params, { code: this.#codes.put({ redirectUri: this.#client.redirectUri, challenge }) });
  }

  #reply(params: ReadonlyMap<string, string>, result: Readonly<Record<string, string>>): SentResponse {
    const query = new URLSearchParams({ ...result, state: params.get('state') ?? '', iss: this.#origin });
    return redirectTo(`${this.#client.redirectUri}?${query}`);
  }

  /** Redeems a code for a token that is good for this API alone. */
  #token(request: IncomingMessage, params: ReadonlyMap<string, string>): SentResponse {
    const { id, secret } = this.#client;
    const wanted = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    if (!isSameSecret(request.headers.authorization ?? '', wanted))
      return oauthError(401, 'invalid_client', 'not known');
    const authorized = this.#codes.take(params.get('code') ?? '');
    const verifier = params.get('code_verifier') ?? '';
    const fits =
      authorized?.redirectUri === params.get('redirect_uri') &&
      authorized?.challenge === createHash('sha256').update(verifier).digest('base64url');
    if (!fits) return oauthError(400, 'invalid_grant', 'no such code');
    const token = randomSecret();
    remember(this.#issued, hashOf(token));
    return jsonResponse(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
  }

  #profile(request: IncomingMessage): SentResponse {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    this.#received.push(token);
    if (this.#received.length > 100) this.#received.shift();
    if (!this.#issued.has(hashOf(token))) return oauthError(401, 'invalid_token', 'not a token of this server');
    return jsonResponse(200, { name: 'Robin Upstream', email: 'robin@upstream.invalid' });
  }

  get #cookieName(): string {
    return `postern_upstream_${new URL(this.#origin).port}`;
  }

  #csrf(session: string): string {
    return createHash('sha256').update(`${this.#client.secret} form ${session}`).digest('base64url');
  }
}

function remember(set: Set<string>, value: string): void {
  set.add(value);
  forgetOldest(set, maxKept);
}

/** What the upstream asks, once in each browser. It cannot say on whose behalf its client asks. */
function upstreamPage(options: {
  /** The parameters of the request, which come back with the decision. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly client: string;
}): SentResponse {
  const hidden = options.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return pageResponse({
    status: 200,
    title: 'Upstream',
    // Where the response leads on to, from redirect to redirect, is on this computer or asked for again.
    formTargets: ['http://127.0.0.1:*', 'http://localhost:*'],
    body: html`<h1>Upstream: may ${options.client} read your profile?</h1>
<p>You are logged in at the upstream, another service of this sandbox, as Robin Upstream.</p>
<p class="soft">It will not ask again in this browser.</p>
<form method="post" action="/authorize">
${hidden}<div class="choices">
<button name="decision" value="deny">Deny</button>
<button class="main" name="decision" value="allow">Allow</button>
</div>
</form>`,
  });
}
