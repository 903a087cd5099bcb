import type { ClientAuth } from 'oauth4webapi';
import { withoutMark } from '../core/text/bytes.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { lifetimeSeconds } from '../core/time.js';

/**
 * What real servers send and oauth4webapi refuses (field notes 1, 4, 6, 11, 12 and 17). Each exception has a name and puts the
 * response right before the library validates it; nothing else is forgiven.
 */

/** What the body of an error says: a code of the standard's, or ''; words for a person, or ''. Untrusted: shown through `quoted` alone. */
export interface ErrorWords {
  readonly error: string;
  readonly said: string;
  /** It is a web page, as firewalls and proxies send them: nothing that this endpoint has said. */
  readonly isPage: boolean;
}

/** Members that words stand in, the best first: RFC 6749 section 5.2, RFC 9457, and what frameworks make. */
const sayers = [
  ...['error_description', 'errorSummary', 'message', 'detail', 'msg', 'defaultMessage', 'description', 'reason'],
  'errors',
];

const longestWords = 500;

/** Reads the body of an error of any endpoint, in whatever form it comes: the standard's, a problem, lists, nested, plain text. */
export function errorWords(body: Uint8Array): ErrorWords {
  const parsed = parseJson(withoutMark(body));
  if (parsed.ok) {
    const object = asObject(parsed.value) ?? {};
    const { error } = object;
    const inner = asObject(error) ?? {};
    const code =
      [error, inner['code'], inner['status'], inner['type'], inner['error']].find((one) => typeof one === 'string') ??
      '';
    const said = Array.isArray(parsed.value) ? wordsOf(parsed.value) : wordsIn(object) || wordsIn(inner);
    return { error: cut(code), said: cut(said), isPage: false };
  }
  const text = new TextDecoder().decode(body.subarray(0, 4096)).replace(/\s+/g, ' ').trim();
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '';
  if (text.startsWith('<')) return { error: '', said: cut(title), isPage: true };
  return { error: '', said: /^[[{"]/.test(text) ? '' : cut(text), isPage: false };
}

const cut = (text: string) => text.trim().slice(0, longestWords);

function wordsIn(object: JsonObject, depth = 3): string {
  const title = typeof object['title'] === 'string' ? object['title'] : '';
  const said = sayers.map((name) => wordsOf(object[name], depth)).find((words) => words !== '') ?? '';
  return [...new Set([title.trim(), said])].filter(Boolean).join(': ');
}

/** Lists of objects, and objects of lists: `[{"msg": …}]`, `{"redirect_uris": ["is invalid"]}`. */
function wordsOf(value: JsonValue | undefined, depth = 3): string {
  if (typeof value === 'string') return value.trim();
  if (depth === 0 || typeof value !== 'object' || value === null) return '';
  const own = asObject(value);
  const said = own === undefined ? '' : wordsIn(own, depth - 1);
  const parts = Object.values(value).map((one) => wordsOf(one, depth - 1));
  return said || parts.filter(Boolean).slice(0, 5).join('; ');
}

/**
 * Of every endpoint: 200 where the standard says 201; an error with any other status than 4xx; no media type, or another; a 401 that says in
 * its body what is wrong, whatever its challenge; `null` for absent.
 */
export function tidyResponse(
  { status, object }: { readonly status: number; readonly object: JsonObject | undefined },
  { success, repair = (same) => same }: { readonly success: 200 | 201; readonly repair?: Repair },
): Response {
  const { error } = object ?? {};
  const isError = typeof error === 'string' || asObject(error) !== undefined;
  const isSuccess = (status === 200 || status === success) && !isError;
  const tidy = isSuccess && object !== undefined ? repair(withoutNulls(object)) : object;
  return new Response(tidy === undefined ? null : JSON.stringify(tidy), {
    status: isSuccess ? success : status >= 400 && status < 500 ? status : 400,
    headers: { 'content-type': 'application/json' },
  });
}

export type Repair = (object: JsonObject) => JsonObject;

/** `null` for absent. */
function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/**
 * Of a token response: a lifetime that is a string of digits, or none at all. The ID token is kept from the library: it
 * tells whose login it is and grants nothing, so that one that is expired or signed in another way ends no login.
 */
export function tidyToken({ expires_in: lifetime, id_token: _, ...object }: JsonObject): JsonObject {
  const known = lifetimeSeconds(lifetime);
  return known.kind === 'known' ? { ...object, expires_in: known.seconds } : object;
}

/** Of a device authorization: a lifetime that is a string of digits, and extras (interval, complete URI) of no use. */
export function tidyDevice(object: JsonObject): JsonObject {
  const { expires_in: lifetime, interval, verification_uri_complete: complete, ...rest } = object;
  const known = lifetimeSeconds(lifetime);
  const isTime = typeof interval === 'number' && Number.isFinite(interval);
  return {
    ...rest,
    ...(known.kind === 'known' ? { expires_in: known.seconds } : {}),
    ...(isTime ? { interval: Math.max(1, Math.ceil(interval)) } : {}),
    ...(typeof complete === 'string' && complete !== '' ? { verification_uri_complete: complete } : {}),
  };
}

/** Of a registration: a secret without `client_secret_expires_at`, or with one that is a string of digits. */
export function tidyRegistration(object: JsonObject): JsonObject {
  const expires = object['client_secret_expires_at'] ?? 0;
  const isDigits = typeof expires === 'string' && /^\d{1,15}$/.test(expires);
  return { ...object, client_secret_expires_at: isDigits ? Number(expires) : expires };
}

/**
 * Basic authentication encoded as forms are, and no further (RFC 6749 section 2.3.1 and appendix B). The library escapes
 * `-`, `.` and `_` as well, which decodes to the same, but not at the servers that do not decode.
 */
export function plainBasic(secret: string): ClientAuth {
  const encoded = (text: string) => new URLSearchParams({ v: text }).toString().slice('v='.length);
  return (_server, { client_id: id }, _form, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encoded(id)}:${encoded(secret)}`)}`);
  };
}
