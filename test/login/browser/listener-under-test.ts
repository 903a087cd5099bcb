import { randomBytes } from 'node:crypto';
import { get } from 'node:http';
import { connect } from 'node:net';
import { usualRedirectUri } from '../../../src/core/configuration/redirect-uri.js';
import { type CallbackListener, listenForCallback } from '../../../src/login/browser/callback-listener.js';
import type { CallbackLimits } from '../../../src/login/browser/open-server.js';
import type { AuthorizationResponse } from '../../../src/oauth/authorization-response.js';
import { Secret } from '../../support/product.js';

export const authorizationUrl = 'https://as.example/authorize?client_id=c&state=in-the-url';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An armed callback listener with what a test needs to talk to it. */
export interface UnderTest extends AsyncDisposable {
  readonly listener: CallbackListener;
  readonly port: number;
  /** Of the request whose address the terminal shows. */
  readonly state: string;
  /** Of each request, in the order in which they were made. */
  readonly states: readonly string[];
  /** Our one-time URL in the opener's arguments. */
  readonly link: string;
  readonly answer: Promise<AuthorizationResponse>;
  /** True while nothing has ended the wait. */
  isWaiting(): boolean;
  /** An ordinary GET. */
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** A callback with our state, or that one, that goes on to the final page and says what that answered. */
  callBack(query: string, headers?: Readonly<Record<string, string>>, state?: string): Promise<Reply>;
}

/** Opens and arms a listener. `limits` replaces single limits of the program's own. */
export async function underTest(
  limits: Partial<CallbackLimits> = {},
  leadsTo: string = authorizationUrl,
): Promise<UnderTest> {
  const listener = await listenForCallback({ ...usualRedirectUri, port: 0 }, limits);
  const state = randomBytes(32).toString('base64url');
  const next = [state];
  const states: string[] = [];
  listener.arm({
    newRequest: async () => {
      const made = next.shift() ?? randomBytes(32).toString('base64url');
      states.push(made);
      return { state: new Secret(made), url: leadsTo, once: false };
    },
  });
  await listener.address();
  const link = listener.link('opener');
  const port = Number(new URL(listener.redirectUri).port);
  let waiting = true;
  const answer = listener.response;
  const settled = (): void => {
    waiting = false;
  };
  answer.then(settled, settled);
  const ask = (target: string, headers = {}): Promise<Reply> => getFrom(port, target, headers);
  return {
    listener,
    port,
    state,
    states,
    link,
    answer,
    isWaiting: () => waiting,
    get: ask,
    callBack: async (query, headers, of = state) => {
      const reply = await ask(`/callback?${query}&state=${of}`, headers);
      return ask(reply.headers['location']?.replace(`http://127.0.0.1:${port}`, '') ?? '/no-location');
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

export function getFrom(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part) => {
        body += part;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body }),
      );
    });
    request.once('error', reject);
  });
}

/** Sends bytes as they are and returns everything that came back until the connection ended. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let received = '';
    socket.setEncoding('latin1').on('data', (part) => {
      received += part;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(received));
  });
}

/** The status of a raw reply; 0 when the connection was ended without one. */
export function statusOf(reply: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(reply)?.[1] ?? 0);
}
