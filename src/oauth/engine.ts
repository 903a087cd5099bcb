import type { AuthorizationServer, ClientAuth, CustomFetchOptions } from 'oauth4webapi';
import { defined, type Zone } from '../core/records.js';
import { holdSecret } from '../core/secret.js';
import { withoutMark } from '../core/text/bytes.js';
import { isVscharText } from '../core/text/characters.js';
import { asObject, type JsonObject, jsonTrouble, parseJson, unescapedJson } from '../core/text/json.js';
import { retryAfterMs } from '../core/time.js';
import type { HttpClient } from '../http/request.js';
import { type ClientAuthentication, clientAuthentication } from './client-authentication.js';
import { type Proofs, skewOf, usableNonce } from './dpop/proofs.js';
import type { OutOfOrder, RefusedRequest } from './failures.js';
import { errorWords } from './leniency.js';

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

/**
 * Reads the JSON object that an endpoint responds with; `null` counts as absent. What is no such object is a value: an
 * endpoint that is out of order, its refusal in whatever form, or a response that cannot be used.
 * @param how.hasBody False: success has no body that counts.
 */
export async function readResponse(
  response: Response,
  how: { readonly now: number; readonly hasBody?: boolean },
): Promise<{ readonly ok: true; readonly object: JsonObject } | FailedRequest> {
  const { status, headers } = response;
  const bytes = withoutMark(new Uint8Array(await response.arrayBuffer()));
  const parsed = parseJson(bytes);
  const object = parsed.ok ? asObject(parsed.value) : undefined;
  const { error } = object ?? {};
  // 200 for 201 and the other way round; an error is one with any status.
  if ((status === 200 || status === 201) && typeof error !== 'string' && asObject(error) === undefined) {
    if (object === undefined && how.hasBody !== false) {
      const isJson = parsed.ok || parsed.problem === 'not_json';
      return unusable(isJson ? 'it is not a JSON object' : jsonTrouble(parsed.problem, 'it'));
    }
    const present = Object.entries(object ?? {}).filter(([, value]) => value !== null);
    return { ok: true, object: Object.fromEntries(present) };
  }
  const words = errorWords(bytes);
  const { said, isPage } = words;
  if (status >= 500 || status === 429 || status === 408 || (status >= 400 && isPage)) {
    const wait = retryAfterMs(headers.get('retry-after') ?? undefined, how.now, 60_000);
    return { ok: false, problem: 'transient', status, retryAfterMs: wait, said, isPage };
  }
  const skew = skewOf(headers.get('date') ?? undefined, how.now);
  return { ok: false, problem: 'refused', status, error: words.error, said, skew };
}

/** Why a member of a response cannot be used as a text: the end of a sentence, which quotes nothing. Undefined: it can. */
export function memberProblem(
  object: JsonObject,
  name: string,
  longest: number,
  isFit: (text: string) => boolean = isVscharText,
): string | undefined {
  const value = object[name];
  const shown = `its ${name.replace(/_(token|code)$/, ' $1')}`;
  if (value === undefined) return `${shown} is missing`;
  if (typeof value !== 'string') return `${shown} is not a string`;
  if (value === '') return `${shown} is empty`;
  if (value.length > longest) return `${shown} is longer than ${longest} characters`;
  return isFit(value) ? undefined : `${shown} contains a forbidden character`;
}

/** Longest token or code of a response, in characters. */
export const longestToken = 16 * 1024;
