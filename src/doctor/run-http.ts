import { Secret } from '../core/secret.js';
import { isTokenText } from '../core/text/characters.js';
import { type JsonObject, parseObject, stringField, unescapedJson } from '../core/text/json.js';
import type { HttpClient, HttpRequest } from '../http/request.js';

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

/**
 * The HTTP client of what this run changes at an authorization server: it notes each token and client that comes of it, so
 * that they can be taken back however the run ends.
 */
export class RunHttp implements HttpClient {
  /** The latest last. */
  readonly issued: IssuedHere[] = [];
  readonly registered: RegisteredHere[] = [];
  /** Documents by their address, as they came last. */
  readonly documents = new Map<string, JsonObject>();
  /** The latest response of the token endpoint; tokens are in it. */
  tokenResponse: JsonObject | undefined;
  // Properties, and no methods: a client is spread where something is added to it.
  readonly check: HttpClient['check'];
  readonly send: HttpClient['send'];
  readonly [Symbol.asyncDispose] = async (): Promise<void> => undefined; // the HTTP client is not ours

  constructor(http: HttpClient) {
    this.check = (target) => http.check(target);
    this.send = async (request) => {
      const response = await http.send(request);
      if (request.body !== undefined && request.namedBy === 'person') return response; // of the protected server
      const bytes = async () => {
        const body = await response.bytes();
        this.#see(request, body);
        return body;
      };
      return { ...response, bytes };
    };
  }

  #see(request: HttpRequest, body: Uint8Array): void {
    const { method, url } = request;
    const object = parseObject(body);
    const form = formOf(request);
    if (method === 'GET' && object !== undefined) this.documents.set(url, object);
    if (method !== 'POST') return;
    const clientId = form.get('client_id') ?? '';
    if (form.has('grant_type')) {
      this.tokenResponse = object;
      this.#noteTokens(new TextDecoder().decode(body), clientId);
    } else if (object !== undefined && form.size === 0) {
      const registered = stringField(object, 'client_id');
      if (registered !== undefined) this.registered.push({ clientId: registered, endpoint: url, body: object });
    }
  }

  /** By a pattern: the tokens of a response that the login refuses are revoked, too. */
  #noteTokens(text: string, clientId: string): void {
    for (const [, member, escaped = ''] of text.matchAll(tokenMember)) {
      const token = unescapedJson(escaped);
      if (!isTokenText(token) || this.issued.length >= maxIssued) continue;
      const hint = member === 'refresh_token' ? 'refresh_token' : 'access_token';
      this.issued.push({ token: new Secret(token), hint, clientId });
    }
  }
}

function formOf({ body, headers = [] }: HttpRequest): URLSearchParams {
  const isForm = headers.some(([name, value]) => /^content-type$/i.test(name) && /urlencoded/i.test(value));
  return new URLSearchParams(isForm && typeof body === 'string' ? body : '');
}
