import { Failure } from '../core/failure.js';
import type { CorePorts } from '../core/ports.js';
import type { Zone } from '../core/records.js';
import { asObject, type JsonObject, parseJson } from '../core/text/json.js';
import { printable, quoted } from '../core/text/printable.js';
import { originOf, splitUrl } from '../core/url.js';
import type { HttpClient, HttpPorts, HttpResponse } from '../http/request.js';
import {
  capabilityMissing,
  issuerMismatch,
  metadataUnusable,
  noAuthorizationServerMetadata,
  pkceMissing,
  resourceNotListed,
} from './failures.js';
import {
  type AuthorizationServer,
  type ServerMetadataResult,
  validateServerMetadata,
  type WantedGrant,
} from './server-metadata.js';

type Needs = Pick<HttpPorts, 'http'> & Pick<CorePorts, 'journal' | 'progress'>;

export interface WantedIssuer {
  readonly issuer: string;
  readonly resource: string;
  readonly zone: Zone;
  readonly grant: WantedGrant;
  readonly signal: AbortSignal;
}

/** `next`: this address gave nothing usable, another may. `stop`: the right issuer breaks a rule. */
type Attempt =
  | { readonly outcome: 'found'; readonly found: AuthorizationServer }
  | { readonly outcome: 'next'; readonly why: string; readonly failure: Failure | undefined }
  | { readonly outcome: 'stop'; readonly failure: Failure };

/**
 * Authorization server metadata at the three or two well-known addresses in order (rule 4.3), until one gives a
 * document of exactly this issuer. Documents are never merged; a document of the right issuer that breaks a rule
 * ends the search.
 * @throws Failure `issuer_mismatch`, `pkce_missing`, `capability_missing`, `metadata_unusable`, `resource_mismatch`,
 * `discovery_failed`, or the HTTP client's
 */
export async function findAuthorizationServer(ports: Needs, wanted: WantedIssuer): Promise<AuthorizationServer> {
  const urls = authorizationServerMetadataUrls(wanted.issuer);
  const tried: string[] = [];
  const failures: Failure[] = [];
  for (const url of urls) {
    ports.progress.begin(`Reading ${url}`);
    const attempt = await tryAddress(ports, wanted, url, url === urls.at(-1) ? 'failure' : 'skipped');
    if (attempt.outcome === 'found') return attempt.found;
    if (attempt.outcome === 'stop') throw attempt.failure;
    if (attempt.failure !== undefined) failures.push(attempt.failure);
    tried.push(`${quoted(url)} (${attempt.why})`);
  }
  const mismatch = failures.find((failure) => failure.code === 'issuer_mismatch');
  // When every address failed for a reason of the network's, that reason is the better answer.
  const [first] = failures;
  if (mismatch !== undefined || (first !== undefined && failures.length === urls.length)) throw mismatch ?? first;
  throw noAuthorizationServerMetadata(wanted.issuer, tried.join(', '));
}

/** @param miss How an address that gives nothing usable counts: no harm while there is another. */
async function tryAddress(
  ports: Needs,
  wanted: WantedIssuer,
  url: string,
  miss: 'skipped' | 'failure',
): Promise<Attempt> {
  const rule = new URL(wanted.issuer).pathname === '/' ? 'R-4.3b' : 'R-4.3a';
  const record = (came: string, verdict: 'pass' | 'skipped' | 'failure', broken = rule) =>
    ports.journal.record({
      name: 'authorization-server-metadata',
      asked: `GET ${url}`,
      came,
      rule: broken,
      verdict,
    });
  const document = await fetchOrFailure(ports.http, { url, namedBy: wanted.zone, signal: wanted.signal });
  if (document instanceof Failure) {
    record(document.message, miss);
    return { outcome: 'next', why: document.code.replaceAll('_', ' '), failure: document };
  }
  if (!document.content.ok) {
    record(document.content.why, miss);
    return { outcome: 'next', why: document.content.why, failure: undefined };
  }
  const validated = await validateServerMetadata(document.content.object, wanted);
  if (validated.ok) {
    const pkce = wanted.grant === 'authorization_code' ? ', PKCE S256' : '';
    record(`200, issuer ${wanted.issuer}${pkce}`, 'pass');
    return { outcome: 'found', found: validated.authorizationServer };
  }
  const { came, broken, failure } = refusalOf(validated, { ...wanted, url });
  record(`200, ${came}`, 'failure', broken);
  return validated.problem === 'other_issuer'
    ? { outcome: 'next', why: 'another issuer', failure }
    : { outcome: 'stop', failure };
}

