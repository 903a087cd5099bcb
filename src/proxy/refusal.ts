import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { headerText, type ServerResponse } from '../relay/server-response.js';
import { inertPage } from './forwarded-headers.js';

/** A response of the proxy's own. `close`: nothing that follows on this connection can be believed. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** One sentence with nothing of the server's, the caller's or ours in it that would be worth hiding. */
  readonly message: string;
  readonly close?: boolean;
}

const refusals = {
  wrong_host: [421, 'This address does not belong to the proxy: use the one that it printed.'],
  cross_site: [403, 'Requests from web pages are refused.'],
  bad_request: [400, 'This request can be read in more than one way.'],
  bad_target: [
    400,
    'This path is not plain: it must stay below the server’s address, without dot segments or encoded slashes.',
  ],
  expectation_refused: [417, 'Nothing but 100-continue can be expected here.'],
  upgrade_refused: [400, 'Connections are not upgraded here.'],
  version_refused: [505, 'HTTP/1.1 is needed.'],
  too_many_headers: [431, 'There are too many headers.'],
  key_needed: [401, 'The local key is missing or wrong: use the address that postern proxy printed.'],
  no_such_mount: [404, 'No server is mounted at this path.'],
  session_of_other_server: [400, 'This session belongs to another server of this proxy.'],
  address_not_lent: [403, 'Only some tools are lent here, so that no other address of the server is.'],
  method_not_lent: [405, 'Only some tools are lent here: this method, or a body with it, is not passed on.'],
  form_not_lent: [415, 'Only some tools are lent here: messages are JSON in UTF-8 (application/json), not compressed.'],
  message_not_lent: [400, 'Only some tools are lent here, and this message can be read in more than one way.'],
  message_too_large: [413, 'Only some tools are lent here: a message has 8 MiB at most.'],
  response_not_lent: [502, 'Only some tools are lent here, and the server’s answer cannot be read for them.'],
  too_many_requests: [503, 'Too many requests are under way.'],
  body_stalled: [408, 'The body of the request did not come.'],
  ending: [503, 'The proxy is ending.'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** A refusal of the caller's request, for a reason that lies in it. */
export function refusal(code: keyof typeof refusals, close = false): Refusal {
  const [status, message] = refusals[code];
  return { status, code, message, close };
}

/** Responds with a refusal; a response that has begun already is broken off instead. @param id names the request */
export function refuse(response: ResponseOut, { status, code, message, close }: Refusal, id: string): void {
  if (response.begun) {
    response.breakOff();
    return;
  }
  const body = Buffer.from(`${JSON.stringify({ error: { code, message }, request: id })}\n`);
  respondWith(response, body, close === true, status);
}

/** Responds with JSON of ours. */
export function respondWith(response: ResponseOut, body: Uint8Array, close: boolean, status = 200): void {
  const lines = ['content-type', 'application/json', 'cache-control', 'no-store', ...inertPage];
  const headers = headerText([...lines, 'date', new Date().toUTCString()]);
  response.head({ status, headers, length: body.byteLength }, close);
  response.data(body);
  response.end();
}

/** Where a response is written to. */
export type ResponseOut = Pick<ServerResponse, 'begun' | 'head' | 'data' | 'end' | 'breakOff'>;

/** The response for what went wrong on the way to the server, or with its login. */
export function refusalFor(error: unknown): Refusal {
  const code = error instanceof Failure ? error.code : 'fault';
  const [status, sentence] = statusOf(code, error instanceof Failure ? error.exit : undefined);
  return { status, code, message: `${sentence} ${advice(error)}` };
}

/** What is to be typed, where a person has to act: the caller's may see no terminal of ours. */
function advice(error: unknown): string {
  const isPersons =
    error instanceof Failure && [exitCode.loginNeeded, exitCode.store].some((exit) => exit === error.exit);
  return isPersons ? error.remedy : 'Where postern proxy runs, its terminal or its log says more.';
}

function statusOf(code: string, exit: ExitCode | undefined): readonly [status: number, sentence: string] {
  if (code.startsWith('dpop_'))
    return [502, 'The proofs of this login’s key are not taken, or its token is not bound to it.'];
  if (exit === exitCode.loginNeeded) {
    if (code === 'token_refused') return [401, 'The server rejects the token of this login.'];
    if (code === 'insufficient_scope') return [403, 'The login lacks the scope for this.'];
    return [503, 'A login is needed.'];
  }
  if (exit === exitCode.refused) return [403, 'The server wants more scope than this login has.'];
  if (exit === exitCode.store) return [503, 'The store of the login is not available.'];
  return [code === 'timed_out' ? 504 : 502, 'The server could not be reached, or its response was invalid.'];
}
