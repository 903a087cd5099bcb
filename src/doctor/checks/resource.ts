import { canonicalResource } from '../../core/resource.js';
import { protectedResourceMetadataUrls } from '../../oauth/discovery-document.js';
import type { ProbedServer } from '../../oauth/probe.js';
import type { ProtectedResource } from '../../oauth/resource-metadata.js';
import type { ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';
import { documentsAt, isJsonType, sayTheSame } from './documents.js';

const members = ['resource', 'authorization_servers', 'scopes_supported'];

/** More scopes than a person reads. */
const maxScopes = 15;

/** Step 3: the protected resource metadata at all of its addresses. */
export async function checkResource(
  ports: Pick<ExaminePorts, 'http'>,
  target: ServerTarget & { readonly probed: ProbedServer; readonly resource: ProtectedResource | undefined },
  report: Report,
): Promise<void> {
  const { server, probed, resource, signal } = target;
  const { zone, resourceMetadata: named } = probed;
  const urls = [...new Set([...(named === undefined ? [] : [named]), ...protectedResourceMetadataUrls(server)])];
  const documents = await documentsAt(ports, { urls, zone, signal });
  const [first, ...others] = documents;
  // At the root form may be the document of another resource of the same host.
  const same = others.filter(({ object }) => object['resource'] === first?.object['resource']);
  const differs = same.find(({ object }) => first !== undefined && !sayTheSame(first.object, object, members));
  if (first !== undefined && differs !== undefined) {
    report.found('resource-metadata-differs', `${first.url} and ${differs.url}`);
  }
  for (const { url, type } of documents) {
    if (!isJsonType(type)) report.found('resource-metadata-type', `${url}: ${type === '' ? 'no Content-Type' : type}`);
  }
  if (resource === undefined) return;
  report.pass('resource', `resource ${resource.resource}`);
  checkContents(server, resource, report);
}

function checkContents(
  server: string,
  { resource, relation, scopesSupported = [] }: ProtectedResource,
  report: Report,
) {
  if (relation === 'ancestor') report.found('resource-is-wider', `resource is ${resource}`);
  else if (resource !== server && isSameAddress(resource, server)) {
    report.found('resource-spelling', `resource is ${resource}, the server ${server}`);
  }
  if (scopesSupported.includes('offline_access'))
    report.found('offline-access-listed', 'scopes_supported lists offline_access');
  if (scopesSupported.length > maxScopes) report.found('scopes-many', `${scopesSupported.length} scopes`);
}

function isSameAddress(resource: string, server: string): boolean {
  const canonical = canonicalResource(resource);
  return canonical.ok && canonical.value === server;
}
