import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { type JsonObject, parseObject, stringField, unescapedJson } from '../core/text/json.js';
import type { HttpClient, HttpRequest } from '../http/request.js';
import type { HiddenSecrets } from './report.js';

/** A token that was issued in this run. */
export interface IssuedHere {
  readonly token: Secret;
  readonly hint: 'refresh_token' | 'access_token';
  /** The client that asked for it. */
  readonly clientId: string;
}

/** A client that was registered in this run. */
export interface RegisteredHere {
  readonly clientId: string;
  readonly endpoint: string;
  /** The response, secrets included: nothing of it is shown as it is. */
  readonly body: JsonObject;
}

/** More tokens than these come of no honest run. */
const maxIssued = 12;

const tokenMember = /"(access_token|refresh_token)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

const secretMember =
  /"(?:access_token|refresh_token|id_token|client_secret|registration_access_token)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

const secretField =
  /^(?:code|code_verifier|refresh_token|token|client_secret|client_assertion|assertion|subject_token|device_code)$/;

/**
 * The HTTP client of what this run changes at an authorization server: it notes each token and client that comes of it, so
 * that they can be taken back however the run ends, and what must not be shown.
 */
export class RunHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #hidden: HiddenSecrets;
  /** The latest last. */
  readonly issued: IssuedHere[] = [];
  readonly registered: RegisteredHere[] = [];
  /** Documents by their address, as they came last. */
  readonly documents = new Map<string, JsonObject>();
  /** The latest response of the token endpoint; tokens are in it. */
  tokenResponse: JsonObject | undefined;

  constructor(http: HttpClient, hidden: HiddenSecrets) {
    this.#http = http;
    this.#hidden = hidden;
  }

  // Properties, and no methods: a client is spread where something is added to it.
  readonly check: HttpClient['check'] = (target) => this.#http.check(target);

  readonly send: HttpClient['send'] = async (request) => {
    const form = formOf(request);
    for (const [name, value] of form) if (secretField.test(name)) this.#hidden.hide(value);
    for (const [name, value] of request.headers ?? []) {
      if (/^authorization$/i.test(name)) this.#hidden.hide(value.replace(/^\S+\s+/, ''));
    }
    const response = await this.#http.send(request);
    if (request.body !== undefined && request.namedBy === 'person') return response; // of the protected server
    const bytes = async () => {
      const body = await response.bytes();
      if (request.method === 'GET') this.#seeDocument(request.url, body);
      if (request.method === 'POST') this.#seeResponse(request, form, body);
      return body;
    };
    return { ...response, bytes };
  };

  /** The HTTP client is not ours. */
  readonly [Symbol.asyncDispose] = async (): Promise<void> => undefined;

  #seeDocument(url: string, body: Uint8Array): void {
    const document = parseObject(body);
    if (document !== undefined) this.documents.set(url, document);
  }

  #seeResponse(request: HttpRequest, form: URLSearchParams, body: Uint8Array): void {
    const text = new TextDecoder().decode(body);
    for (const [, secret = ''] of text.matchAll(secretMember)) this.#hidden.hide(unescapedJson(secret));
    const object = parseObject(body);
    if (form.has('grant_type')) {
      this.tokenResponse = object;
      this.#seeTokens(text, form.get('client_id') ?? '');
    } else if (object !== undefined && form.size === 0) {
      const clientId = stringField(object, 'client_id');
      if (clientId !== undefined) this.registered.push({ clientId, endpoint: request.url, body: object });
    }
  }

  #seeTokens(text: string, clientId: string): void {
    for (const [, member, escaped = ''] of text.matchAll(tokenMember)) {
      const token = unescapedJson(escaped);
      if (!isTokenText(token) || this.issued.length >= maxIssued) continue;
      this.issued.push({
        token: new Secret(token),
        hint: member === 'refresh_token' ? 'refresh_token' : 'access_token',
        clientId,
      });
    }
  }
}

function formOf({ body, headers = [] }: HttpRequest): URLSearchParams {
  const isForm = headers.some(([name, value]) => /^content-type$/i.test(name) && /urlencoded/i.test(value));
  return new URLSearchParams(isForm && typeof body === 'string' ? body : '');
}
