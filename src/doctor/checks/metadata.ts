import type { Zone } from '../../core/records.js';
import { canonicalResource } from '../../core/resource.js';
import { asObject, type JsonObject, parseJson, parseObject } from '../../core/text/json.js';
import { printable } from '../../core/text/printable.js';
import {
  authorizationServerMetadataUrls,
  documentRequest,
  protectedResourceMetadataUrls,
} from '../../oauth/discovery-document.js';
import { proofAlgorithm } from '../../oauth/dpop/key.js';
import type { ProbedServer } from '../../oauth/probe.js';
import type { ProtectedResource } from '../../oauth/resource-metadata.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { attempt, type Run } from '../run.js';
import { headerValues } from '../seen-http.js';

/** A metadata document at one of the addresses where it may be. */
interface FoundDocument {
  readonly url: string;
  readonly object: JsonObject;
  /** Its Content-Type; '' where there is none. */
  readonly type: string;
}

/** What is published at these addresses, as JSON objects; each address is asked once in a run. */
async function documentsAt({ http, signal }: Run, urls: readonly string[], zone: Zone) {
  const found: FoundDocument[] = [];
  for (const url of new Set(urls)) {
    const { response } = await http.see(documentRequest({ url, zone, signal }));
    if (response?.status !== 200 || response.broken !== undefined) continue;
    const parsed = parseJson(new Uint8Array(response.bytes));
    const object = parsed.ok ? asObject(parsed.value) : undefined;
    if (object !== undefined) found.push({ url, object, type: headerValues(response, 'content-type')[0] ?? '' });
  }
  return found;
}

/** Whether two documents say the same in these members. */
export function sayTheSame(one: JsonObject, other: JsonObject, members: readonly string[]): boolean {
  return members.every((name) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null));
}

/** More scopes than a person reads. */
const maxScopes = 15;

/** Step 3: the protected resource metadata at all of its addresses. */
export async function checkResource(run: Run, { zone, resourceMetadata: named }: ProbedServer): Promise<void> {
  const { server, report } = run;
  const documents = await documentsAt(run, [...(named ? [named] : []), ...protectedResourceMetadataUrls(server)], zone);
  const [first, ...others] = documents;
  const members = ['authorization_servers', 'scopes_supported'];
  // At the root form may be the document of another resource of the same host.
  const same = others.filter(({ object }) => object['resource'] === first?.object['resource']);
  const differs = same.find(({ object }) => first !== undefined && !sayTheSame(first.object, object, members));
  if (differs !== undefined) report.found('resource-metadata-differs', `${first?.url} and ${differs.url}`);
  for (const { url, type } of documents) {
    if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type.trim())) continue;
    report.found('resource-metadata-type', `${url}: ${type === '' ? 'no Content-Type' : type}`);
  }
  if (run.resource === undefined) return;
  const { resource, relation, scopesSupported = [] } = run.resource;
  report.pass('resource', `resource ${resource}`);
  const canonical = canonicalResource(resource);
  if (relation === 'ancestor') report.found('resource-is-wider', `resource is ${resource}`);
  else if (resource !== server && canonical.ok && canonical.value === server) {
    report.found('resource-spelling', `resource is ${resource}, the server ${server}`);
  }
  if (scopesSupported.includes('offline_access')) {
    report.found('offline-access-listed', 'scopes_supported lists offline_access');
  }
  if (scopesSupported.length > maxScopes) report.found('scopes-many', `${scopesSupported.length} scopes`);
}

/** Known families, by the host of the issuer. */
const families = [
  [
    /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn|windows\.net)$|^sts\.windows\.net$/,
    'family-entra',
  ],
  [/^accounts\.google\.com$/, 'family-google'],
] as const;

