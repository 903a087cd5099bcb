import type { AuthorizationServer, ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import { defined, type Zone } from '../core/records.js';
import { holdSecret } from '../core/secret.js';
import { withoutMark } from '../core/text/bytes.js';
import { asObject, type JsonObject, jsonTrouble, parseJson, unescapedJson } from '../core/text/json.js';
import { retryAfterMs } from '../core/time.js';
import type { HttpClient } from '../http/request.js';
import { type ClientAuthentication, clientAuthentication } from './client-authentication.js';
import { type Proofs, skewOf, usableNonce } from './dpop/proofs.js';
import type { OutOfOrder, RefusedRequest } from './failures.js';
import { errorWords, type Repair, tidyResponse } from './leniency.js';

type OAuth = typeof import('oauth4webapi');

/** An endpoint of an authorization server, and as whom it is asked. */
export interface EndpointRequest {
  readonly endpoint: string;
  readonly issuer: string;
  readonly client: ClientAuthentication;
  /** Of the login's key (RFC 9449); undefined: it has none. */
  readonly dpop?: Proofs | undefined;
  readonly zone: Zone;
  readonly signal: AbortSignal;
}

/** `why` ends a sentence about the response, and quotes nothing of it. */
export interface UnusableResponse {
  readonly ok: false;
  readonly problem: 'unusable';
  readonly why: string;
}

export function unusable(why: string): UnusableResponse {
  return { ok: false, problem: 'unusable', why };
}

export type FailedRequest = RefusedRequest | OutOfOrder | UnusableResponse;

/** Limits of one request to an endpoint: 64 KiB, 15 s in all. */
const endpointLimits = { of: 'token', totalMs: 15_000, headersMs: 15_000, maxBytes: 64 * 1024 } as const;

/** Statuses of responses that have no body (Fetch standard). */
const bodyless: readonly number[] = [204, 205, 304];

/**
 * Lets a request of the library out through the HTTP client: once, never redirected, under our limits.
 * @throws Failure of the HTTP client
 */
export function sendingBy(
  http: HttpClient,
  { endpoint, zone, dpop, signal }: Pick<EndpointRequest, 'endpoint' | 'zone' | 'dpop' | 'signal'>,
) {
  return async (_url: string, { body, headers }: CustomFetchOptions<'POST', URLSearchParams | string>) => {
    const { authorization, 'content-type': type = '' } = headers;
    const sent = body.toString();
    // Made by the library: our own parts of it are secrets already.
    for (const made of [authorization?.replace(/^\S+ /, ''), new URLSearchParams(sent).get('client_assertion')]) {
      holdSecret(made ?? '');
    }
    await using response = await http.send({
      method: 'POST',
      // As the metadata spells it: the library's own parsing would repair it.
      url: endpoint,
      headers: [
        ['content-type', type.split(';', 1)[0] ?? ''],
        ['accept', 'application/json'],
        ...(authorization === undefined ? [] : ([['authorization', authorization]] as const)),
        ...(dpop === undefined ? [] : ([['dpop', dpop.proof({ method: 'POST', url: endpoint }).reveal()]] as const)),
      ],
      body: sent,
      namedBy: zone,
      redirects: 'refuse',
      limits: endpointLimits,
      signal,
    });
    const { status } = response;
    const bytes = new Uint8Array(await response.bytes());
    holdReceived(bytes);
    const readable = readHeaders(response.headers);
    dpop?.learn(endpoint, readable['dpop-nonce']);
    return new Response(bodyless.includes(status) ? null : bytes, {
      status: status < 200 || status > 599 ? 599 : status, // the standard's class takes no other
      headers: readable,
    });
  };
}

/** Members of a response whose values are secrets, also where the rest of it is broken. */
const secretMembers =
  /"(?:access_token|refresh_token|id_token|client_secret|registration_access_token|device_code)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

function holdReceived(bytes: Uint8Array): void {
  for (const [, value = ''] of new TextDecoder().decode(bytes).matchAll(secretMembers))
    holdSecret(unescapedJson(value));
}

/** Of all that comes only what is used. */
function readHeaders(headers: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const first = (wanted: string) => headers.find(([name]) => name === wanted)?.[1];
  const short = (value = '') => (/^[\x20-\x7e]{1,64}$/.test(value) ? value : undefined);
  const read = {
    'retry-after': short(first('retry-after')),
    date: short(first('date')),
    'dpop-nonce': usableNonce(first('dpop-nonce')),
  };
  return defined(read);
}

type Endpoint = `${'token' | 'pushed_authorization_request' | 'device_authorization' | 'revocation'}_endpoint`;

/** What the library's request functions take: as whom and where to ask, and the way out. */
export async function callTo(name: Endpoint, http: HttpClient, request: EndpointRequest) {
  const oauth = await import('oauth4webapi');
  const as: AuthorizationServer = { issuer: request.issuer, [name]: request.endpoint };
  const client = { client_id: request.client.clientId };
  const authentication: ClientAuth = await clientAuthentication(request.client);
  // The HTTP client keeps plain http to loopback, for every endpoint.
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: sendingBy(http, request) };
  return { oauth, as, client, authentication, options };
}

