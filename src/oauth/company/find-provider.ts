import type { Zone } from '../../core/records.js';
import { shellWord } from '../../core/text/printable.js';
import {
  authorizationServerMetadataUrls,
  type DiscoveryPorts,
  differBySlash,
  documentRequest,
} from '../discovery-document.js';
import { capabilityMissing, OtherIssuer } from '../failures.js';
import { type AuthorizationServer, findAuthorizationServer } from '../server-metadata.js';
import { vouchingNotSetUp } from './failures.js';
import { missingForExchange } from './id-jag.js';

/**
 * A company's provider, which a person has named: its metadata, as for an authorization server that a server names, and how
 * near it is.
 * @param wanted.byBrowser Is somebody to log in there?
 * @throws Failure as `findAuthorizationServer`, `capability_missing` where it exchanges nothing
 */
export async function findProvider(
  ports: DiscoveryPorts,
  wanted: { readonly issuer: string; readonly byBrowser: boolean; readonly signal: AbortSignal },
): Promise<{ readonly provider: AuthorizationServer; readonly zone: Zone }> {
  const { issuer, byBrowser, signal } = wanted;
  const grant = byBrowser ? 'authorization_code' : 'assertion';
  const zone = await zoneOf(ports, issuer, signal);
  const provider = await asNamed(
    issuer,
    findAuthorizationServer(ports, { issuer, resource: issuer, zone, grant, signal }),
  );
  const missing = missingForExchange(provider);
  if (missing !== undefined) throw capabilityMissing(issuer, missing, vouchingNotSetUp);
  for (const url of [provider.tokenEndpoint, provider.authorizationEndpoint]) {
    if (url !== undefined) await ports.http.check({ url, namedBy: zone, signal });
  }
  return { provider, zone };
}

/** What a person has named is kept, and compared with ID tokens: another slash at its end is for the person to type. */
async function asNamed(issuer: string, found: Promise<AuthorizationServer>): Promise<AuthorizationServer> {
  try {
    const provider = await found;
    if (provider.issuer !== issuer) throw new OtherIssuer(issuer, provider.issuer);
    return provider;
  } catch (error) {
    if (!(error instanceof OtherIssuer) || !differBySlash(issuer, error.found)) throw error;
    throw error.withRemedy(
      `Only the slash at the end differs. Name it as it calls itself: --idp ${shellWord(error.found)}`,
    );
  }
}

/** The zone of the address that a person has named; what its first document says does not matter here. */
async function zoneOf({ http, progress }: DiscoveryPorts, issuer: string, signal: AbortSignal): Promise<Zone> {
  const url = authorizationServerMetadataUrls(issuer).at(-1) ?? issuer;
  progress.begin(`Asking ${issuer}`);
  const request = documentRequest({ url, zone: 'public', signal });
  await using response = await http.send({ ...request, namedBy: 'person', redirects: 'report' });
  return response.zone;
}
