import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Walk, walkLogin } from '../support/product.js';
import type { Sandbox } from '../support/start-sandbox.js';

/** A client made of plain requests, to see what the sandbox does with right and wrong ones. */
export interface Callback extends AsyncDisposable {
  readonly redirectUri: string;
  /** The query of every request that reached it, in order. */
  readonly seen: readonly URLSearchParams[];
}

/** Listens where a login ends, and notes what comes. */
export async function listenForCallback(): Promise<Callback> {
  const seen: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    seen.push(new URL(request.url ?? '/', 'http://127.0.0.1').searchParams);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>done</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Json = Readonly<Record<string, unknown>>;

export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
}

export async function register(sandbox: Sandbox, metadata: Json): Promise<JsonAnswer> {
  const response = await fetch(`${sandbox.issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

/** A native public client as most programs register: the identifier it got. */
export async function registerNative(sandbox: Sandbox, more: Json = {}): Promise<string> {
  const { json } = await register(sandbox, {
    client_name: 'Test program',
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...more,
  });
  return String(json['client_id']);
}

export const verifier = randomBytes(32).toString('base64url');
export const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Parameters of a request; null leaves one out that would be there. */
export type Changes = Readonly<Record<string, string | readonly string[] | null>>;

export function authorizationUrl(sandbox: Sandbox, changes: Changes): string {
  const url = new URL(`${sandbox.issuer}/authorize`);
  const usual = {
    response_type: 'code',
    state: 'our state',
    scope: 'mcp:basic notes:read',
    resource: sandbox.serverUrl,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  url.search = parameters({ ...usual, ...changes }).toString();
  return url.href;
}

export async function tokenRequest(
  sandbox: Sandbox,
  changes: Changes,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const response = await fetch(`${sandbox.issuer}/token`, {
    method: 'POST',
    headers,
    body: parameters({ resource: sandbox.serverUrl, ...changes }),
    redirect: 'manual',
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: (text.startsWith('{') ? JSON.parse(text) : {}) as Json,
  };
}

/** A whole login: the authorization response's parameters, and the code ready to be redeemed. */
export async function loggedIn(
  sandbox: Sandbox,
  callback: Callback,
  clientId: string,
  changes: Changes = {},
  walk: Walk = {},
): Promise<{ readonly answer: URLSearchParams; readonly redemption: Changes }> {
  const request = { client_id: clientId, redirect_uri: callback.redirectUri, ...changes };
  await walkLogin(authorizationUrl(sandbox, request), walk);
  const answer = callback.seen.at(-1) ?? new URLSearchParams();
  return {
    answer,
    redemption: {
      grant_type: 'authorization_code',
      code: answer.get('code'),
      client_id: clientId,
      redirect_uri: callback.redirectUri,
      code_verifier: verifier,
    },
  };
}

const tokens = new WeakMap<Sandbox, Promise<string>>();

/** An access token with the usual scopes, of one login for each sandbox. */
export function tokenOf(sandbox: Sandbox): Promise<string> {
  const token = tokens.get(sandbox) ?? newToken(sandbox);
  tokens.set(sandbox, token);
  return token;
}

async function newToken(sandbox: Sandbox): Promise<string> {
  await using callback = await listenForCallback();
  const { redemption } = await loggedIn(sandbox, callback, await registerNative(sandbox));
  return String((await tokenRequest(sandbox, redemption)).json['access_token']);
}

/** The claims of a JWT, unverified. */
export function claimsOf(token: unknown): Json {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString('utf8')) as Json;
}

function parameters(changes: Changes): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(changes)) {
    for (const one of value === null ? [] : [value].flat()) result.append(name, one as string);
  }
  return result;
}