/** What the library's process functions take with the response; nothing of it decides. */
export const anyServer = { issuer: 'https://issuer.invalid' };
export const anyClient = { client_id: 'client' };

/**
 * Validates the response of an endpoint with a process function of the library. Before it come an endpoint out of order,
 * which is no refusal, our own JSON parser, which refuses duplicate members, and what `leniency` puts right.
 */
export async function validateResponse<Body>(
  response: Response,
  how: {
    readonly success: 200 | 201;
    readonly now: number;
    readonly repair?: Repair;
    /** False: success has no body that counts. */
    readonly hasBody?: boolean;
    readonly process: (oauth: OAuth, response: Response) => Promise<Body>;
  },
): Promise<{ readonly ok: true; readonly body: Body } | FailedRequest> {
  const { status } = response;
  const bytes = withoutMark(new Uint8Array(await response.arrayBuffer()));
  const words = status < 400 ? undefined : errorWords(bytes);
  if (words !== undefined && (status >= 500 || status === 429 || status === 408 || words.isPage)) {
    const wait = retryAfterMs(response.headers.get('retry-after') ?? undefined, how.now, 60_000);
    const { said, isPage } = words;
    return { ok: false, problem: 'transient', status, retryAfterMs: wait, said, isPage };
  }
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const tidy = tidyResponse({ status, object }, how);
  if (tidy.status === how.success && object === undefined && how.hasBody !== false) {
    const isJson = parsed.ok || parsed.problem === 'not_json';
    return unusable(isJson ? 'it is not a JSON object' : jsonTrouble(parsed.problem, 'it'));
  }
  const oauth = await import('oauth4webapi');
  try {
    return { ok: true, body: await how.process(oauth, tidy) };
  } catch (cause) {
    if (tidy.status !== how.success) {
      const skew = skewOf(response.headers.get('date') ?? undefined, how.now);
      const { error, said } = words ?? errorWords(bytes);
      return { ok: false, problem: 'refused', status, error, said, skew };
    }
    if (!isVerdict(oauth, cause)) throw cause;
    return unusable(whyUnusable(cause, object));
  }
}

/** Is this what the library thinks of a response, and no fault of ours? */
export function isVerdict(oauth: OAuth, error: unknown): error is Error {
  return error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError;
}

/** The library's complaint about one member, in our words; nothing is quoted. */
function whyUnusable(error: Error, object: JsonObject | undefined): string {
  const name = /"(\w+)" property/.exec(error.message)?.[1];
  if (name === undefined) return 'it is not what the standard says';
  const value = object?.[name];
  const shown = name.replace(/^(access|refresh)_/, '$1 ');
  if (value === undefined || value === null) return `its ${shown} is missing`;
  if (value === '') return `its ${shown} is empty`;
  return `its ${shown} ${typeof value === 'string' || name.includes('expires') ? 'is malformed' : 'is not a string'}`;
}
