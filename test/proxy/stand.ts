import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { openRelayOrigins } from '../../src/app/relay-origins.js';
import type { HttpOptions } from '../../src/http/origins.js';
import type { ProxyMount, ProxyOptions, RunningProxy } from '../../src/proxy/ports.js';
import { openProxy, proxyPool } from '../../src/proxy/server.js';
import { Authorizer, requestToken, Secret, type TokenSource } from '../support/product.js';

/** The token that mounts of these tests send, unless told otherwise. */
export const firstToken = 'canary-token-0';

/** A mount whose login is made up: tokens `canary-token-0`, `-1` … */
export interface TestMount extends ProxyMount {
  /** How often the server's 401 made another token be asked for. */
  readonly renewals: readonly string[];
}

/** A mount for that server, with a new token after each 401. */
export function mountOf(
  server: string,
  { name = 'm', ...change }: Partial<Pick<ProxyMount, 'name'> & TokenSource> = {},
): TestMount {
  const renewals: string[] = [];
  let token = tokenFor(server, firstToken);
  const source: TokenSource = {
    meant: { server },
    withoutToken: [],
    current: () => token,
    replace: async (refused) => {
      renewals.push(refused?.accessToken.reveal() ?? '');
      token = tokenFor(server, `canary-token-${renewals.length}`);
      return token;
    },
    widen: async () => assert.fail('more scope is wanted'),
    accepted: () => undefined,
    doubt: () => undefined,
    ...change,
  };
  return { name, server, authorizer: new Authorizer(source), policy: undefined, renewals };
}

export const tokenFor = (server: string, accessToken: string) => requestToken(server, new Secret(accessToken));

/** A real proxy in this process, before mounts that a test brings. */
export interface Stand extends AsyncDisposable {
  readonly proxy: RunningProxy;
  readonly port: number;
  readonly key: string;
  /** Path of a mount, key included. */
  at(rest?: string, mount?: string): string;
  /** Failures that were reported, by code or as text. */
  readonly failures: readonly string[];
}

export async function openStand(
  mounts: ProxyMount | readonly ProxyMount[],
  change: Partial<ProxyOptions> = {},
  wayOut: Partial<HttpOptions> = {},
): Promise<Stand> {
  const failures: string[] = [];
  const http = { env: {}, userAgent: 'postern-test', ...wayOut };
  const proxy = await openProxy(openRelayOrigins(http, proxyPool), {
    mounts: [mounts].flat(),
    listen: { port: 0 },
    key: true,
    limits: { headMs: 20_000, silenceMs: null },
    failed: (_mount, failure) =>
      void failures.push(failure instanceof Error && 'code' in failure ? String(failure.code) : String(failure)),
    log: undefined,
    ...change,
  });
  const key = proxy.key?.reveal() ?? '';
  return {
    proxy,
    port: Number(new URL(proxy.origin).port),
    key,
    at: (rest = '', mount = 'm') => `${key === '' ? '' : `/${key}`}/${mount}${rest}`,
    failures,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly raw: readonly string[];
  readonly body: string;
  /** Code of an answer of the proxy's own. */
  readonly code: string | undefined;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Uint8Array;
}

/** One request to the stand, its answer read whole. */
export async function ask(stand: Pick<Stand, 'port'>, path: string, options: AskOptions = {}): Promise<Answer> {
  const response = await open(stand, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const isOwn = body.startsWith('{"error":');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    raw: response.rawHeaders,
    body,
    code: isOwn ? JSON.parse(body).error.code : undefined,
  };
}

/** One request to the stand; its answer as it comes. */
export function open(
  { port }: Pick<Stand, 'port'>,
  path: string,
  { method = 'GET', headers = {}, body }: AskOptions = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false });
    request.once('response', resolve).once('error', reject);
    request.end(body);
  });
}

/** Writes these bytes and nothing more, and reads until the other side closes, or has been silent for a while. */
export function raw(port: number, bytes: string | Uint8Array, silenceMs = 3_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let read = '';
    const done = () => {
      socket.destroy();
      resolve(read);
    };
    socket.setTimeout(silenceMs, done);
    socket.setEncoding('latin1').on('data', (text: string) => {
      read += text;
    });
    socket.on('error', () => undefined).on('close', done);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}
