import { isFailure } from '../../core/failure.js';
import type { Zone } from '../../core/records.js';
import { parseObject } from '../../core/text/json.js';
import { authorizationServerMetadataUrls } from '../../oauth/discovery-document.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import type { FindingId } from '../findings.js';
import type { ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import type { SeenExchange } from '../seen-http.js';
import { documentsAt, sayTheSame } from './documents.js';

/** What two documents of one issuer have to agree on. */
const members = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'];

/** Known families, by the host of the issuer. */
const families: readonly (readonly [host: RegExp, id: FindingId])[] = [
  [
    /^login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn|windows\.net)$|^sts\.windows\.net$/,
    'family-entra',
  ],
  [/^accounts\.google\.com$/, 'family-google'],
];

/** Step 5: the authorization server's metadata at all of its addresses. */
export async function checkIssuer(
  ports: Pick<ExaminePorts, 'http'>,
  target: ServerTarget & {
    readonly issuer: string;
    readonly zone: Zone;
    readonly found: AuthorizationServer | undefined;
  },
  report: Report,
): Promise<void> {
  const { issuer, zone, found, signal } = target;
  const { host } = new URL(issuer);
  for (const [pattern, id] of families) if (pattern.test(host)) report.found(id, issuer);
  const urls = authorizationServerMetadataUrls(issuer);
  const documents = (await documentsAt(ports, { urls, zone, signal })).filter(
    ({ object }) => object['issuer'] === (found?.issuer ?? issuer),
  );
  const [first, ...others] = documents;
  if (first === undefined || found === undefined) return;
  noteBroken(ports.http.exchanges, urls, report);
  await checkEndpoints(ports, { found, zone, signal }, report);
  const differs = others.find(({ object }) => !sayTheSame(first.object, object, members));
  if (differs !== undefined) report.found('issuer-metadata-differs', `${first.url} and ${differs.url}`);
  const flag = first.object['client_id_metadata_document_supported'];
  if (flag !== undefined && flag !== null && typeof flag !== 'boolean') {
    report.found('document-flag-text', `it is ${JSON.stringify(flag).slice(0, 40)}`);
  }
  const registration = [
    found.takesMetadataDocuments && 'metadata documents',
    found.registrationEndpoint && 'dynamic registration',
  ];
  const { authorizationEndpoint, revocationEndpoint } = found;
  if (revocationEndpoint === undefined) report.found('no-revocation', 'no revocation_endpoint');
  if (authorizationEndpoint === undefined) return; // a login by another's word: nobody is sent there
  report.pass('issuer', ['PKCE S256', ...registration.filter(Boolean)].join(', '));
  checkOffers(found, authorizationEndpoint, report);
}

/** An address that brings neither the document nor 404. */
function noteBroken(exchanges: readonly SeenExchange[], urls: readonly string[], report: Report): void {
  for (const { url, response, failure } of exchanges.filter((one) => urls.includes(one.url))) {
    const isDocument = response?.status === 200 && response.broken === undefined && parseObject(response.bytes.slice());
    if (isDocument || response?.status === 404) continue;
    const what = response === undefined ? failure?.message : `status ${response.status}, no metadata`;
    report.found('first-address-broken', `${url}: ${what}`);
  }
}

/** Would a login be let out to these addresses? Nothing is sent there. */
async function checkEndpoints(
  { http }: Pick<ExaminePorts, 'http'>,
  { found, zone, signal }: { readonly found: AuthorizationServer; readonly zone: Zone; readonly signal: AbortSignal },
  report: Report,
): Promise<void> {
  const pushed = found.requiresPushedRequests ? found.pushedAuthorizationRequestEndpoint : undefined;
  const registration = found.takesMetadataDocuments ? undefined : found.registrationEndpoint;
  for (const url of [found.tokenEndpoint, found.authorizationEndpoint, pushed, registration]) {
    if (url === undefined) continue;
    try {
      await http.check({ url, namedBy: zone, signal });
    } catch (error) {
      if (!isFailure(error) || signal.aborted) throw error;
      report.found('endpoint-refused', error.message);
    }
  }
}

function checkOffers(found: AuthorizationServer, page: string, report: Report): void {
  const { issuer, announcesIss, grantTypes, tokenAuthMethods } = found;
  if (!announcesIss) report.found('iss-not-announced', 'authorization_response_iss_parameter_supported is not true');
  if (grantTypes?.includes('refresh_token') === false) {
    report.found('refresh-not-listed', `grant_types_supported: ${grantTypes.join(', ')}`);
  }
  if (tokenAuthMethods?.includes('none') === false) {
    report.found('public-clients-not-listed', `token_endpoint_auth_methods_supported: ${tokenAuthMethods.join(', ')}`);
  }
  const origin = URL.parse(page)?.origin;
  if (origin !== undefined && origin !== new URL(issuer).origin)
    report.found('login-page-elsewhere', `${origin}, issuer ${issuer}`);
}
