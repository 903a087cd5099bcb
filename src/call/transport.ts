import type { Relogin } from '../core/ports.js';
import type { LoginRecord } from '../core/records.js';
import type { HttpRequest, HttpResponse } from '../http/request.js';
import { type AuthorizedRequest, Authorizer, type ProtectedTarget } from '../tokens/authorizer.js';
import type { OpenServer } from '../tokens/find-login.js';
import { readRefusal } from '../tokens/server-words.js';
import { operationOf, personOf } from '../tokens/step-up.js';
import { type AuthorizerPorts, TokenInUse } from '../tokens/token-in-use.js';
import type { ProtectedTransport } from './session.js';

/** A request to the protected server, before the token is put on it. */
export type ProtectedRequest = Parameters<ProtectedTransport['send']>[0];

export interface TransportOptions {
  /** Without a login nothing of ours is put on requests: not every server asks for one. */
  readonly login: LoginRecord | OpenServer;
  readonly relogin: Relogin | undefined;
  readonly signal: AbortSignal;
}

/**
 * The way of `call` and `request` to a server: sends with the login's token, and once more where the authorizer has a
 * better one. The response is the caller's to dispose.
 */
export function createTransport(
  ports: AuthorizerPorts,
  { login, relogin, signal }: TransportOptions,
): ProtectedTransport {
  const own = login.key === undefined ? undefined : login;
  const tokens = new TokenInUse(ports, {
    meant: login,
    login: own,
    mayGoWithout: own === undefined,
    person: personOf(relogin),
    signal,
  });
  const authorizer = new Authorizer(tokens);
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
    const response = await http.send({ ...request, headers, namedBy: 'person', redirects: 'report' });
    const { status } = response;
    const challenges = response.headers.flatMap(([name, value]) => (name === 'www-authenticate' ? value : []));
    const refusal = status === 401 ? await readRefusal(clock, response) : { challenges };
    const retried = authorizer.retry(authorized, { status, ...refusal }, signal);
    if (retried !== undefined && status >= 300) await response[Symbol.asyncDispose]();
    const again = await retried;
    if (again === undefined) return response;
    authorized = again;
  }
}

function targetOf(request: ProtectedRequest): ProtectedTarget {
  const { url, body } = request;
  return {
    url,
    operation: () => operationOf(request),
    repeatable: () => typeof body !== 'object' || body instanceof Uint8Array,
  };
}

function headersOf(request: ProtectedRequest, { token }: AuthorizedRequest): HttpRequest['headers'] & object {
  const own = request.headers ?? [];
  if (token === undefined) return own;
  const others = own.filter(([name]) => name.toLowerCase() !== 'authorization');
  return [...others, ['authorization', token.bearer.reveal()]];
}