async function fetchOrFailure(
  http: HttpClient,
  request: Parameters<typeof fetchDocument>[1],
): Promise<FetchedDocument | Failure> {
  try {
    return await fetchDocument(http, request);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** What came, the rule that it breaks, and the failure. */
function refusalOf(
  refused: Exclude<ServerMetadataResult, { readonly ok: true }>,
  { issuer, resource, url }: WantedIssuer & { readonly url: string },
): { readonly came: string; readonly broken: string; readonly failure: Failure } {
  switch (refused.problem) {
    case 'other_issuer': {
      const { found } = refused;
      return {
        came: `issuer ${found}`,
        broken: 'R-4.3c',
        failure: issuerMismatch(issuer, found),
      };
    }
    case 'no_pkce': {
      const found = printable(refused.found, 100);
      const came = `code_challenge_methods_supported ${refused.found}`;
      return { came, broken: 'R-5.3b', failure: pkceMissing(issuer, found) };
    }
    case 'no_capability': {
      const { what } = refused;
      const broken = 'RFC 8414 section 2';
      return { came: `without ${what}`, broken, failure: capabilityMissing(issuer, what) };
    }
    case 'other_resources': {
      const came = 'protected_resources without this one';
      return { came, broken: 'RFC 9728 section 4', failure: resourceNotListed(issuer, resource) };
    }
    case 'unusable': {
      const { why } = refused;
      return { came: why, broken: 'R-5.8c', failure: metadataUnusable(url, why) };
    }
  }
}

/** Limits for one metadata document: 256 KiB decoded, 10 s in all. */
const documentLimits = { of: 'metadata', totalMs: 10_000, headersMs: 10_000, maxBytes: 256 * 1024 } as const;

export interface FetchedDocument {
  readonly url: string;
  readonly status: number;
  readonly zone: Zone;
  /** The JSON object that came, or in words why what came is none. */
  readonly content: { readonly ok: true; readonly object: JsonObject } | { readonly ok: false; readonly why: string };
}

/**
 * GETs a discovery document: no credentials, at most three redirects within the origin, bounded in size
 * and time. An answer that is no JSON object is a value, not an error: the next address may do better.
 * @throws Failure of the HTTP client (`url_refused`, `address_refused`, `redirect_refused`, `too_large`, …)
 */
export async function fetchDocument(
  http: HttpClient,
  request: { readonly url: string; readonly namedBy: 'person' | Zone; readonly signal: AbortSignal },
): Promise<FetchedDocument> {
  await using response = await http.send({
    method: 'GET',
    url: request.url,
    headers: [['accept', 'application/json']],
    namedBy: request.namedBy,
    redirects: 'same-origin',
    limits: documentLimits,
    signal: request.signal,
  });
  return {
    url: request.url,
    status: response.status,
    zone: response.zone,
    content: await readContent(response),
  };
}

async function readContent(response: HttpResponse): Promise<FetchedDocument['content']> {
  if (response.status !== 200) return { ok: false, why: `status ${response.status}` };
  const parsed = parseJson(await response.bytes());
  if (!parsed.ok) return { ok: false, why: parsed.problem.replaceAll('_', ' ') };
  const object = asObject(parsed.value);
  return object === undefined ? { ok: false, why: 'JSON, but not an object' } : { ok: true, object };
}

/**
 * Where the protected resource metadata of a server may stand, in the order to ask (RFC 9728 section 3.1): with
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
 * Where the metadata of an issuer may stand, in the order to ask: RFC 8414 section 3.1, then OpenID Connect
 * Discovery with the path inserted, then with the path before it; the first two alone for an issuer without a
 * path. A slash at the issuer's end is left out first, as both documents say.
 * @param issuer An absolute URL that went through the gate.
 */
export function authorizationServerMetadataUrls(issuer: string): readonly string[] {
  const parts = splitUrl(issuer);
  if (parts === undefined) return [];
  const origin = originOf(parts);
  const path = parts.path.endsWith('/') ? parts.path.slice(0, -1) : parts.path;
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
