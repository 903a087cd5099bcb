import { request } from 'node:http';
import type { SentResponse } from '../wire/response.js';
import { type Fault, headerOf, withHeader } from './fault.js';

/** E: what the browser brings back to the client's callback. */
export function callbackFaults(): readonly Fault[] {
  return [
    responseFault('callback-no-state', [85], 'no state', (query) => query.delete('state')),
    responseFault('callback-empty-state', [85], 'an empty state', (query) => query.set('state', '')),
    responseFault('callback-wrong-state', [84], 'another state', (query) => query.set('state', 'wrong')),
    responseFault('callback-wrong-iss', [36, 89], 'iss of another', (query) =>
      query.set('iss', 'https://evil.invalid'),
    ),
    responseFault('callback-missing-iss', [90], 'no iss, though announced', (query) => query.delete('iss')),
    responseFault('callback-iss-slash', [91], 'iss differs by a slash', (query) =>
      query.set('iss', `${query.get('iss')}/`),
    ),
    responseFault('callback-duplicate-code', [88], 'two codes', (query) =>
      query.append('code', 'another-code-of-this-fault'),
    ),
    responseFault('callback-duplicate-state', [88], 'the state twice', (query) =>
      query.append('state', query.get('state') ?? ''),
    ),
    responseFault('callback-code-and-error', [88], 'a code and an error', (query) =>
      query.append('error', 'access_denied'),
    ),
    responseFault('callback-bad-code', [94], 'a code with a line break', (query) => query.set('code', 'a\r\nb')),
    responseFault('callback-huge-code', [94], 'a code of 6 KB', (query) => query.set('code', 'x'.repeat(6000))),
    responseFault('callback-wrong-code', [92], 'a code that was never issued', (query) =>
      query.set('code', 'injected'),
    ),
    responseFault('callback-hostile-error', [95, 96], 'an error aimed at page and terminal', (query) => {
      query.delete('code');
      query.set('error', 'server_error');
      query.set('error_description', '<script>alert(1)</script>\u001b]52;c;b3duZWQ=\u0007\r\nDone.');
      query.set('error_uri', 'javascript:alert(1)');
    }),
    foreignFault('callback-error-no-state', [86], 'first a stray error without state, then the real answer', {
      error: 'access_denied',
    }),
    foreignFault('callback-stray-code', [84], 'first a code with another state, then the real answer', {
      code: 'injected',
      state: 'wrong',
    }),
  ];
}

function responseFault(
  name: string,
  rows: readonly number[],
  what: string,
  change: (query: URLSearchParams) => unknown,
): Fault {
  return callbackFault(name, rows, what, (target, response) => {
    change(target.searchParams);
    return withHeader(response, 'location', target.href);
  });
}

/** Sends what any page in the person's browser could send, and waits for it, before the real response. */
function foreignFault(name: string, rows: readonly number[], what: string, query: Record<string, string>): Fault {
  return callbackFault(name, rows, what, async (target, reply) => {
    const foreign = new URL(target.pathname, target);
    foreign.search = new URLSearchParams(query).toString();
    await visit(foreign);
    return reply;
  });
}

function callbackFault(
  name: string,
  rows: readonly number[],
  what: string,
  change: (target: URL, response: SentResponse) => SentResponse | Promise<SentResponse>,
): Fault {
  return {
    ...{ name, rows, what },
    rewrite: ({ point }, response) => {
      const target = point === 'authorization' ? callbackOf(response) : undefined;
      return target === undefined ? response : change(target, response);
    },
  };
}

/** The address of an authorization response: a redirect to plain http that carries a code or an error. */
function callbackOf(reply: SentResponse): URL | undefined {
  const location = headerOf(reply, 'location');
  if (location === undefined || !location.startsWith('http://')) return undefined;
  const target = new URL(location);
  return target.searchParams.has('code') || target.searchParams.has('error') ? target : undefined;
}

function visit(url: URL): Promise<void> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  return new Promise((resolve) => {
    const sent = request(url, { headers, agent: false, timeout: 5000 }, (reply) => {
      reply.resume();
      reply.once('close', resolve);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve());
    sent.end();
  });
}
