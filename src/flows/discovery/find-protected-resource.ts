import {
  loginNotOffered,
  metadataUnusable,
  noProtectedResourceMetadata,
  resourceMismatch,
  serverAnswered,
} from '../../errors/discovery.js';
import { Failure } from '../../errors/failure.js';
import type { Ports } from '../../ports.js';
import { quoted } from '../../primitives/printable.js';
import { protectedResourceMetadataUrls } from '../../primitives/well-known.js';
import { type FetchedDocument, fetchDocument } from '../../protocol/oauth/fetch-document.js';
import {
  judgeProtectedResource,
  type ProtectedResource,
} from '../../protocol/oauth/protected-resource-metadata.js';
import type { ProbedServer } from './probe-server.js';

type Wanted = { readonly server: string; readonly probed: ProbedServer; readonly signal: AbortSignal };
type Needs = Pick<Ports, 'door' | 'journal' | 'progress'>;

/**
 * Protected resource metadata: at the challenge's address when it names one, and then nowhere else; otherwise at
 * the path form of the well-known address, then at the root form (rule 4.2).
 * @throws Failure `discovery_failed`, `metadata_unusable`, `resource_mismatch`, `login_not_offered`, or the door's
 */
export async function findProtectedResource(ports: Needs, wanted: Wanted): Promise<ProtectedResource> {
  const named = wanted.probed.resourceMetadata;
  const urls = named === undefined ? protectedResourceMetadataUrls(wanted.server) : [named];
  const rule = named === undefined ? 'R-4.2b' : 'R-4.2a';
  const tried: string[] = [];
  for (const url of urls) {
    ports.progress.begin(`Reading ${url}`);
    const document = await attempt(ports, { ...wanted, url, last: url === urls.at(-1), rule });
    if (document.content.ok) {
      return judge(ports, wanted, document, rule);
    }
    tried.push(`${quoted(url)} (${document.content.why})`);
  }
  throw nothingFound(ports, wanted, tried.join(', '));
}

async function attempt(
  ports: Needs,
  request: Wanted & { readonly url: string; readonly last: boolean; readonly rule: string },
): Promise<Pick<FetchedDocument, 'url' | 'content'>> {
  const record = (came: string) =>
    ports.journal.record({
      name: 'protected-resource-metadata',
      asked: `GET ${request.url}`,
      came,
      rule: request.rule,
      verdict: request.last ? 'failure' : 'skipped',
    });
  try {
    const { zone } = request.probed;
    const document = await fetchDocument(ports.door, {
      url: request.url,
      namedBy: zone,
      signal: request.signal,
    });
    if (!document.content.ok) {
      record(document.content.why);
    }
    return document;
  } catch (error) {
    if (!(error instanceof Failure)) {
      throw error;
    }
    record(error.message);
    if (request.last) {
      throw error;
    }
    return { url: request.url, content: { ok: false, why: error.code.replaceAll('_', ' ') } };
  }
}

function judge(
  ports: Needs,
  wanted: Wanted,
  document: Pick<FetchedDocument, 'url' | 'content'>,
  rule: string,
): ProtectedResource {
  if (!document.content.ok) {
    throw new Error('only a document that came is judged');
  }
  const judged = judgeProtectedResource(document.content.object, wanted.server, wanted.probed.zone);
  const asked = `GET ${document.url}`;
  if (!judged.ok) {
    const other = judged.problem === 'other_resource';
    const came = other ? `200, resource ${judged.resource}` : `200, ${judged.why}`;
    const broken = other ? 'R-2.1d' : 'R-2.1a';
    ports.journal.record({
      name: 'protected-resource-metadata',
      asked,
      came,
      rule: broken,
      verdict: 'failure',
    });
    throw other
      ? resourceMismatch(wanted.server, judged.resource, ports.journal.steps)
      : metadataUnusable(document.url, judged.why, ports.journal.steps);
  }
  const { resource } = judged.protectedResource;
  ports.journal.record({
    name: 'protected-resource-metadata',
    asked,
    came: `200, resource ${resource}`,
    rule,
    verdict: 'pass',
  });
  return judged.protectedResource;
}

function nothingFound(ports: Needs, wanted: Wanted, tried: string): Failure {
  const { status } = wanted.probed;
  if (status === 401) {
    return noProtectedResourceMetadata(wanted.server, tried, ports.journal.steps);
  }
  return status >= 200 && status < 300
    ? loginNotOffered(wanted.server, status, ports.journal.steps)
    : serverAnswered(wanted.server, status, ports.journal.steps);
}
