import type { Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import { withSecretHeaders } from '../core/text/secret-headers.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';
import { type AuthorizedRequest, Authorizer, type ProtectedTarget } from '../tokens/authorizer.js';
import type { OpenServer } from '../tokens/find-login.js';
import { readRefusal } from '../tokens/server-words.js';
import { operationOf, personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';

/** A request to the protected server, before the token is put on it. */
export type ProtectedRequest = Omit<HttpRequest, 'namedBy' | 'redirects'>;

interface TransportOptions {
  /** Without a login no token is sent. */
  readonly login: LoginRecord | OpenServer;
  readonly relogin: Relogin | undefined;
  readonly signal: AbortSignal;
}

/** The tokens of `call` and `request`, and what puts them on requests. */
export function authorizerFor(
  ports: AuthorizerPorts,
  { login, relogin, signal }: TransportOptions,
): { readonly tokens: TokenInUse; readonly authorizer: Authorizer } {
  const own = login.key === undefined ? undefined : login;
  const tokens = new TokenInUse(ports, {
    meant: login,
    login: own,
    mayGoWithout: own === undefined,
    person: personOf(relogin),
    signal,
  });
  return { tokens, authorizer: new Authorizer(tokens) };
}

/** Sends one HTTP request with the login's token, and once more where the authorizer has a better one. */
export function createTransport(
  ports: AuthorizerPorts,
  options: TransportOptions,
): { send(request: ProtectedRequest): Promise<HttpResponse> } {
  const { authorizer } = authorizerFor(ports, options);
  return { send: (request) => send(ports, authorizer, request) };
}

async function send(
  { http, clock }: AuthorizerPorts,
  authorizer: Authorizer,
  request: ProtectedRequest,
): Promise<HttpResponse> {
  const { signal } = request;
  let authorized = await authorizer.authorize(targetOf(request), signal);
  for (;;) {
    const headers = headersOf(request, authorized);
    const { token } = authorized;
    const held = authorized;
    const headersAgain = token?.bound && (() => headersOf(request, authorizer.repeat(held)));
    const response = await http.send({ ...request, headers, headersAgain, namedBy: 'person', redirects: 'report' });
    const { status } = response;
    const challenges = response.headers.flatMap(([name, value]) => (name === 'www-authenticate' ? value : []));
    const header = (wanted: string) => response.headers.find(([name]) => name === wanted)?.[1];
    const refusal = status === 401 ? await readRefusal(clock, response) : { challenges };
    const retried = authorizer.retry(authorized, { status, header, ...refusal }, signal);
    if (retried !== undefined && status >= 300) await response[Symbol.asyncDispose]();
    const again = await retried;
    if (again === undefined) return response;
    authorized = again;
  }
}

function targetOf(request: ProtectedRequest): ProtectedTarget {
  const { url, method, body } = request;
  return {
    url,
    method,
    operation: () => operationOf(request),
    repeatable: () => typeof body !== 'object' || body instanceof Uint8Array,
  };
}

/** What a person types for this very request goes before what is kept for all, the token aside. */
function headersOf({ headers = [] }: ProtectedRequest, { own }: AuthorizedRequest): HttpRequest['headers'] & object {
  const typed = new Set(headers.map(([name]) => name.toLowerCase()));
  return withSecretHeaders(
    headers,
    own.filter(({ name }) => name === 'authorization' || name === 'dpop' || !typed.has(name.toLowerCase())),
  );
}