/** Step 5: the authorization server's metadata at all of its addresses. */
export async function checkIssuer(run: Run, issuer: string, zone: Zone): Promise<void> {
  const { authorizationServer: found, report } = run;
  const { host } = new URL(issuer);
  for (const [pattern, id] of families) if (pattern.test(host)) report.found(id, issuer);
  const urls = authorizationServerMetadataUrls(issuer);
  const all = await documentsAt(run, urls, zone);
  const [first, ...others] = all.filter(({ object }) => object['issuer'] === (found?.issuer ?? issuer));
  if (first === undefined || found === undefined) return;
  noteBroken(run, urls);
  await checkEndpoints(run, found, zone);
  const members = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'];
  const differs = others.find(({ object }) => !sayTheSame(first.object, object, members));
  if (differs !== undefined) report.found('issuer-metadata-differs', `${first.url} and ${differs.url}`);
  const flag = first.object['client_id_metadata_document_supported'] ?? undefined;
  if (flag !== undefined && typeof flag !== 'boolean') {
    report.found('document-flag-text', `it is ${printable(JSON.stringify(flag), 40)}`);
  }
  checkOffers(run, found);
}

/** An address that brings neither the document nor 404. */
function noteBroken({ http, report }: Run, urls: readonly string[]): void {
  for (const { url, response, failure } of http.exchanges.filter((one) => urls.includes(one.url))) {
    const isDocument = response?.status === 200 && response.broken === undefined && parseObject(response.bytes.slice());
    if (isDocument || response?.status === 404) continue;
    const what = response === undefined ? failure?.message : `status ${response.status}, no metadata`;
    report.found('first-address-broken', `${url}: ${what}`);
  }
}

/** Would a login be let out to these addresses? Nothing is sent there. */
async function checkEndpoints(run: Run, found: AuthorizationServer, zone: Zone): Promise<void> {
  const { http, signal, report } = run;
  const pushed = found.requiresPushedRequests ? found.pushedAuthorizationRequestEndpoint : undefined;
  const registration = found.takesMetadataDocuments ? undefined : found.registrationEndpoint;
  for (const url of [found.tokenEndpoint, found.authorizationEndpoint, pushed, registration]) {
    if (url === undefined) continue;
    const check = () => http.check({ url, namedBy: zone, signal });
    await attempt(run, check, ({ message }) => report.found('endpoint-refused', message));
  }
}

function checkOffers({ report }: Run, found: AuthorizationServer): void {
  const { issuer, announcesIss, grantTypes, tokenAuthMethods, authorizationEndpoint: page } = found;
  if (found.revocationEndpoint === undefined) report.found('no-revocation', 'no revocation_endpoint');
  if (page === undefined) return; // a login by another's word: nobody is sent there
  const documents = found.takesMetadataDocuments && 'metadata documents';
  const registration = found.registrationEndpoint && 'dynamic registration';
  report.pass('issuer', ['PKCE S256', documents, registration].filter(Boolean).join(', '));
  if (!announcesIss) report.found('iss-not-announced', 'authorization_response_iss_parameter_supported is not true');
  if (grantTypes?.includes('refresh_token') === false) {
    report.found('refresh-not-listed', `grant_types_supported: ${grantTypes.join(', ')}`);
  }
  if (tokenAuthMethods?.includes('none') === false) {
    report.found('public-clients-not-listed', `token_endpoint_auth_methods_supported: ${tokenAuthMethods.join(', ')}`);
  }
  const origin = URL.parse(page)?.origin;
  if (origin !== undefined && origin !== new URL(issuer).origin) {
    report.found('login-page-elsewhere', `${origin}, issuer ${issuer}`);
  }
}

/** Steps 3 and 5: do server and authorization server agree on tokens that are bound to a key (RFC 9449)? */
export function checkProofsOffered({ report }: Run, resource: ProtectedResource, server: AuthorizationServer): void {
  const { dpopAlgorithms: taken = [], dpopRequired: isRequired } = resource;
  const { dpopAlgorithms: offered } = server;
  if (taken.length === 0 && !isRequired) return;
  const listed = (list: readonly string[] | undefined) =>
    `dpop_signing_alg_values_supported ${list === undefined ? 'is absent' : `is ${list.join(', ') || 'empty'}`}`;
  if (offered?.includes(proofAlgorithm) !== true) {
    if (isRequired) report.found('dpop-not-offered', listed(offered));
  } else if (taken.length > 0 && !taken.includes(proofAlgorithm)) {
    report.found('dpop-algorithm-not-taken', listed(taken));
  } else {
    const how = isRequired ? 'demands' : 'asks';
    report.pass('issuer', `DPoP with ES256: a login is bound to a key, as the server ${how}`);
  }
}
