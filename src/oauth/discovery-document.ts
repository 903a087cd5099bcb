import { Failure, type Step } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { Zone } from '../core/records.js';
import type { SecretHeader } from '../core/secret.js';
import { withoutMark } from '../core/text/bytes.js';
import { asObject, type JsonObject, type JsonValue, parseJson } from '../core/text/json.js';
import { quoted } from '../core/text/printable.js';
import { withSecretHeaders } from '../core/text/secret-headers.js';
import { gateUrl, originOf, splitUrl } from '../core/url.js';
import type { HttpClient, HttpPorts, HttpRequest } from '../http/request.js';
import { OtherIssuer } from './failures.js';

export type DiscoveryPorts = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress'>;

/** What a protected server wants with each request, beside a token. */
interface ServerHeaders {
  /** Its canonical URL. */
  readonly server: string;
  readonly headers: readonly SecretHeader[];
}

/**
 * The HTTP client, putting these headers on requests to the server's very address, whose redirects nobody follows. All
 * others leave as they are: those to an authorization server, to documents, to any other address.
 */
export function httpWithHeaders(http: HttpClient, { server, headers }: ServerHeaders): HttpClient {
  if (headers.length === 0) return http;
  return {
    check: (target) => http.check(target),
    send: (request) => {
      const isServers = request.url === server && request.namedBy === 'person' && request.redirects === 'report';
      return http.send(
        isServers ? { ...request, headers: withSecretHeaders(request.headers ?? [], headers) } : request,
      );
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** A document that is not used: what came, the rule that it breaks, and the failure that this is. */
export interface RefusedDocument {
  readonly ok: false;
  readonly came: string;
  readonly rule: string;
  readonly failure: Failure;
}

export function refused(came: string, rule: string, failure: Failure): RefusedDocument {
  return { ok: false, came, rule, failure };
}

/** An address that gave no document, or another issuer's. */
interface Miss {
  readonly url: string;
  readonly why: string;
  readonly failure: Failure | undefined;
  /** Something came that cannot be read. */
  readonly isBroken: boolean;
  /** There is no such page. */
  readonly isAbsent?: boolean;
}

/** For messages. */
export function triedInWords(misses: readonly Miss[]): string {
  return misses.map(({ url, why }) => `${quoted(url)} (${why})`).join(', ');
}

/**
 * Asks one address after the other, until one gives a document, and validates that. One of another issuer counts as a
 * miss: the next address may do better.
 * @throws Failure of a document that breaks another rule
 */
export async function firstDocument<Found extends { readonly ok: true; readonly came: string }>(
  ports: DiscoveryPorts,
  request: {
    readonly urls: readonly string[];
    readonly step: Pick<Step, 'name' | 'rule'>;
    readonly zone: Zone;
    /** For a document about that server, where it is refused without them. */
    readonly own?: ServerHeaders | undefined;
    /** The others count only where there is no page at the first. */
    readonly onlyIfAbsent?: boolean;
    readonly signal: AbortSignal;
  },
  validate: (object: JsonObject, url: string) => Found | RefusedDocument,
): Promise<Found | { readonly ok: false; readonly misses: readonly Miss[] }> {
  const { urls, step, zone, own, signal } = request;
  const misses: Miss[] = [];
  for (const url of urls) {
    ports.progress.begin(`Reading ${url}`);
    const record = (ended: Pick<Step, 'came' | 'verdict'> & { readonly rule?: string }) =>
      ports.journal.record({ ...step, asked: `GET ${url}`, ...ended });
    const document = await fetchDocument(ports, { url, zone, own, signal });
    if (!document.ok) {
      const { why, failure, isBroken, isAbsent = false } = document;
      const isLast = url === urls.at(-1) || (request.onlyIfAbsent === true && url === urls[0] && !isAbsent);
      record({ came: failure?.message ?? why, verdict: isLast ? 'failure' : 'skipped' });
      signal.throwIfAborted(); // the time for all documents is up, which is a failure, too
      misses.push({ url, why, failure, isBroken, isAbsent });
      if (isLast) break;
      continue;
    }
    const validated = validate(document.object, url);
    const came = `200, ${validated.came}`;
    if (validated.ok) {
      record({ came, verdict: 'pass' });
      return validated;
    }
    const { rule, failure } = validated;
    record({ came, verdict: 'failure', rule });
    if (!(failure instanceof OtherIssuer)) throw failure;
    misses.push({ url, why: 'another issuer', failure, isBroken: false });
  }
  return { ok: false, misses };
}

/** Limits for one metadata document: 256 KiB decoded, 10 s in all. */
export const metadataLimits = { of: 'metadata', totalMs: 10_000, headersMs: 10_000, maxBytes: 256 * 1024 } as const;

type FetchedDocument =
  | { readonly ok: true; readonly object: JsonObject }
  | ({ readonly ok: false } & Omit<Miss, 'url'>);

interface DocumentRequest {
  readonly url: string;
  readonly zone: Zone;
  readonly own?: ServerHeaders | undefined;
  readonly signal: AbortSignal;
}

/** The request for a document: without credentials, with redirects within the origin, bounded in size and time. */
export function documentRequest({ url, zone, signal }: Omit<DocumentRequest, 'own'>) {
  return {
    method: 'GET',
    url,
    headers: [['accept', 'application/json']],
    namedBy: zone,
    redirects: 'same-origin',
    limits: metadataLimits,
    signal,
  } as const satisfies HttpRequest;
}

/**
 * GETs a discovery document: no credentials, at most three redirects within the origin, bounded in size and time. What a
 * gateway refuses without the headers that its server wants is asked for with them, and then no redirect is followed.
 */
export async function fetchDocument(
  { http }: DiscoveryPorts,
  { url, zone, own, signal }: DocumentRequest,
): Promise<FetchedDocument> {
  const none = (why: string, failure?: Failure) => ({ ok: false, why, failure, isBroken: false }) as const;
  try {
    const request = documentRequest({ url, zone, signal });
    await using first = await http.send(request);
    const isRefused = first.status === 401 || first.status === 403;
    const headers = isRefused && own && isOnOneOrigin(url, own.server) ? own.headers : [];
    await using second =
      headers.length === 0
        ? undefined
        : await http.send({ ...request, headers: withSecretHeaders(request.headers, headers), redirects: 'refuse' });
    const response = second ?? first;
    const { status } = response;
    if (status !== 200) return { ...none(`status ${status}`), isAbsent: status === 404 };
    const parsed = parseJson(withoutMark(await response.bytes()));
    if (!parsed.ok) return { ...none(parsed.problem.replaceAll('_', ' ')), isBroken: true };
    const object = asObject(parsed.value);
    return object === undefined ? { ...none('JSON, but not an object'), isBroken: true } : { ok: true, object };
  } catch (error) {
    if (error instanceof Failure) return none(error.code.replaceAll('_', ' '), error);
    throw error;
  }
}

/** A gateway that wants its key for everything on the server's origin has it already. */
function isOnOneOrigin(...urls: readonly string[]): boolean {
  const [one, other] = urls.map(splitUrl);
  return one !== undefined && other !== undefined && originOf(one) === originOf(other);
}

/**
 * Where the protected resource metadata of a server may be, in the order to ask (RFC 9728 section 3.1): with
 * the server's path after the well-known one, then at the root; the root alone for a server without a path.
 * The server's query is left out.
 * @param server A canonical URL.
 */
export function protectedResourceMetadataUrls(server: string): readonly string[] {
  const parts = splitUrl(server);
  if (parts === undefined) return [];
  const root = `${originOf(parts)}/.well-known/oauth-protected-resource`;
  return parts.path === '' || parts.path === '/' ? [root] : [`${root}${parts.path}`, root];
}

/**
 * Where the metadata of an issuer may be, in the order to ask: RFC 8414 section 3.1, then OpenID Connect
 * Discovery with the path inserted, then with the path before it; the first two alone for an issuer without a
 * path. A slash at the issuer's end is left out first, as both documents say.
 * @param issuer An absolute URL that went through the gate.
 */
export function authorizationServerMetadataUrls(issuer: string): readonly string[] {
  const parts = splitUrl(issuer);
  if (parts === undefined) return [];
  const origin = originOf(parts);
  const path = parts.path.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

/**
 * Are these spellings of one issuer, but for a slash at the end of a path? Both then lead to the same metadata, from whose
 * addresses that slash is taken away (RFC 8414 section 3.1); which of the two it is, the metadata say.
 */
export function differBySlash(one: string, other: string): boolean {
  if (one !== `${other}/` && other !== `${one}/`) return false;
  const addresses = (issuer: string) => authorizationServerMetadataUrls(issuer).join(' ');
  return !/[?#]/.test(one) && addresses(one) !== '' && addresses(one) === addresses(other);
}

/** Is it the same issuer: the same string, or an empty path for `/`, which is one URI (RFC 3986 section 6.2.3)? */
export function isSameIssuer(one: string, other: string): boolean {
  return one === other || (differBySlash(one, other) && (splitUrl(one)?.path ?? '').length < 2);
}

/** Does a server name this issuer? With another slash at its end, too: its metadata have to call it as it is here. */
export function isNamed(issuer: string, named: readonly string[]): boolean {
  return named.some((one) => one === issuer || differBySlash(one, issuer));
}

/** Why a URL of a document is not used, after its name; undefined: it is gated, and https but for servers on loopback. */
export function urlProblem(value: JsonValue | undefined, zone: Zone): string | undefined {
  if (value === undefined || value === null) return 'is missing';
  if (typeof value !== 'string') return 'is not a string';
  const gated = gateUrl(value);
  if (!gated.ok) return `is no usable URL (${gated.problem})`;
  return gated.url.protocol === 'https:' || zone === 'loopback' ? undefined : 'is not https';
}
